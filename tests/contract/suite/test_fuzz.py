"""Generated requests: they are valid or invalid as requested, harmless, and detect a stub that violates the contract."""

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from project_platform_contract.operations import operations
from project_platform_contract.request_schema import breaks, may_break
from project_platform_contract.run.exit_code import ExitCode
from project_platform_contract.suite.support.fuzz import requests
from project_platform_stub.faults import latency, status

TAG = "contract-tag"
VALID = {
    "workflows_create": {"json": {"name": "x", "triggerTypeSlug": "t", "triggerEventType": "e", "isActive": False}},
    "records_create": {"json": {"typeSlug": "deal"}},
    "records_update": {"recordId": "rec", "json": {"data": {}}},
    "calendar_book": {"json": {"start": "2031-03-03T09:00:00Z", "durationMinutes": 30, "summary": "x"}},
    "calendar_reschedule": {"eventId": "evt", "json": {"summary": "x", "notifyAttendees": False}},
    "sidebar_replace": {"json": {"sections": []}},
    "templates_apply": {"templateId": "t", "json": {"name": "x", "variableValues": {"mail": "acme@example.com"}}},
    "memory_update": {"slug": "welcome", "json": {}},
    "engagement_like": {"postId": "p", "json": {"accountId": "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"}},
    "agents_list": {},
    "labels_export": {"json": {"menuMonth": "2026-11"}},
}


def generate(operation, *, fit, count=40):
    """Return some generated arguments of a call."""
    found = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(requests(operation, VALID[operation], TAG, fit=fit))
    def collect(arguments):
        found.append(arguments)

    collect()
    return found


@pytest.mark.parametrize("operation", [operation for operation in VALID if operation != "agents_list"])
def test_generated_requests_are_valid_or_invalid_as_requested(operation):
    """Most and some of them, respectively; the tests of the rules discard the others.

    The share of invalid ones depends on the interpreter's hash seed, which seeds Schemathesis's random generator.
    """
    valid = [breaks(operation, arguments) for arguments in generate(operation, fit=True)]
    invalid = [breaks(operation, arguments) for arguments in generate(operation, fit=False)]

    assert valid.count(False) > 0.7 * len(valid)
    assert invalid.count(True) > 0


def test_a_limit_out_of_range_is_invalid():
    """As is one that is not a number."""
    assert [breaks("agents_list", {"query": {"limit": limit}}) for limit in (1, "100", 0, 101, "x", 1.5)] == [
        *(False, False),
        *(True, True, True, True),
    ]
    assert any(breaks("agents_list", arguments) for arguments in generate("agents_list", fit=False))


def test_what_the_specification_leaves_open_is_valid():
    """Required fields are assumptions, and the specification does not say whether null is a value."""
    assert not breaks("records_create", {"json": {}})
    assert not breaks("records_create", {"json": {"typeSlug": None}})
    assert breaks("records_create", {"json": {"typeSlug": 5}})
    assert breaks("records_create", {"json": []})
    assert not may_break("web_analytics_get_config")
    assert [operation.id for operation in operations() if may_break(operation.id)] == list(VALID)


@pytest.mark.parametrize("fit", [True, False])
@pytest.mark.parametrize("operation", ["calendar_book", "calendar_reschedule", "templates_apply", "workflows_create"])
def test_generated_requests_reach_no_person(operation, fit):
    """No attendee, no unknown address, no other calendar, and nothing that runs later."""
    for arguments in generate(operation, fit=fit):
        text = json.dumps(arguments).replace("acme@example.com", "")
        body = arguments.get("json")
        assert "@" not in text or operation == "workflows_create", "an inactive workflow sends no message"
        if isinstance(body, dict):
            assert body.keys().isdisjoint({"attendee", "calendarId"})
            assert body.get("isActive", False) is False
            assert body.get("notifyAttendees", False) is False


def test_generated_names_have_the_tag():
    names = [arguments["json"].get("name") for arguments in generate("templates_apply", fit=True)]

    assert all(TAG in name for name in names if name and name != "x")
    assert any(TAG in name for name in names if name)


@pytest.mark.parametrize(
    ("response", "message", "is_down"),
    [
        (status(200, body={"agents": "none", "pagination": {}}), "agents: 'none' is not of type 'array'", False),
        (status(500), "500", True),
        (status(302), "302", True),
        (status(200, body="[]", content_type="text/html"), "text/html", True),
    ],
)
def test_a_nonconforming_response_is_detected(prove_on, served, response, message, is_down):
    """An operation without a success is down, with the last response."""
    served.stub.world.faults.plan("agents_list", latency(0.0), [response] * 500)  # the first request begins the run

    run = prove_on("-k", "test_schema and agents")

    assert run.code == (ExitCode.DOWN if is_down else ExitCode.VIOLATED), run.out + run.err
    assert ("DOWN      agents.list" if is_down else "VIOLATED  schema.agents-list") in run.out
    assert message in json.dumps(run.report)


def test_fuzz_0_generates_no_requests(prove):
    """And their rules are not run."""
    run = prove("-k", "test_schema", "--fuzz", "0")

    assert {rule["why"] for rule in run.report["rules"] if rule["id"].startswith("schema.")} == {
        "no requests are generated (--fuzz 0)"
    }
