"""Endpoints 2: create workflow. That a service account is refused is decided in `permissions`."""

from __future__ import annotations

from . import operation
from .call import Call, Result

_FIELDS = (
    "name",
    "description",
    "tags",
    "triggerTypeSlug",
    "triggerEventType",
    "actions",
    "triggerCondition",
    "isActive",
)


@operation("workflows_create", *_FIELDS)
def create(call: Call) -> Result:
    """Create a workflow; it is inactive unless the caller says otherwise."""
    body = call.body
    workflow = {
        "id": call.world.ids.short("wf"),
        "projectId": call.project.id,
        "name": body["name"],
        "description": body.get("description"),
        "tags": body.get("tags", []),
        "triggerTypeSlug": body["triggerTypeSlug"],
        "triggerEventType": body["triggerEventType"],
        "actions": body.get("actions", []),
        "triggerCondition": body.get("triggerCondition"),
        # Assumed: new integrations activate through workflow drafts, so a new workflow is inactive.
        "isActive": body.get("isActive", False),
        "revision": "1",
        "createdAt": call.timestamp,
        "updatedAt": call.timestamp,
    }
    call.project.workflows[workflow["id"]] = workflow
    return Result({"workflow": workflow})
