"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import body
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.create_workflow_body import CreateWorkflowBody
from ..models.workflow import Workflow
from ..models.workflow_response import WorkflowResponse

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

    The caller must be a real user: a service account is refused, because the executor needs one unambiguous principal
    when it dispatches. New integrations should use the workflow-drafts resource and activate a workflow only after
    its readiness was reviewed; `is_active` remains for backward compatibility.

    Never sent again once it may have arrived: a lost response raises `OutcomeUnknownError`.

    Args:
        project_id: The project that is the scope of the call.
        name: Name, 1 to 200 characters.
        trigger_type_slug: Slug of the trigger's type, 1 to 120 characters.
        trigger_event_type: Type of the triggering event, 1 to 120 characters; the possible types are not shown.
        actions: What the workflow does; the shape of an element is not shown.
        description: Description, at most 1000 characters.
        tags: At most 12 tags, each 1 to 40 characters.
        trigger_condition: Condition on the trigger; any JSON, its shape is not shown.
        is_active: Exists for backward compatibility; activate a workflow through workflow drafts.

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
