"""Rows of a table as creates of records, one at a time: for bulk runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from .._generated.models.object_record import ObjectRecord
from .._generated.operations import records_create
from ..calls.operation import Call, Unset
from ..calls.rows import calls_of_rows, check_columns
from ..errors import UsageError
from ..frames.rows import Missing, Rows
from ..frames.rows import rows as frame_rows


def creates(
    project_id: str,
    rows: Rows,
    *,
    type_slug: str | None,
    external_id_column: str | None,
    columns: Mapping[str, str] | None,
    missing: Missing | Unset,
) -> Iterator[Call[ObjectRecord]]:
    """Return the creates of rows; see `RecordsResource.creates`."""
    mappings = cast("Iterable[Mapping[str, Any]]", rows)
    if not isinstance(missing, Unset):
        mappings = frame_rows(rows, missing=missing)
    if type_slug is None:
        if external_id_column is not None or columns is not None:
            raise UsageError(
                "external_id_column and columns are about the columns of a table; give type_slug as well, or leave them out"
            )
        return calls_of_rows(records_create.call, mappings, project_id)
    with_null = missing == "null"
    check_columns(rows, [*([] if external_id_column is None else [external_id_column]), *(columns or ())])
    arguments = (
        _arguments(number, row, type_slug, external_id_column, columns, with_null=with_null)
        for number, row in enumerate(mappings)
    )
    return calls_of_rows(records_create.call, arguments, project_id)


def _arguments(
    number: int,
    row: Mapping[str, Any],
    type_slug: str,
    external_id_column: str | None,
    columns: Mapping[str, str] | None,
    *,
    with_null: bool,
) -> dict[str, Any]:
    cells = {name: value for name, value in row.items() if with_null or value is not None}
    arguments: dict[str, Any] = {"type_slug": type_slug}
    if external_id_column is not None:
        arguments["external_id"] = cells.pop(external_id_column, None)
    if columns is not None:
        named = {key: cells[column] for column, key in columns.items() if column in cells}
        if not named and arguments.get("external_id") is None:
            raise UsageError(
                f"row {number} has none of the columns {', '.join(columns)}; it has {', '.join(map(str, cells)) or 'nothing'}"
            )
        cells = named
    return {**arguments, "data": cells}
