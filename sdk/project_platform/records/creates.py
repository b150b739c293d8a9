"""Rows of a table as creates of records, one at a time: for bulk runs."""

from __future__ import annotations

import functools
import numbers
from collections.abc import Iterable, Mapping
from typing import Any, cast

from .._generated.models.records import ObjectRecord
from .._generated.operations import records_create
from ..calls.operation import Call, Unset
from ..calls.rows import RowCalls, call_of_row, calls_of_rows, check_columns, checked_mapping
from ..errors import UsageError
from ..frames.rows import Missing, Rows, is_frame
from ..frames.rows import rows as frame_rows
from ..json_values.exact_json import is_object
from ..json_values.foreign import is_gap


def creates(
    project_id: str,
    rows: Rows,
    *,
    type_slug: str | None,
    external_id_column: str | None,
    columns: Mapping[str, str] | None,
    missing: Missing | Unset,
) -> RowCalls[Call[ObjectRecord]]:
    """Return the creates of rows; see `RecordsResource.creates`."""
    mappings = cast("Iterable[Mapping[str, Any]]", rows)
    if isinstance(missing, Unset) and is_frame(rows):
        missing = "omit"
    if not isinstance(missing, Unset):
        mappings = frame_rows(rows, missing=missing)
    if type_slug is None:
        if external_id_column is not None or columns is not None:
            raise UsageError(
                "external_id_column and columns are about the columns of a table; give type_slug as well, or leave them out"
            )
        calls = calls_of_rows(records_create.call, mappings, project_id)
        calls.identify = functools.partial(_name_in, "external_id")
        return calls
    check_columns(mappings, columns or {}, external_id=external_id_column)
    table = _Table(project_id, type_slug, external_id_column, columns, with_null=missing == "null")
    return RowCalls(
        mappings,
        table.create,
        scope=(project_id, type_slug, external_id_column, columns and dict(columns), missing == "null"),
        identify=None if external_id_column is None else functools.partial(_name_in, external_id_column),
    )


def _name_in(column: str, row: Any) -> str | None:
    value = _identifier(row.get(column)) if is_object(row) else None
    return None if value is None else str(value)


def _identifier(value: object) -> object:
    """Return an identifier as it is sent: frames have integers. None is a gap, and so is the empty cell of `csv.DictReader`."""
    if isinstance(value, bool):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    return None if value == "" or is_gap(value) else value


class _Table:
    """The columns and options with which the rows of a table become creates."""

    def __init__(
        self,
        project_id: str,
        type_slug: str,
        external_id_column: str | None,
        columns: Mapping[str, str] | None,
        *,
        with_null: bool,
    ) -> None:
        self._project_id, self._type_slug = project_id, type_slug
        self._external_id_column, self._columns, self._with_null = external_id_column, columns, with_null

    def create(self, number: int, row: Any) -> Call[ObjectRecord]:
        """Return the create of a row.

        Raises:
            UsageError: The row cannot be sent; the message has its position.
        """
        row = checked_mapping(number, row)
        cells = {name: value for name, value in row.items() if self._with_null or value is not None}
        arguments: dict[str, Any] = {"type_slug": self._type_slug}
        if (column := self._external_id_column) is not None:
            arguments["external_id"] = name = _identifier(cells.get(column))
            if isinstance(name, float):
                raise UsageError(
                    f"row {number} has the number {name} in {column!r}, the column of the external identifier; read the column as text, as "
                    "pandas does with dtype=str: with a gap in it, integers become floats"
                )
            if name is None:
                raise UsageError(
                    f"row {number} has no value in {column!r}, the column of the external identifier; give one"
                )
            if column not in (self._columns or ()):
                del cells[column]
        if (columns := self._columns) is not None:
            named = {key: cells[column] for column, key in columns.items() if column in cells}
            if not named and column is None:
                raise UsageError(
                    f"row {number} has none of the columns {', '.join(columns)}; it has {', '.join(map(str, cells)) or 'nothing'}"
                )
            cells = named
        return call_of_row(records_create.call, _ARGUMENTS, (self._project_id,), number, {**arguments, "data": cells})


_ARGUMENTS = ["type_slug", "data", "external_id", "relations"]
