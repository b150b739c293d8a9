"""Tables of pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    from .columns import Column, Table


def arrow_table(table: Table, pyarrow: Any) -> Any:
    """Return a `pyarrow.Table`.

    Args:
        table: The columns and their values.
        pyarrow: The package.

    Raises:
        UsageError: A number does not fit into its column.
    """
    kinds = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
    }

    def type_of(column: Column) -> Any:
        if column.kind == "list":
            return pyarrow.list_(type_of(column.children[0]))
        if column.kind == "struct":
            return pyarrow.struct([pyarrow.field(child.name, type_of(child)) for child in column.children])
        return kinds[column.kind]

    arrays: dict[str, Any] = {}
    for column, values in table:
        try:
            arrays[column.name] = pyarrow.array(values, type_of(column))
        except (OverflowError, ValueError) as error:
            raise UsageError(f"column {column.name} has a value that does not fit: {error}") from None
    return pyarrow.table(arrays)
