"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import body, identifier, segment
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ...errors import StalePreconditionError
from ...json_values.containment import fences
from ..models.records import ObjectRecord, RecordResponse, UpdateRecordBody

OPERATION: Final[Operation[ObjectRecord]] = Operation(
    id="records_update",
    method="PATCH",
    path="/projects/{project_id}/object-records/{record_id}",
    retry="fenced",
    effect="write",
    section="Endpoints 4",
    conflict=StalePreconditionError,
    settle="record",
    look="compare error.seen, or the record in the platform if there is none, with the update, and make a new change of that record if the values of the update are still wanted",
    read=json_reader(RecordResponse, "record", exact=True),
)


def call(
    project_id: str | UUID,
    record_id: str | UUID,
    *,
    data: Mapping[str, Any] | Unset = UNSET,
    external_id: str | UUID | None | Unset = UNSET,
    expected_data: Mapping[str, Any] | Unset = UNSET,
    expected_status: str | Unset = UNSET,
    relations: Mapping[str, Any] | Unset = UNSET,
) -> Call[ObjectRecord]:
    """Update parts of an object record, with optional preconditions.

    The arguments are `project_id` and those of `project.records.update`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 4.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/object-records/{segment('record_id', record_id)}",
        body(
            UpdateRecordBody,
            data=data,
            external_id=identifier(external_id),
            expected_data=expected_data,
            expected_status=expected_status,
            relations=relations,
        ),
        fences=fences(data or {}, expected_data or {}),
        result_id=str(record_id),
    )
