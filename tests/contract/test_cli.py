"""`project-platform contract`: what it exits with, what it tells, and what it sends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import pytest

from project_platform_contract.rules import RULES
from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub.faults import reset, status

AGENTS = ("-k", "test_agents")
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
TOKEN = {"PROJECT_PLATFORM_TOKEN": "opaque-token"}


def test_a_run_that_only_reads_sends_nothing_that_writes(prove_on, served):
    """Against a deployment, with nothing said but where and who: exit code 0, and the server saw only reading."""
    records, sidebar = dict(served.stub.project.records), served.stub.project.sidebar

    run = prove_on()

    assert run.code == ExitCode.PROVEN, run.out + run.err
    assert served.non_read_requests == []
    assert len(served.journal) > 100
    assert (dict(served.stub.project.records), served.stub.project.sidebar) == (records, sidebar)
    assert list(served.stub.outbox) == []
    report = run.report
    reading = [id for id, rule in RULES.items() if rule.effect == "read"]
    unproven = {
        rule["id"]: rule["why"] for rule in report["rules"] if rule["id"] in reading and rule["verdict"] != "proven"
    }
    assert all("the data file names no token" in why or "effect" in why for why in unproven.values()), unproven
    assert report["allowed"] == ["read"]
    assert report["requests"]["sent"] == len(served.journal)
    assert report["remains"] == {"created": [], "unanswered": [], "changed": [], "restored": []}


def test_workers_find_what_one_process_finds(prove):
    """With `-n 2` the verdicts are the same, rule by rule, and what is left behind is told of both workers."""
    some = ("--stub", "socket", "-k", "test_sidebar or test_agents or test_records_update")
    one = prove(*some)
    alone = one.verdicts, one.report["remains"]
    two = prove(*some, "-n", "2")

    assert two.verdicts == alone[0]
    assert one.code == two.code == ExitCode.PROVEN
    assert {thing["kind"] for thing in two.report["remains"]["created"]} == {
        thing["kind"] for thing in alone[1]["created"]
    }
    assert len(list(two.folder.glob("ledger-gw*.jsonl"))) == 2


def test_a_violated_rule_is_named_with_request_and_answer(prove_on, served):
    """Exit code 1, and the rule, what it says, the request and the answer are on the terminal."""
    # The first answer is to the question whether the target is there.
    served.stub.world.faults.plan("agents_list", [status(200, body={"agents": [], "pagination": {}})] * 200)

    run = prove_on(*AGENTS)

    assert run.code == ExitCode.VIOLATED
    assert "VIOLATED  agents.list.limit-range: " in run.out
    assert f"GET {served.base_url}/projects/{served.stub.project.id}/agents?limit=" in run.out
    violated = next(rule for rule in run.report["rules"] if rule["id"] == "agents.list.limit-range")
    exchange = violated["violations"][0]["exchanges"][-1]
    assert exchange["status"] == 200
    assert json.loads(exchange["received"])["agents"] == []


def test_any_answer_that_breaks_the_contract_violates_the_rule_of_answers(prove_on, served):
    """Whatever test it was an answer to."""
    broken = status(200, body={"agents": [{"id": 5}], "pagination": {"limit": 1, "offset": 0, "hasMore": False}})
    served.stub.world.faults.plan("agents_list", [broken] * 200)

    run = prove_on("-k", "test_agents and limit")

    violated = next(rule for rule in run.report["rules"] if rule["id"] == "answers.agents-list")
    assert violated["verdict"] == "violated"
    assert "agents[0].id: 5 is not of type" in violated["violations"][0]["said"]
    assert violated["violations"][0]["exchanges"][0]["status"] == 200


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--no-such-option"], "unrecognized arguments: --no-such-option"),
        (["ftp://platform.example"], "'ftp://platform.example' is no URL"),
        (["http://platform.example", "--project", PROJECT], "everybody on the way could read the token"),
        (["https://u:p@platform.example", "--project", PROJECT], "with credentials"),
        (["https://platform.example"], "there is no project"),
        (["https://platform.example", "--project", "5"], "project: '5' is not a 'uuid'"),
        (["https://platform.example", "--project", PROJECT, "--token-env", "NOT_SET"], "NOT_SET has no token"),
        (["https://platform.example", "--project", PROJECT, "--allow", "write"], "needs --i-own platform.example"),
        (
            ["https://platform.example", "--project", PROJECT, "--allow", "write", "--i-own", "other.example"],
            "needs --i-own platform.example",
        ),
        (["--allow", "everything"], "'everything' is no effect"),
        (["--requests", "0"], "--requests: must be at least 1"),
        (["--pace", "-1"], "--pace: must be at least 0"),
        (["--data", "missing.yaml", "--project", PROJECT], "need an URL"),
        (["https://platform.example", "--data", "missing.yaml"], "missing.yaml: No such file"),
        (["--floor", "missing.json"], "missing.json: No such file"),
        (["-k", "("], "("),
        (["--", "--no-such-option"], "unrecognized arguments"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(prove, arguments, told):
    """Exit code 2, before anything is sent, and without a traceback."""
    run = prove(*arguments, environment=TOKEN)

    assert run.code == ExitCode.WRONG_USE, run.out
    assert told in run.out + run.err
    assert "Traceback" not in run.out + run.err
    assert not run.folder.exists() or list(run.folder.iterdir()) == []


def test_fewer_proven_than_the_floor_is_a_failure(prove):
    """Exit code 3, with the list of what is missing; a floor that was just written is met."""
    written = prove(*AGENTS, "--write-floor", "floor.json")
    floor = written.folder.parent / "floor.json"
    proven = json.loads(floor.read_text("utf-8"))["proven"]
    met = prove(*AGENTS, "--floor", "floor.json")
    fewer = prove("-k", "test_agents and limit", "--floor", "floor.json")

    assert (written.code, met.code, fewer.code) == (ExitCode.PROVEN, ExitCode.PROVEN, ExitCode.FEWER_PROVEN)
    missing = fewer.report["floor"]["missing"]
    assert set(missing) == set(proven) - {id for id, verdict in fewer.verdicts.items() if verdict == "proven"} != set()
    assert all(id in fewer.out for id in missing)


def test_the_floor_of_another_kind_of_target_is_none(prove):
    """What is proven on a stub says nothing of a deployment."""
    prove(*AGENTS, "--write-floor", "floor.json")

    run = prove(*AGENTS, "--stub", "socket", "--floor", "floor.json")

    assert run.code == ExitCode.WRONG_USE
    assert "is the floor of the target 'in-process', not of 'socket'" in run.out + run.err


def test_a_run_in_which_nothing_is_proven_is_no_success(prove):
    """Exit code 4: an expression that no test fits."""
    run = prove("-k", "no_such_test")

    assert run.code == ExitCode.NOTHING_PROVEN
    assert run.report["counts"]["proven"] == 0
    assert {rule["why"] for rule in run.report["rules"]} == {"not selected"}


def test_a_spent_budget_leaves_rules_not_run(prove_on, served):
    """What could not be asked is not run, with the reason, and never proven."""
    run = prove_on("--requests", "5", *AGENTS)

    assert len(served.journal) <= 5
    why = {rule["why"] for rule in run.report["rules"] if rule["why"]}
    assert any("all 4 requests are spent" in reason for reason in why), why
    assert run.report["requests"] == {"sent": len(served.journal), "limit": 5, "pace": 0.0}


def test_an_answer_that_does_not_come_is_no_verdict(prove_on, served):
    """Nobody knows whether the rule holds: it is not run, and why."""
    served.stub.world.faults.plan("web_analytics_get_config", [reset()] * 50)

    run = prove_on("-k", "test_web_analytics or test_agents")

    why = {rule["why"] for rule in run.report["rules"] if rule["operation"] == "web_analytics_get_config"}
    assert any(reason.startswith("no answer came: ") for reason in why - {None}), why
    assert run.report["counts"]["violated"] == 0


# A process that a shell put into the background is born deaf to the signal, and so are its children.
LISTENING = """
import signal, sys
from project_platform_contract.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""


