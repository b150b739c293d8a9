"""Verdicts, derived from the reports of tests."""

import json

import pytest

from project_platform_contract.rules import RULES
from project_platform_contract.run.verdicts import UNFINISHED, Verdicts

RULE, OTHER = "agents.list.limit-range", "answers.agents-list"


def report(outcome, when="call", *, test="test_x", rules=(RULE,), said="", **properties):
    attached = json.dumps({"rules": rules, **properties})
    longrepr = ("file", 1, f"Skipped: {said}") if outcome == "skipped" else said
    return pytest.TestReport(test, ("file", 1, test), {}, outcome, longrepr, when, contract=attached)


def verdicts(*reports, expected=()):
    collected = Verdicts()
    for test in expected:
        collected.expect(test, [RULE])
    for test_report in reports:
        collected.add(test_report)
    return collected


def test_a_rule_is_proven_when_all_its_tests_passed():
    """Setup and teardown that pass have no influence."""
    reports = [report("passed", when, test=test) for test in ("a", "b") for when in ("setup", "call", "teardown")]

    finding = verdicts(*reports, expected=["a", "b"]).findings[RULE]

    assert (finding.verdict, finding.why, finding.passed) == ("proven", None, ["a", "b"])


def test_one_test_that_fails_violates_the_rule():
    """Whatever the others did."""
    exchanges = [{"request": "GET /", "status": 500}]
    collected = verdicts(
        report("passed", test="a"),
        report("failed", test="b", said="E   assert 500 == 200", exchanges=exchanges),
        report("skipped", "setup", test="c", said="missing"),
    )

    finding = collected.findings[RULE]
    assert (finding.verdict, finding.why) == ("violated", None)
    assert finding.failed == [{"test": "b", "said": "E   assert 500 == 200", "exchanges": exchanges, "omitted": 0}]
    assert finding.checked == 2
    assert collected.of("violated") == [RULE]


@pytest.mark.parametrize(
    ("reports", "expected", "why"),
    [
        ([report("passed", test="a"), report("skipped", test="b", said="no x")], [], "no x (1 of 2 tests passed)"),
        ([report("passed", test="a")], ["a", "b"], f"{UNFINISHED} (1 of 2 tests passed)"),
        ([report("failed", "setup", said="x.py:1: in x\nE   AssertionError: 403")], [], "the setup failed: AssertionError: 403"),
        ([], [], "the rule has no test"),
    ],
)  # fmt: skip
def test_a_rule_with_a_test_that_was_not_run_is_not_run(reports, expected, why):
    """With the reason, and how many of its tests passed. A failed setup makes the test broken, besides."""
    collected = verdicts(*reports, expected=expected)

    assert (collected.findings[RULE].verdict, collected.findings[RULE].why) == ("not run", why)
    assert [broken["when"] for broken in collected.broken] == (["setup"] if "setup" in why else [])


def test_a_rule_with_a_deselected_test_is_not_run():
    collected = verdicts(report("passed", test="a"))
    collected.deselect("b", [RULE])

    assert collected.findings[RULE].why == "not selected (1 of 2 tests passed)"


def test_a_failed_teardown_makes_the_test_broken():
    """The rule is proven nevertheless."""
    collected = verdicts(report("passed"), report("failed", "teardown", said="E   it could not be restored"))

    assert collected.findings[RULE].verdict == "proven"
    assert [(broken["test"], broken["when"]) for broken in collected.broken] == [("test_x", "teardown")]


def test_a_failure_without_a_rule_is_broken():
    """The report of a worker that crashed has no rules."""
    crashed = pytest.TestReport("gw0", ("gw0", None, "gw0"), {}, "failed", "worker 'gw0' crashed", "???")

    assert verdicts(crashed).broken == [{"test": "gw0", "when": "???", "said": "worker 'gw0' crashed"}]


def test_a_nonconforming_response_violates_the_rule_of_responses():
    """Whatever the test was about."""
    exchange = {"request": "GET /", "status": 200}
    collected = verdicts(
        report("passed"),
        report("passed", "teardown", responses=[["agents_list", "agents: 5 is not of type", exchange]]),
    )

    assert collected.findings[RULE].verdict == "proven"
    assert collected.findings[OTHER].failed == [
        {"test": "test_x", "said": "agents: 5 is not of type", "exchanges": [exchange], "omitted": 0}
    ]


