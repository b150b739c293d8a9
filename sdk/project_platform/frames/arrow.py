"""Tables of pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    import pyarrow

    from .columns import Column, Table


def arrow_table(table: Table) -> pyarrow.Table:
    """Return a table of pyarrow.

    Raises:
        UsageError: A number does not fit into its column.
    """
    import pyarrow

    arrays: dict[str, Any] = {}
    for column, values in zip(table.columns, table.values, strict=True):
        try:
            arrays[column.name] = pyarrow.array(values, _type(column))
        except (OverflowError, pyarrow.ArrowInvalid) as error:
            raise UsageError(f"column {column.name} has a value that does not fit: {error}") from None
    return pyarrow.table(arrays)


def _type(column: Column) -> Any:
    import pyarrow

    if column.kind == "list":
        return pyarrow.list_(_type(column.children[0]))
    if column.kind == "struct":
        return pyarrow.struct([pyarrow.field(child.name, _type(child)) for child in column.children])
    return {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
    }[column.kind]
