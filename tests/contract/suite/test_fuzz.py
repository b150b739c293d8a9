"""Made-up requests: they are what they are said to be, and a stub that is not what the contract says is caught."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from project_platform_contract.operations import operations
from project_platform_contract.suite.support.fuzz import breaks, may_break, requests

TAG = "contract-tag"
FITTING = {
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


def made_up(operation, *, fit, count=40):
    """Return some made-up arguments of a call."""
    found = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(requests(operation, FITTING[operation], TAG, fit=fit))
    def take(made):
        found.append(made)

    take()
    return found


@pytest.mark.parametrize("operation", [each for each in FITTING if each != "agents_list"])
def test_made_up_requests_fit_or_break_as_they_should(operation):
    """Most that should fit do, and some that should break do; those that turn out otherwise are left out.

    How many break depends on the interpreter's hash seed, which Schemathesis's dice follow.
    """
    fitting = [breaks(operation, made) for made in made_up(operation, fit=True)]
    breaking = [breaks(operation, made) for made in made_up(operation, fit=False)]

    assert fitting.count(False) > 0.7 * len(fitting)
    assert breaking.count(True) > 0


def test_a_limit_is_broken_by_what_is_out_of_range():
    """And by what is no number."""
    assert [breaks("agents_list", {"query": {"limit": limit}}) for limit in (1, "100", 0, 101, "x", 1.5)] == [
        *(False, False),
        *(True, True, True, True),
    ]
    assert any(breaks("agents_list", made) for made in made_up("agents_list", fit=False))


def test_what_the_specification_leaves_open_is_not_broken():
    """Which fields are required is assumed, and whether null is a value is not shown."""
    assert not breaks("records_create", {"json": {}})
    assert not breaks("records_create", {"json": {"typeSlug": None}})
    assert breaks("records_create", {"json": {"typeSlug": 5}})
    assert breaks("records_create", {"json": []})
    assert not may_break("web_analytics_get_config")
    assert [each.id for each in operations() if may_break(each.id)] == list(FITTING)


@pytest.mark.parametrize("fit", [True, False])
@pytest.mark.parametrize("operation", ["calendar_book", "calendar_reschedule", "templates_apply", "workflows_create"])
def test_made_up_requests_reach_nobody(operation, fit):
    """No attendee, no address but those that were given, no other calendar, nothing that acts later by itself."""
    for made in made_up(operation, fit=fit):
        text = json.dumps(made).replace("acme@example.com", "")
        body = made.get("json")
        assert "@" not in text or operation == "workflows_create", "an inactive workflow writes to nobody"
        if isinstance(body, dict):
            assert body.keys().isdisjoint({"attendee", "calendarId"})
            assert body.get("isActive", False) is False
            assert body.get("notifyAttendees", False) is False


def test_what_is_made_up_is_named_with_the_tag():
    """Where it has a name that is its own."""
    names = [made["json"].get("name") for made in made_up("templates_apply", fit=True)]

    assert all(TAG in name for name in names if name and name != "x")
    assert any(TAG in name for name in names if name)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ('status(200, body={"agents": "none", "pagination": {}})', "agents: 'none' is not of type 'array'"),
        ("status(500)", "500"),
        ("status(302)", "status 302 is not documented"),
        ('status(200, body="[]", content_type="text/html")', "content type text/html"),
    ],
)
def test_an_answer_that_is_not_the_contracts_is_caught(tmp_path, answer, told):
    """To a request that nobody wrote."""
    (tmp_path / "breaking.py").write_text(
        "from project_platform_contract.run import target\n"
        "from project_platform_stub import Stub\n"
        "from project_platform_stub.faults import status\n"
        "import project_platform_stub\n"
        "class Broken(Stub):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        f"        self.world.faults.plan('agents_list', [{answer}] * 500)\n"
        "project_platform_stub.Stub = Broken\n",
        "utf-8",
    )

    run = subprocess.run(
        [sys.executable, "-m", "project_platform_contract.cli", "-k", "test_schema and agents", "--", "-p", "breaking"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 1, run.stdout + run.stderr
    assert "VIOLATED  schema.agents-list" in run.stdout
    assert told in (tmp_path / "contract-report" / "report.json").read_text("utf-8")


def test_no_made_up_requests_are_sent_where_none_are_wanted(prove):
    """Their rules are not run, and why."""
    run = prove("-k", "test_schema", "--fuzz", "0")

    assert {rule["why"] for rule in run.report["rules"] if rule["id"].startswith("schema.")} == {
        "no made-up requests are wanted (--fuzz 0)"
    }
