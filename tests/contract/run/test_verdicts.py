"""Verdicts: what tests say of rules, taken together."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from project_platform_contract.rules import RULES
from project_platform_contract.run.verdicts import UNFINISHED, Finding, Verdicts

RULE, OTHER = "agents.list.limit-range", "answers.agents-list"


def report(outcome, when="call", *, test="test_x", rules=(RULE,), said="", **properties):
    """Return a report of a test."""
    told = [("contract-rules", json.dumps(list(rules)))]
    told += [(f"contract-{name}", json.dumps(value)) for name, value in properties.items()]
    longrepr = ("file", 1, f"Skipped: {said}") if outcome == "skipped" else said
    return pytest.TestReport(test, ("file", 1, test), {}, outcome, longrepr, when, user_properties=told)


def verdicts(*reports, expected=()):
    """Return the verdicts of some reports."""
    taken = Verdicts()
    for test in expected:
        taken.expect(test, [RULE])
    for each in reports:
        taken.add(each)
    return taken


def test_a_rule_is_proven_when_all_its_tests_passed():
    """Setup and teardown that pass say nothing."""
    reports = [report("passed", when, test=test) for test in ("a", "b") for when in ("setup", "call", "teardown")]

    finding = verdicts(*reports, expected=["a", "b"]).findings[RULE]

    assert (finding.verdict, finding.why, finding.passed) == ("proven", None, ["a", "b"])


def test_one_test_that_fails_violates_the_rule():
    """Whatever the others say, and whatever was not run."""
    exchanges = [{"request": "GET /", "status": 500}]
    taken = verdicts(
        report("passed", test="a"),
        report("failed", test="b", said="E   assert 500 == 200", exchanges=exchanges),
        report("skipped", "setup", test="c", said="missing"),
    )

    finding = taken.findings[RULE]
    assert (finding.verdict, finding.why) == ("violated", None)
    assert finding.failed == [{"test": "b", "said": "E   assert 500 == 200", "exchanges": exchanges}]
    assert taken.of("violated") == [RULE]


def test_half_a_proof_is_none():
    """One of two tests was not run: neither was the rule, and it is told how much of it was."""
    finding = verdicts(
        report("passed", test="a"), report("skipped", test="b", said="the data file has no 'x'")
    ).findings[RULE]

    assert finding.verdict == "not run"
    assert finding.why == "the data file has no 'x' (1 of its 2 tests passed)"


def test_a_test_that_never_came_is_not_run():
    """The run ended before, or a worker crashed."""
    finding = verdicts(report("passed", test="a"), expected=["a", "b"]).findings[RULE]

    assert finding.verdict == "not run"
    assert finding.why == f"{UNFINISHED} (1 of its 2 tests passed)"


def test_a_rule_without_a_test_is_not_run():
    """It says so."""
    assert Finding().verdict == "not run"
    assert Finding().why == "it has no test"


def test_a_test_that_was_not_selected_leaves_its_rule_not_run():
    """Another expression would have run it."""
    taken = verdicts(report("passed", test="a"))
    taken.deselect("b", [RULE])

    assert taken.findings[RULE].why == "not selected (1 of its 2 tests passed)"


def test_what_could_not_be_prepared_says_nothing_of_the_rule():
    """The rule is not run, and the test is told as broken: it is not passed over."""
    taken = verdicts(
        report("failed", "setup", said="x.py:1: in x\nE   AssertionError: no record could be created: 403")
    )

    assert taken.findings[RULE].why == "it could not be prepared: AssertionError: no record could be created: 403"
    assert [(each["test"], each["when"]) for each in taken.broken] == [("test_x", "setup")]


def test_what_could_not_be_put_back_is_told():
    """The rule is proven, and the test is broken."""
    taken = verdicts(report("passed"), report("failed", "teardown", said="E   it could not be put back"))

    assert taken.findings[RULE].verdict == "proven"
    assert [(each["test"], each["when"]) for each in taken.broken] == [("test_x", "teardown")]


def test_a_failure_of_no_rule_is_told():
    """A worker that crashed tells no rules."""
    crashed = pytest.TestReport("gw0", ("gw0", None, "gw0"), {}, "failed", "worker 'gw0' crashed", "???")

    assert verdicts(crashed).broken == [{"test": "gw0", "when": "???", "said": "worker 'gw0' crashed"}]


def test_an_answer_that_breaks_the_contract_violates_the_rule_of_answers():
    """In a test of another rule, whether that passes or not."""
    exchange = {"request": "GET /", "status": 200}
    taken = verdicts(
        report("passed"), report("passed", "teardown", answer=["agents_list", "agents: 5 is not of type", exchange])
    )

    assert taken.findings[RULE].verdict == "proven"
    assert taken.findings[OTHER].failed == [
        {"test": "test_x", "said": "agents: 5 is not of type", "exchanges": [exchange]}
    ]


def test_facts_are_kept_as_they_were_seen():
    """Once for each time."""
    seen = {"value": 50, "at": "2026-11-21T09:00:00+00:00", "request_id": None}
    taken = verdicts(
        report("passed", fact=["defaultLimit", seen]), report("passed", "teardown", fact=["defaultLimit", seen])
    )

    assert taken.facts == {"defaultLimit": [seen]}
    assert taken.of("not run") == [id for id in RULES if id != RULE]


OWN_RULES = """
import pytest

@pytest.fixture
def nothing(api):
    assert api("records_create", json={"typeSlug": 5}).is_success, "there is no such type"

@pytest.mark.rule("agents.list.limit-range")
def test_that_cannot_be_prepared(nothing):
    pass

@pytest.fixture
def changed():
    yield
    raise RuntimeError("it could not be put back")

@pytest.mark.rule("agents.list.all")
def test_that_cannot_be_put_back(api, changed):
    assert api("agents_list").is_success

@pytest.mark.rule("agents.list.pages")
def test_that_lacks_something(data):
    data["no_such_member"]

@pytest.fixture
def lacking(data):
    return data["no_such_member_either"]

@pytest.mark.rule("agents.list.offset-range")
def test_that_lacks_something_before(lacking):
    pass
"""


def test_a_test_that_cannot_do_its_work_fails_the_run(tmp_path):
    """Nothing of it counts as a violation, and nothing is passed over."""
    ids = [id for id in RULES if id.startswith("agents.list.")][:4]
    text = OWN_RULES
    for old, new in zip(
        ("agents.list.limit-range", "agents.list.all", "agents.list.pages", "agents.list.offset-range"),
        ids,
        strict=True,
    ):
        text = text.replace(f'"{old}"', f'"{new}"')
    (tmp_path / "test_own.py").write_text(text, "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "project_platform_contract.run.plugin",
    ]

    run = subprocess.run(
        [*command, "--contract-report", "report"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    told = json.loads((tmp_path / "report" / "report.json").read_text("utf-8"))
    why = {rule["id"]: rule["why"] for rule in told["rules"]}
    assert run.returncode == 1
    assert told["exit_code"] == 1
    assert told["counts"]["violated"] == 0
    assert why[ids[0]].startswith("it could not be prepared: AssertionError: there is no such type")
    assert why[ids[1]] is None
    assert why[ids[2]] == "the data file has no 'no_such_member'"
    assert why[ids[3]] == "the data file has no 'no_such_member_either'"
    assert {each["when"] for each in told["broken"]} == {"setup", "teardown"}
    assert "BROKEN" in run.stdout