def test_a_rule_about_each_response_counts_them_all():
    """Whatever the requests were sent for."""
    collected = verdicts(
        report("passed"),
        report("passed", "teardown", checked={OTHER: 12}),
        report("passed", test="b", rules=[OTHER]),
        report("passed", "teardown", test="b", checked={OTHER: 1}),
    )

    assert collected.findings[RULE].checked == 1
    assert collected.findings[OTHER].checked == 14


def test_every_observation_of_a_fact_is_stored():
    seen = {"value": 50, "at": "2026-11-21T09:00:00+00:00", "request_id": None}
    collected = verdicts(
        report("passed", facts=[["defaultLimit", seen]]), report("passed", "teardown", facts=[["defaultLimit", seen]])
    )

    assert collected.facts == {"defaultLimit": [seen]}
    assert collected.of("not run") == [id for id in RULES if id != RULE]


OWN_RULES = """
import pytest
from collections import Counter
from project_platform_contract.run.exchange import CHECKED

@pytest.fixture
def nothing(api):
    assert api("records_create", json={"typeSlug": 5}).is_success, "there is no such type"

@pytest.mark.rule("agents.list.limit-range")
def test_whose_setup_fails(nothing):
    pass

@pytest.fixture
def changed():
    yield
    raise RuntimeError("it could not be restored")

@pytest.mark.rule("agents.list.all")
def test_whose_teardown_fails(api, changed, request):
    assert api("agents_list").is_success
    request.node.stash[CHECKED] = Counter({"agents.list.all": 40})

@pytest.mark.rule("agents.list.pages")
def test_that_lacks_a_member(data):
    data["no_such_member"]

@pytest.fixture
def lacking(data):
    return data["no_such_member_either"]

@pytest.mark.rule("agents.list.offset-range")
def test_whose_setup_lacks_a_member(lacking):
    pass
"""


def test_a_broken_test_fails_the_run(run_tests, tmp_path):
    """But it violates no rule."""
    ids = [id for id, rule in RULES.items() if id.startswith("labels.export.") and not rule.inferred][:4]
    text = OWN_RULES
    for old, new in zip(("limit-range", "all", "pages", "offset-range"), ids, strict=True):
        text = text.replace(f'"agents.list.{old}"', f'"{new}"')

    run = run_tests(text)

    written = json.loads((tmp_path / "report" / "report.json").read_text("utf-8"))
    why = {rule["id"]: rule["why"] for rule in written["rules"]}
    assert run.returncode == 1
    assert written["exit_code"] == 1
    assert written["counts"]["violated"] == 0
    assert why[ids[0]].startswith("the setup failed: AssertionError: there is no such type")
    assert why[ids[1]] is None
    assert {rule["id"]: rule["checked"] for rule in written["rules"]}[ids[1]] == 41
    assert why[ids[2]] == "the data file has no member 'no_such_member'"
    assert why[ids[3]] == "the data file has no member 'no_such_member_either'"
    assert {broken["when"] for broken in written["broken"]} == {"setup", "teardown"}
    assert "BROKEN" in run.stdout


def test_a_run_that_stopped_at_an_inferred_difference_is_not_enough(run_tests, tmp_path):
    """With -x, the rules after it are not run."""
    inferred = next(id for id, rule in RULES.items() if rule.inferred)
    ids = [id for id, rule in RULES.items() if not rule.inferred][:3]
    text = "import pytest\n" + "".join(
        f'@pytest.mark.rule("{id}")\ndef test_{number}(): assert {id != inferred}\n'
        for number, id in enumerate([*ids[:2], inferred, ids[2]])
    )

    for arguments, code in ((("-x",), 3), ((), 0)):
        run_tests(text, "--contract-min-proven", "0", *arguments)

        written = json.loads((tmp_path / "report" / "report.json").read_text("utf-8"))
        assert (written["exit_code"], written["counts"]["violated"]) == (code, 0)
