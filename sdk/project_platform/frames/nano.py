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


def arrow_stream(table: Table) -> Any:
    """Return an object with `__arrow_c_stream__` and the schema of a table.

    Raises:
        UsageError: A number does not fit into its column.
    """
    import nanoarrow

    arrays: list[Any] = []
    for column, values in zip(table.columns, table.values, strict=True):
        try:
            arrays.append(_array(values, column))
        except (OverflowError, ValueError) as error:
            raise UsageError(f"column {column.name} has a value that does not fit: {error}") from None
    schema = nanoarrow.struct({column.name: _type(column) for column in table.columns})
    rows = nanoarrow.c_array_from_buffers(schema, table.length, [None], children=arrays, null_count=0)
    return nanoarrow.c_array_stream(rows)


def _type(column: Column) -> Any:
    import nanoarrow

    if column.kind == "list":
        return nanoarrow.list_(_type(column.children[0]))
    if column.kind == "struct":
        return nanoarrow.struct({child.name: _type(child) for child in column.children})
    return {
        "text": nanoarrow.string(),
        "integer": nanoarrow.int64(),
        "number": nanoarrow.float64(),
        "boolean": nanoarrow.bool_(),
        "time": nanoarrow.timestamp("us", "UTC"),
    }[column.kind]


def _array(values: Sequence[Any], column: Column) -> Any:
    import nanoarrow

    kind = _type(column)
    if column.kind not in {"list", "struct", "time"}:
        return nanoarrow.c_array(values, kind)
    gaps = sum(value is None for value in values)
    present = nanoarrow.c_buffer([value is not None for value in values], nanoarrow.bool_()) if gaps else None
    children: list[Any] = []
    buffers: list[Any] = [present]
    if column.kind == "struct":
        children = [
            _array([None if value is None else value[child.name] for value in values], child)
            for child in column.children
        ]
    elif column.kind == "list":
        offsets = [0]
        items: list[Any] = []
        for value in values:
            items.extend(value or ())
            offsets.append(len(items))
        buffers.append(nanoarrow.c_buffer(offsets, nanoarrow.int32()))
        children = [_array(items, column.children[0])]
    else:
        buffers.append(nanoarrow.c_buffer([_ticks(value) for value in values], nanoarrow.int64()))
    return nanoarrow.c_array_from_buffers(kind, len(values), buffers, children=children, null_count=gaps)


def _ticks(value: datetime.datetime | None) -> int:
    if value is None:
        return 0
    # RFC 3339 has no time without an offset; pyarrow reads one as UTC, too.
    return ((value if value.tzinfo else value.replace(tzinfo=datetime.UTC)) - _EPOCH) // _MICROSECOND
