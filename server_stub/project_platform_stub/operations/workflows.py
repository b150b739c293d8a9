"""Endpoints 2: create workflow. The dispatcher refuses service accounts."""

from __future__ import annotations

from project_platform_stub.contract import load_contract
from project_platform_stub.world.domain import Json
from project_platform_stub.world.store import Project

from . import Call, Result, operation

# Assumed: new integrations activate through workflow drafts, so a new workflow is inactive.
_DEFAULTS: Json = {"tags": [], "actions": [], "isActive": False}
_GIVEN, _WORKFLOW = map(load_contract().schema_fields, ("CreateWorkflowBody", "Workflow"))


@operation("workflows_create", *_GIVEN)
def create(call: Call) -> Result:
    """Create a workflow; it is inactive unless the caller says otherwise."""
    return Result({"workflow": add_workflow(call, call.project, call.body)})


def add_workflow(call: Call, project: Project, body: Json) -> Json:
    """Add a workflow to a project, and return it."""
    values = {
        **_DEFAULTS,
        **body,
        "id": call.world.new_id("wf"),
        "projectId": project.id,
        "revision": "1",
        "createdAt": call.timestamp,
        "updatedAt": call.timestamp,
    }
    workflow = {name: values.get(name) for name in _WORKFLOW}
    project.workflows[values["id"]] = workflow
    return workflow
