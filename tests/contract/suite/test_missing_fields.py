"""An expected field that a response lacks is recorded as a fact; no rule is violated."""

import json

import pytest

from project_platform_contract.operations import operations
from project_platform_contract.run.exit_code import ExitCode
from project_platform_contract.schema import missing_fields
from project_platform_stub.faults import status

OPERATIONS = {operation.id: operation for operation in operations()}
AGENT = {"id": "a", "projectId": "p", "name": None, "memoryFiles": [], "mcpServers": [{"name": "m"}]}
PAGE = {"agents": [AGENT], "pagination": {"limit": 1, "offset": 0, "hasMore": False}}


@pytest.mark.parametrize(
    ("operation", "body", "missing"),
    [
        ("calendar_busy", {"busy": [{"start": "s", "end": "e"}]}, set()),
        (
            "calendar_busy",
            {"busy": [{"start": "s"}, {"end": None}, {}]},
            {("BusyInterval.start", "absent"), ("BusyInterval.end", "absent"), ("BusyInterval.end", "null")},
        ),
        ("web_analytics_get_config", {"config": None}, set()),
        ("auth_check_permission", {"allowed": True}, set()),
        (
            "templates_apply",
            {"success": True, "data": {"project": None, "templateApply": {"status": "applied"}}},
            {("TemplateApplyResult.project", "null"), ("TemplateApply.report", "absent")},
        ),
        ("records_create", [], set()),
    ],
)
def test_missing_fields_are_found_at_any_depth(operation, body, missing):
    """Absent and null fields are distinguished; fields that are not expected are ignored."""
    assert missing_fields(OPERATIONS[operation], body) == missing


def test_a_missing_field_is_recorded_and_violates_no_rule(prove_on, served):
    served.stub.world.faults.plan("agents_list", [status(200, body=PAGE)] * 5)

    run = prove_on("-k", "agents-list and test_answers")

    facts = json.loads((run.folder / "facts.json").read_text("utf-8"))["facts"]
    seen = {key: fact["value"] for key, fact in facts.items() if key.startswith("missing.")}
    assert (run.code, run.verdicts["answers.agents-list"]) == (ExitCode.PROVEN, "proven"), run.out
    assert (seen["missing.Agent.name"], seen["missing.Agent.access"]) == ("null", "absent")
    assert seen["missing.McpServer.url"] == "absent"
    assert "missing.Agent.memoryFiles" not in seen
    assert "missing.Agent.description" not in seen


def test_the_stub_sends_every_expected_field(prove_on):
    """In its responses to valid requests."""
    run = prove_on("-k", "test_answers", "--allow", "irreversible", "--i-own", "127.0.0.1")

    facts = json.loads((run.folder / "facts.json").read_text("utf-8"))["facts"]
    assert "successStatus.templates_apply" in facts
    assert [key for key in facts if key.startswith("missing.")] == []
