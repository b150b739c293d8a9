"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import body, identifier
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.records import CreateRecordBody, ObjectRecord, RecordResponse

OPERATION: Final[Operation[ObjectRecord]] = Operation(
    id="records_create",
    method="POST",
    path="/projects/{project_id}/object-records",
    retry="never",
    effect="write",
    section="Endpoints 3",
    settle="unique",
    look="wait a minute, since the request may still be on its way; then search the platform for the record, by its external_id if it has one, and create it again only if there is none",
    read=json_reader(RecordResponse, "record", exact=True),
)


def call(
    project_id: str | UUID,
    *,
    type_slug: str,
    data: Mapping[str, Any] | Unset = UNSET,
    external_id: str | UUID | Unset = UNSET,
    relations: Mapping[str, Any] | Unset = UNSET,
) -> Call[ObjectRecord]:
    """Create an object record.

    The arguments are `project_id` and those of `project.records.create`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 3.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/object-records",
        body(
            CreateRecordBody,
            type_slug=type_slug,
            data=data,
            external_id=identifier(external_id),
            relations=relations,
        ),
    )
