"""Arrow streams by nanoarrow, which polars and duckdb read without pyarrow.

nanoarrow builds arrays of numbers and text. Nested arrays are offsets and bitmaps around these:
https://arrow.apache.org/docs/format/Columnar.html
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..errors import UsageError

if TYPE_CHECKING:
    from .columns import Column, Table

_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MICROSECOND: Final = datetime.timedelta(microseconds=1)


class ArrowBuilder:
    """Builds arrays with nanoarrow.

    Args:
        nanoarrow: The package.
    """

    def __init__(self, nanoarrow: Any) -> None:
        self._package = nanoarrow
        self._kinds = {
            "text": nanoarrow.string(),
            "integer": nanoarrow.int64(),
            "number": nanoarrow.float64(),
            "boolean": nanoarrow.bool_(),
            "time": nanoarrow.timestamp("us", "UTC"),
        }

    def stream(self, table: Table) -> Any:
        """Return an object with `__arrow_c_stream__`.

        Raises:
            UsageError: A number does not fit into its column.
        """
        arrays: list[Any] = []
        for column, values in table:
            try:
                arrays.append(self._array(values, column))
            except (OverflowError, ValueError) as error:
                raise UsageError(f"column {column.name} has a value that does not fit: {error}") from None
        schema = self._package.struct({column.name: self._type(column) for column in table.columns})
        rows = self._package.c_array_from_buffers(schema, len(table), [None], children=arrays, null_count=0)
        return self._package.c_array_stream(rows)

    def _type(self, column: Column) -> Any:
        if column.kind == "list":
            return self._package.list_(self._type(column.children[0]))
        if column.kind == "struct":
            return self._package.struct({child.name: self._type(child) for child in column.children})
        return self._kinds[column.kind]

    def _array(self, values: Sequence[Any], column: Column) -> Any:
        kind = self._type(column)
        if column.kind not in {"list", "struct", "time"}:
            return self._package.c_array(values, kind)
        gaps = sum(value is None for value in values)
        bits = (value is not None for value in values)
        buffers: list[Any] = [self._package.c_buffer(bits, self._package.bool_()) if gaps else None]
        children: list[Any] = []
        if column.kind == "struct":
            children = [
                self._array([value and value[child.name] for value in values], child) for child in column.children
            ]
        elif column.kind == "list":
            offsets = [0]
            items: list[Any] = []
            for value in values:
                items.extend(value or ())
                offsets.append(len(items))
            buffers.append(self._package.c_buffer(offsets, self._package.int32()))
            children.append(self._array(items, column.children[0]))
        else:
            buffers.append(self._package.c_buffer(map(_ticks, values), self._package.int64()))
        return self._package.c_array_from_buffers(kind, len(values), buffers, children=children, null_count=gaps)


def _ticks(value: datetime.datetime | None) -> int:
    if value is None:
        return 0
    # RFC 3339 has no time without an offset; pyarrow reads one as UTC, too.
    return ((value if value.tzinfo else value.replace(tzinfo=datetime.UTC)) - _EPOCH) // _MICROSECOND
