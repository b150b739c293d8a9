"""The edits in six files that add the operation `workflows.get`, with the places of the inserted text.

It reads by an identifier of a kind that no other operation has, and is refused with a new error code.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Insertion(NamedTuple):
    """Text to insert before the first line that begins with `anchor`; without an anchor the file is new."""

    file: str
    anchor: str | None
    text: str


OPERATION = """\
  /projects/{projectId}/workflows/{workflowId}:
    get:
      operationId: workflows_get
      tags: [Workflows]
      summary: Get a workflow.
      description: The workflow as it was created.
      x-example:
        before: |
          created = project.workflows.create(
              name="Welcome", trigger_type_slug="record", trigger_event_type="created"
          )
        call: |
          workflow = project.workflows.get(created.id)
        after: |
          print(workflow.name)
      x-sdk: {resource: workflows, method: get, unwrap: workflow, retry: safe, effect: read, section: Endpoints 17}
      x-stub: {permission: workflows:read, x-assumed: Reading a workflow is assumed to read workflows.}
      parameters:
        - $ref: "#/components/parameters/ProjectId"
        - $ref: "#/components/parameters/WorkflowId"
      responses:
        2XX:
          description: The workflow.
          content:
            application/json:
              schema: {$ref: "#/components/schemas/WorkflowResponse"}
              example: {workflow: {id: wf_5900274f8e37, projectId: 9ffd041d-9eb6-4a48-bc1c-737f7ebde982, name: Welcome, description: null,
                tags: [], triggerTypeSlug: record, triggerEventType: created, actions: [], triggerCondition: null, isActive: false,
                revision: '1', createdAt: '2026-11-22T09:00:00.000000Z', updatedAt: '2026-11-22T09:00:00.000000Z'}}
        "400": {$ref: "#/components/responses/BadRequest"}
        "401": {$ref: "#/components/responses/Unauthorized"}
        "403": {$ref: "#/components/responses/Forbidden"}
        "404": {$ref: "#/components/responses/NotFound"}

"""

PARAMETER = """\
    WorkflowId:
      name: workflowId
      in: path
      required: true
      description: Identifier of the workflow.
      schema: {type: string}
"""

IMPORT = "from ..http.errors import not_found\n"

HANDLER = '''\
@operation("workflows_get")
def get(call: Call) -> Result:
    """Return a workflow."""
    workflow = call.project.workflows.get(call.path["workflowId"])
    if workflow is None:
        raise not_found("The project has no such workflow.", "workflow_not_found")
    return Result({"workflow": workflow})


'''

RULE = "| workflows.get.found | A workflow is returned as it was created. | | expected: Endpoints 17 | workflows_get | write |\n"
RESPONSE = "| workflows_get | Response: `{workflow: Workflow}`. | |\n"

RULE_TEST = '''\
"""Endpoints 17: get a workflow."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.run.api import Api, Fact

from .support.reading import refused
from .support.valid_requests import ValidRequests, valid_request


@valid_request("workflows_get")
def _get_a_workflow(requests: ValidRequests) -> dict[str, Any]:
    return {"workflowId": requests.created("workflows_create", "workflow")}


@pytest.mark.rule("workflows.get.found")
def test_a_workflow_is_returned_as_it_was_created(api: Api, valid_requests: ValidRequests, fact: Fact) -> None:
    created = api("workflows_create", json=valid_requests.workflow()).json()["workflow"]
    api("workflows_create", json=valid_requests.workflow())

    response = api("workflows_get", workflowId=created["id"])

    assert response.is_success
    assert response.json()["workflow"] == created
    assert refused(api("workflows_get", workflowId=f"{created['id']}x"))
    fact("successStatus.workflows_get", response.status_code, response)
'''

WIRE = """\
    "workflows_get": (
        ("workflows.get", ["w 1"], {}),
        ("GET", f"{P}/workflows/w%201", b""),
        {"workflow": {"id": "w 1", "name": "Größe"}},
        lambda result: result.name == "Größe",
    ),
"""

CHANGE = "- `project.workflows.get` returns a workflow.\n"

STUB = "server_stub/project_platform_stub/operations/workflows.py"
EDITS = (
    Insertion("openapi.yaml", "  /projects/{projectId}/object-records:", OPERATION),
    Insertion("openapi.yaml", "    RecordId:", PARAMETER),
    Insertion(STUB, "from . import Call, Result, operation", IMPORT),
    Insertion(STUB, "@operation(", HANDLER),
    Insertion("sdk/project_platform_contract/rules/rules.md", "| labels.export", RULE),
    Insertion("sdk/project_platform_contract/rules/rules.md", "| labels_export", RESPONSE),
    Insertion("sdk/project_platform_contract/suite/test_workflows_get.py", None, RULE_TEST),
    Insertion("tests/sdk/test_wire.py", '    "records_create": (', WIRE),
    Insertion("CHANGELOG.md", "- A pytest plugin", CHANGE),
)


def apply(root: Path) -> set[str]:
    """Apply the edits to a copy of the repository, and return the names of the files."""
    for file, anchor, text in EDITS:
        path = root / file
        if anchor is None:
            path.write_text(text, "utf-8")
            continue
        lines = path.read_text("utf-8").splitlines(keepends=True)
        place = next(number for number, line in enumerate(lines) if line.startswith(anchor))
        path.write_text("".join([*lines[:place], text, *lines[place:]]), "utf-8")
    return {edit.file for edit in EDITS}
