"""`Tabular`: the base class of listings, reviews and results, which are tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import UsageError
from ..optional import is_installed, load

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingTypeStubs]  # its source has the types
    import polars

    from .columns import Table


class Tabular(ABC):
    """A value that is a table as well: pyarrow, polars and duckdb read it by `__arrow_c_stream__`, pandas by `to_pandas`.

    Identifiers are text, date-times are in UTC, integers may have gaps, models are structs, and free-form JSON is text.
    Fields that the contract does not know are in the column `extra`, those of nested models by their path. Header fields and
    credentials are left out.
    """

    __slots__ = ()

    @abstractmethod
    def _rows(self) -> tuple[Sequence[Any], type]:
        """Return the rows, and their class."""

    def to_arrow(self, *, times: bool = False) -> Any:
        """Return a `pyarrow.Table`.

        Args:
            times: Whether timestamps that the contract has as text become timestamps; null if they have no offset.

        Raises:
            UsageError: pyarrow is not installed.
        """
        pyarrow = load("to_arrow", "pyarrow")
        from .arrow import arrow_table

        return arrow_table(self._table(times=times), pyarrow)

    def to_pandas(self, *, times: bool = False) -> pandas.DataFrame:
        """Return a frame of pandas whose columns have types of Arrow, so integers with gaps stay integers.

        Args:
            times: Whether timestamps that the contract has as text become timestamps; null if they have no offset.

        Raises:
            UsageError: pandas or pyarrow is not installed.
        """
        library = load("to_pandas", "pandas", "pyarrow")
        frame: pandas.DataFrame = self.to_arrow(times=times).to_pandas(types_mapper=library.ArrowDtype)
        return frame

    def to_polars(self, *, times: bool = False) -> polars.DataFrame:
        """Return a frame of polars.

        Args:
            times: Whether timestamps that the contract has as text become timestamps; null if they have no offset.

        Raises:
            UsageError: polars is not installed, or neither nanoarrow nor pyarrow.
        """
        library = load("to_polars", "polars")
        frame: polars.DataFrame = library.DataFrame(self._stream(times=times))
        return frame

    if not TYPE_CHECKING:  # only to refuse it: pandas.DataFrame asks for an array, which has no names of columns

        def __array__(self, *_: object, **__: object) -> NoReturn:
            kind = type(self).__name__
            raise UsageError(f"numpy and pandas cannot read the columns of a {kind}; use its method to_pandas()")

    def __arrow_c_schema__(self) -> object:
        stream = self._stream()
        schema: Any = stream.get_schema() if hasattr(stream, "get_schema") else stream.schema
        capsule: object = schema.__arrow_c_schema__()
        return capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        capsule: object = self._stream().__arrow_c_stream__(requested_schema)
        return capsule

    def _table(self, *, times: bool = False) -> Table:
        from .columns import Table

        rows, kind = self._rows()
        return Table(rows, kind, times=times)

    def _stream(self, *, times: bool = False) -> Any:
        if is_installed("pyarrow") and not is_installed("nanoarrow"):
            return self.to_arrow(times=times)
        nanoarrow = load("a stream of Arrow", "nanoarrow", extra="frames")
        from .nano import ArrowBuilder

        return ArrowBuilder(nanoarrow).stream(self._table(times=times))
