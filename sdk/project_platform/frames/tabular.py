"""`Tabular`: what listings, reviews and results have in common, which is that they are tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from .columns import Table


class Tabular(ABC):
    """A value that is a table as well: pyarrow, polars and duckdb read it by `__arrow_c_stream__`.

    Identifiers are text, date-times are in UTC, integers may have gaps, models are structs, and free-form JSON is text.
    Fields that the contract does not know are in the column `extra`. Header fields and credentials are left out.
    """

    __slots__ = ()

    @abstractmethod
    def _rows(self) -> tuple[Sequence[Any], type]:
        """Return the rows, and their class."""

    def to_arrow(self, *, times: bool = False) -> pyarrow.Table:
        """Return a table of pyarrow.

        Args:
            times: Whether timestamps that the contract has as text become timestamps; null if they have no offset.

        Raises:
            UsageError: pyarrow is not installed.
        """
        _require("to_arrow", "pyarrow")
        from .arrow import arrow_table

        return arrow_table(self._table(times=times))

    def to_pandas(self, *, times: bool = False) -> pandas.DataFrame:
        """Return a frame of pandas whose columns have types of Arrow, so integers with gaps stay integers.

        Args:
            times: Whether timestamps that the contract has as text become timestamps; null if they have no offset.

        Raises:
            UsageError: pandas or pyarrow is not installed.
        """
        _require("to_pandas", "pandas", "pyarrow")
        import pandas

        frame: pandas.DataFrame = self.to_arrow(times=times).to_pandas(types_mapper=pandas.ArrowDtype)
        return frame

    def to_polars(self, *, times: bool = False) -> polars.DataFrame:
        """Return a frame of polars.

        Args:
            times: Whether timestamps that the contract has as text become timestamps; null if they have no offset.

        Raises:
            UsageError: polars is not installed, or neither nanoarrow nor pyarrow.
        """
        _require("to_polars", "polars")
        import polars

        return polars.DataFrame(self._stream(times=times))

    def __arrow_c_schema__(self) -> object:
        stream = self._stream()
        schema: Any = stream.get_schema() if hasattr(stream, "get_schema") else stream.schema
        capsule: object = schema.__arrow_c_schema__()
        return capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        capsule: object = self._stream().__arrow_c_stream__(requested_schema)
        return capsule

    def _table(self, *, times: bool = False) -> Table:
        from .columns import table_of

        rows, kind = self._rows()
        return table_of(rows, kind, times=times)

    def _stream(self, *, times: bool = False) -> Any:
        if find_spec("nanoarrow") is not None:
            from .nano import arrow_stream

            return arrow_stream(self._table(times=times))
        if find_spec("pyarrow") is not None:
            return self.to_arrow(times=times)
        raise UsageError("a table needs nanoarrow or pyarrow: pip install 'project-platform[frames]'")


def _require(method: str, *packages: str) -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise UsageError(f"{method} needs {' and '.join(missing)}: pip install {' '.join(missing)}")
