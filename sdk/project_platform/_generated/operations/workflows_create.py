"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import body
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.workflows import CreateWorkflowBody, Workflow, WorkflowResponse

OPERATION: Final[Operation[Workflow]] = Operation(
    id="workflows_create",
    method="POST",
    path="/projects/{project_id}/workflows",
    retry="never",
    effect="write",
    section="Endpoints 2",
    look="wait a minute, since the request may still be on its way; then search the platform for a workflow with this name, and create it again only if there is none",
    read=json_reader(WorkflowResponse, "workflow", exact=True),
)


def call(
    project_id: str | UUID,
    *,
    name: str,
    trigger_type_slug: str,
    trigger_event_type: str,
    actions: Sequence[Any] | Unset = UNSET,
    description: str | Unset = UNSET,
    tags: Sequence[str] | Unset = UNSET,
    trigger_condition: Any | Unset = UNSET,
    is_active: bool | Unset = UNSET,
) -> Call[Workflow]:
    """Create a workflow.

    The arguments are `project_id` and those of `project.workflows.create`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 2.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/workflows",
        body(
            CreateWorkflowBody,
            name=name,
            trigger_type_slug=trigger_type_slug,
            trigger_event_type=trigger_event_type,
            actions=actions,
            description=description,
            tags=tags,
            trigger_condition=trigger_condition,
            is_active=is_active,
        ),
    )
