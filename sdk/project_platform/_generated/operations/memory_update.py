"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import body, segment
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.memory import MemoryEntry, MemoryResponse, UpdateMemoryBody

OPERATION: Final[Operation[MemoryEntry]] = Operation(
    id="memory_update",
    method="PATCH",
    path="/projects/{project_id}/memory-entries/{slug}",
    retry="safe",
    effect="write",
    section="Endpoints 10",
    settle="memory",
    look="compare error.seen, or the entry in the platform if there is none, with the update, and update the entry again if the values of the update are still wanted",
    read=json_reader(MemoryResponse, "entry", exact=True),
)


def call(
    project_id: str | UUID,
    slug: str,
    *,
    title: str | None | Unset = UNSET,
    description: str | None | Unset = UNSET,
    content: str | None | Unset = UNSET,
    metadata: Mapping[str, Any] | None | Unset = UNSET,
) -> Call[MemoryEntry]:
    """Update a memory entry, addressed by its slug.

    The arguments are `project_id` and those of `project.memory.update`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 10.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/memory-entries/{segment('slug', slug)}",
        body(
            UpdateMemoryBody,
            title=title,
            description=description,
            content=content,
            metadata=metadata,
        ),
    )
