"""The edits in six files that add the operation `records.delete`, with the places of the inserted text."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Insertion(NamedTuple):
    """Text to insert before the first line that begins with `anchor`; without an anchor the file is new."""

    file: str
    anchor: str | None
    text: str


OPERATION = """\
    delete:
      operationId: records_delete
      tags: [CRM]
      summary: Delete an object record.
      description: Deletes the record permanently. The response for a record that does not exist is a 404.
      x-example:
        before: |
          record = project.records.create(type_slug="deal", data={"stage": "lost"})
        call: |
          deleted = project.records.delete(record.id)
        after: |
          print(deleted)
      x-sdk: {resource: records, method: delete, unwrap: success, retry: safe, effect: irreversible, section: Endpoints 17,
        look: "delete it again: a 404 means that it was deleted"}
      x-stub: {permission: crm_objects:write, x-assumed: A deletion is assumed to be a write.}
      parameters:
        - $ref: "#/components/parameters/ProjectId"
        - $ref: "#/components/parameters/RecordId"
      responses:
        2XX:
          description: Whether the record was deleted.
          content:
            application/json:
              schema: {$ref: "#/components/schemas/RecordDeletion"}
        "400": {$ref: "#/components/responses/BadRequest"}
        "401": {$ref: "#/components/responses/Unauthorized"}
        "403": {$ref: "#/components/responses/Forbidden"}
        "404": {$ref: "#/components/responses/NotFound"}

"""

SCHEMA = """\
    RecordDeletion:
      type: object
      description: The response to a deletion.
      required: [success]
      properties:
        success: {type: boolean, description: Whether the record was deleted.}

"""

HANDLER = '''\
@operation("records_delete")
def delete(call: Call) -> Answer:
    """Delete a record, its relations, and references to it as a person."""
    id = call.path["recordId"]
    if id not in call.project.records:
        raise not_found("The project has no such record.", "record_not_found")
    del call.project.records[id]
    del call.project.relations[id]
    for other in call.project.records.values():
        if other["personRefId"] == id:
            call.project.records[other["id"]] = {**other, "personRefId": None}
    return Answer({"success": True})


'''

RULE = """\
_DELETE = (
    Rule(
        "records.delete.gone",
        "A deleted record can be neither updated nor deleted again.",
        "Endpoints 17",
        "records_delete",
        "irreversible",
    ),
)

"""

RULE_TEST = '''\
"""Endpoints 17: delete object records."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run
from project_platform_contract.suite.support.records import Records
from project_platform_contract.suite.support.reading import refused
from project_platform_contract.suite.support.valid_requests import ValidRequests, valid_request


@valid_request("records_delete")
def _delete_a_record(requests: ValidRequests) -> dict[str, Any]:
    return {"recordId": requests.new_record()}


@pytest.mark.rule("records.delete.gone")
def test_a_deleted_record_is_gone(api: Api, contract_run: Run, fact: Fact) -> None:
    """Updates and deletions of a deleted record are refused."""
    records = Records(api, contract_run)
    record = records.create()

    response = api("records_delete", recordId=record["id"])

    assert response.is_success
    assert response.json() == {"success": True}
    assert refused(records.update(record, data={}))
    assert refused(api("records_delete", recordId=record["id"]))
    fact("successStatus.records_delete", response.status_code, response)
'''

WIRE = """\
    "records_delete": (
        ("records.delete", ["r 1"], {}),
        ("DELETE", f"{P}/object-records/r%201", b""),
        {"success": True},
        lambda result: result is True,
    ),
"""

CHANGE = "- `project.records.delete` deletes an object record.\n"

EDITS = (
    Insertion("openapi.yaml", "  /projects/{projectId}/calendar/provider/events:", OPERATION),
    Insertion("openapi.yaml", "    Permission:", SCHEMA),
    Insertion("server_stub/project_platform_stub/operations/records.py", "def _holds", HANDLER),
    Insertion("sdk/project_platform_contract/rules/records.py", "RULES = ", RULE),
    Insertion("sdk/project_platform_contract/suite/test_records_delete.py", None, RULE_TEST),
    Insertion("tests/sdk/test_wire.py", '    "calendar_book": (', WIRE),
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
    rules = root / "sdk/project_platform_contract/rules/records.py"
    rules.write_text(rules.read_text("utf-8").replace("RULES = (", "RULES = (*_DELETE, "), "utf-8")
    return {edit.file for edit in EDITS}
