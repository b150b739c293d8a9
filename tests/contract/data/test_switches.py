"""Rules that the specification does not state: inferred ones are reported apart and can be switched, expected ones can be waived."""

import re
from functools import partial

import pytest
import yaml

from project_platform_contract.data.data_file import load_data
from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub.faults import status

LENIENT = [status(200, body={"agents": [], "pagination": {"limit": 1, "offset": 0, "hasMore": False}})] * 30


@pytest.fixture
def run_on(prove_on, served, tmp_path):
    """Returns a function that runs a test, with members of the data file, on a service whose lists of agents are replaced."""

    def run_on(pages, *arguments, **members):
        served.stub.world.faults.plan("agents_list", pages)
        values = yaml.safe_load((tmp_path / "data.yaml").read_text("utf-8")) | members
        (tmp_path / "data.yaml").write_text(yaml.safe_dump(values), "utf-8")
        return prove_on("-k", *arguments)

    return run_on


@pytest.fixture
def run_lenient(run_on):
    """Returns a function that proves `agents.list.integers` on a service that ignores invalid limits."""
    return partial(run_on, LENIENT, "agents.list.integers")


def test_an_inferred_rule_that_differs_is_reported_apart(run_lenient):
    """The deployment may be correct, so the run does not fail."""
    run = run_lenient()

    differing = [rule["id"] for rule in run.report["inferred"] if rule["verdict"] == "violated"]
    assert differing == ["agents.list.integers"]
    assert "agents.list.integers" not in {rule["id"] for rule in run.report["rules"]}
    assert run.report["counts"]["violated"] == 0
    assert run.report["counts"]["inferred"]["violated"] == 1
    assert "VIOLATED" not in run.out
    assert "differs   agents.list.integers (inferred, " in run.out
    assert "## Inferred rules that differ" in (run.folder / "report.md").read_text("utf-8")
    assert "Inferred rules that differ" in (run.folder / "report.html").read_text("utf-8")
    assert run.code not in {ExitCode.VIOLATED, ExitCode.WRONG_USE}


def test_an_inferred_rule_can_be_switched_off(run_lenient):
    run = run_lenient(inferred={"agents.list.integers": False})

    rule = run.rules["agents.list.integers"]
    assert (rule["verdict"], rule["why"]) == ("not run", "switched off in the data file, member 'inferred'")


def test_an_inferred_rule_can_count_like_the_others(run_lenient):
    """The last pattern that matches counts."""
    run = run_lenient(inferred={"agents.*": False, "agents.list.integers": True})

    assert run.code == ExitCode.VIOLATED
    assert [rule["id"] for rule in run.report["rules"] if rule["verdict"] == "violated"] == ["agents.list.integers"]
    assert "VIOLATED  agents.list.integers" in run.out


def test_a_rule_of_the_specification_cannot_be_switched_off(tmp_path):
    """Nor can a rule that does not exist; the message names the line."""
    path = tmp_path / "data.yaml"
    path.write_text("object_type: deal\ninferred:\n  records.update.merge: false\n", "utf-8")

    with pytest.raises(ValueError, match=r"line 3: inferred: no inferred rule matches 'records\.update\.merge'"):
        load_data(path)


FEWER = [status(200, body={"agents": [], "pagination": {"limit": 1, "offset": 0, "hasMore": True}})] * 60
ADVICE = "waive: {agents.list.page-size: REASON}"
REASON = "A page ends where agents are hidden from the caller."


@pytest.fixture
def run_fewer(run_on):
    """Returns a function that proves `agents.list.page-size`, an expected rule, on a service that says of each page that more follow."""
    return partial(run_on, FEWER, "page_beyond_the_end", "--min-proven", "0")


def test_a_violated_expected_rule_fails_the_run(run_fewer):
    run = run_fewer()

    assert run.code == ExitCode.VIOLATED, run.out
    assert "VIOLATED  agents.list.page-size (expected, " in run.out
    assert run.report["waived"] == []
    assert run.report["flaky"] == []  # the failure recurs
    assert ADVICE in run.out


def test_a_rule_that_is_waived_as_the_report_advises_does_not_count(run_fewer):
    """The report shows it with its reason."""
    run = run_fewer(**yaml.safe_load(ADVICE.replace("REASON", REASON)))

    assert run.code not in {ExitCode.VIOLATED, ExitCode.WRONG_USE}, run.out
    assert [(rule["id"], rule["verdict"], rule["reason"]) for rule in run.report["waived"]] == [
        ("agents.list.page-size", "violated", REASON)
    ]
    assert "agents.list.page-size" not in run.verdicts
    assert f"waived    agents.list.page-size (violated): {REASON}" in run.out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("workflows.create.texts-unchanged: ' '", "workflows.create.texts-unchanged: the reason is missing"),
        ("workflows.create.texts-unchanged:", "workflows.create.texts-unchanged: the reason is missing"),
        ("workflows.create.texts-unchanged: 5", "workflows.create.texts-unchanged: the reason is missing"),
        ("workflows.create.action: Late.", "workflows.create.action: there is no such rule"),
        ("records.update.merge: Late.", "records.update.merge: the specification states this rule, so it cannot be waived: `data` is"),
        ("agents.list.echo: Late.", "agents.list.echo: an inferred rule counts only if"),
    ],
)  # fmt: skip
def test_only_an_expected_rule_can_be_waived_and_only_with_a_reason(tmp_path, line, message):
    """The message names the line and the key."""
    path = tmp_path / "data.yaml"
    path.write_text(f"object_type: deal\nwaive:\n  {line}\n", "utf-8")

    with pytest.raises(ValueError, match=re.escape(f"line 3: waive: {message}")):
        load_data(path)
