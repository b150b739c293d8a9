"""Rows of frames as mappings that the service takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from operator import length_hint
from typing import Any, Final, Literal, Protocol, TypeAlias

from ..errors import UsageError
from ..json_values import exact_json
from ..json_values.exact_json import is_array, is_object
from ..json_values.foreign import from_numpy, is_gap, is_numpy
from ..optional import load

Missing: TypeAlias = Literal["omit", "null"]
"""The treatment of a gap: its key is left out, or sent as null, which deletes the key of a record that has it."""

_CHUNK: Final = 1000  # rows


class ArrowTable(Protocol):
    """A frame of pandas or polars, or another table that can be exported as a stream of Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object: ...


Rows: TypeAlias = Iterable[Mapping[str, Any]] | ArrowTable
"""Mappings of columns to values, or a frame."""


def rows(frame: Rows, *, missing: Missing) -> Iterator[dict[str, Any]]:
    """Return the rows of a frame as mappings of JSON values, one at a time: for `data=`, and for bulk runs.

    Scalars and arrays of numpy become numbers and lists. Gaps are None, NaN, and NA and NaT of pandas. In a list they are
    null, because the other items keep their positions.

    Args:
        frame: A frame of pandas or polars, a table of pyarrow, any other table with `__arrow_c_stream__`, or an iterable of
            mappings.
        missing: Treatment of a gap: "omit" leaves its key out; "null" sends null, which deletes the key of a record.

    Raises:
        UsageError: `missing` is something else, two columns have one name, or a value is not JSON, such as a time without an offset. That is raised when
            the row is read; the message has its position, from 0, and the column.
    """
    if missing not in {"omit", "null"}:
        raise UsageError(f"missing is {missing!r}; give 'omit' to leave gaps out, or 'null' to send null")
    return _Checked(frame, missing)


class _Checked(Iterator[dict[str, Any]]):
    """The rows of a frame as mappings of JSON values.

    Attributes:
        columns: The names of the columns; None if each row has its own.
        refused: The row that the latest `UsageError` was about; the iterator goes on after it.
    """

    def __init__(self, frame: Any, missing: Missing) -> None:
        self._frame = frame
        self._missing: Missing = missing
        self.columns, found = _mappings(frame)
        self._rows = iter(found)
        self._number = 0
        self.refused: Any = None

    def count_rows(self) -> int:
        """Return the number of rows, if it is known."""
        return length_hint(self._frame)

    def __next__(self) -> dict[str, Any]:
        self.refused = None
        row, number = next(self._rows), self._number
        self._number += 1
        self.refused = row
        if not is_object(row):
            raise UsageError(f"row {number} is of type {type(row).__name__}; give mappings of columns to values")
        self.refused = mapping = _object(row, self._missing)
        exact_json.dumps(mapping, f"row {number}")
        self.refused = None
        return mapping


def is_frame(rows: object) -> bool:
    """Return whether rows are a frame or another table, which is not an iterable of mappings."""
    return hasattr(rows, "__arrow_c_stream__") or type(rows).__module__.partition(".")[0] in {"pandas", "polars"}


def _object(members: Mapping[Any, Any], missing: Missing) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, value in members.items():
        if not is_gap(value):
            plain[key] = _value(value, missing)
        elif missing == "null":
            plain[key] = None
    return plain


def _value(value: Any, missing: Missing) -> Any:
    if is_numpy(value):
        plain = from_numpy(value)
        if plain is None:
            return value  # which is refused, with its place
        value = plain
    if is_object(value):
        return _object(value, missing)
    if is_array(value):
        return [None if is_gap(item) else _value(item, missing) for item in value]
    return value


def _mappings(frame: Any) -> tuple[list[str] | None, Iterable[Any]]:
    """Return the names of the columns of a frame, None if each row has its own, and its rows as mappings."""
    package = type(frame).__module__.partition(".")[0]
    if package in {"pandas", "polars"} and type(frame).__name__ in {"LazyFrame", "Series"}:
        way_out = "collect() it first" if type(frame).__name__ == "LazyFrame" else "give a frame, as of to_frame()"
        raise UsageError(f"frame is a {type(frame).__name__} of {package}; {way_out}")
    if package == "pandas":
        return _unique(frame.columns), _of_pandas(frame)
    if package == "polars":
        return list(frame.columns), frame.iter_rows(named=True)
    if hasattr(frame, "__arrow_c_stream__"):
        reader = load("reading the rows of an Arrow table", "pyarrow").RecordBatchReader.from_stream(frame)
        return _unique(reader.schema.names), _of_arrow(reader)
    return None, frame


def _unique(names: Iterable[Any]) -> list[str]:
    """Return the names of columns, or raise an error if two have one name, since a mapping can hold only one of them."""
    twice = [str(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise UsageError(
            f"the frame has several columns with the name {', '.join(twice)}; rename or drop all but one of each"
        )
    return list(names)


def _of_pandas(frame: Any) -> Iterator[Any]:
    for start in range(0, len(frame), _CHUNK):
        yield from frame.iloc[start : start + _CHUNK].to_dict("records")


def _of_arrow(reader: Any) -> Iterator[Any]:
    # One batch after the other: a stream may be larger than the memory.
    for batch in reader:
        for start in range(0, batch.num_rows, _CHUNK):
            yield from batch.slice(start, _CHUNK).to_pylist()