def test_an_interrupted_run_says_so(prove_on, served, tmp_path):
    """Exit code 130; what was found until then is reported, and the rest is not run."""
    description = served.stub.describe(served.base_url)
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", LISTENING, served.base_url),
            *("--project", description["project_id"], "--pace", "0.2"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PROJECT_PLATFORM_TOKEN": description["tokens"]["owner"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    while len(served.journal) < 5 and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    try:
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()

    assert process.returncode == ExitCode.INTERRUPTED, out
    report = json.loads((tmp_path / "contract-report" / "report.json").read_text("utf-8"))
    assert report["exit_code"] == ExitCode.INTERRUPTED
    assert "the run ended before" in {rule["why"] for rule in report["rules"]}


def test_junit_has_the_tests_and_no_token(prove_on, served, tmp_path):
    """One test case for each test that was run."""
    run = prove_on(*AGENTS, "--junit", "junit.xml")

    cases = ET.parse(tmp_path / "junit.xml").getroot().findall(".//testcase")
    assert run.code == ExitCode.PROVEN
    assert len(cases) >= sum(1 for id in RULES if id.startswith("agents."))


def test_pytest_runs_the_suite_by_its_name(tmp_path):
    """`pytest --pyargs project_platform_contract`, with the suite's options, where its plugin is loaded."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    options = ["--pyargs", "project_platform_contract", "--contract-report", "here", *AGENTS]

    run = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout + run.stderr
    assert json.loads((tmp_path / "here" / "report.json").read_text("utf-8"))["counts"]["violated"] == 0


def test_the_help_tells_the_exit_codes(prove):
    """Each with what it means."""
    run = prove("--help")

    assert run.code == 0
    for code in ExitCode:
        assert f"\n  {int(code)}  " in run.out
