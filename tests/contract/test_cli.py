"""`project-platform contract`: exit codes, output, and the requests it sends."""

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
from project_platform_stub.faults import status

AGENTS = ("-k", "test_agents")
REQUESTS = 300  # Maximum number of requests of a run without options, with the data file and the tokens of a stub.
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
TOKEN = {"PROJECT_PLATFORM_TOKEN": "opaque-token"}


@pytest.mark.one_python
def test_a_run_sends_only_reads_by_default(prove_on, served):
    """Given a URL, a project and a token, a run proves the rules that need nothing else."""
    records, sidebar = dict(served.stub.project.records), served.stub.project.sidebar

    run = prove_on()

    assert run.code == ExitCode.PROVEN, run.out + run.err
    assert served.non_read_requests == []
    assert 100 < len(served.journal) <= REQUESTS
    assert (dict(served.stub.project.records), served.stub.project.sidebar) == (records, sidebar)
    assert list(served.stub.outbox) == []
    report = run.report
    reading = [id for id, rule in RULES.items() if rule.effect == "read"]
    unproven = {
        rule["id"]: rule["why"] for rule in report["rules"] if rule["id"] in reading and rule["verdict"] != "proven"
    }
    reasons = ("the data file has no token", "; allowed: read", "only a stub does")
    assert all(any(reason in why for reason in reasons) for why in unproven.values()), unproven
    assert report["allowed"] == ["read"]
    assert report["requests"]["sent"] == len(served.journal)
    assert report["remains"] == {"created": [], "unanswered": [], "changed": [], "restored": []}


@pytest.mark.one_python
def test_workers_find_the_same_as_one_process(prove):
    """The verdicts are equal, and the report includes what every worker created."""
    options = ("--stub", "socket", "-k", "test_sidebar or test_agents or test_records_update")
    one = prove(*options)
    alone = one.verdicts, one.report["remains"]
    two = prove(*options, "-n", "2")

    assert two.verdicts == alone[0]
    assert one.code == two.code == ExitCode.PROVEN
    assert {thing["kind"] for thing in two.report["remains"]["created"]} == {
        thing["kind"] for thing in alone[1]["created"]
    }
    assert len(list(two.folder.glob("ledger-gw*.jsonl"))) == 2


@pytest.mark.one_python
def test_a_violated_rule_is_shown_with_its_exchange(prove_on, served):
    """Exit code 1. A response that does not conform violates the rule of responses, whatever the test was about."""
    # The first response is that to the preflight request.
    served.stub.world.faults.plan("agents_list", [status(200, body={"agents": [], "pagination": {"limit": "x"}})] * 200)

    run = prove_on(*AGENTS)

    assert run.code == ExitCode.VIOLATED
    assert "VIOLATED  agents.list.limit-range (checked " in run.out
    assert f"$ curl --include --globoff '{served.base_url}/projects/{served.stub.project.id}/agents?limit=" in run.out
    exchange = run.rules["agents.list.limit-range"]["violations"][0]["exchanges"][-1]
    assert (exchange["status"], json.loads(exchange["received"])["agents"]) == (200, [])
    (violation, *_) = run.rules["answers.agents-list"]["violations"]
    assert "pagination.limit: 'x' is not of type 'integer'" in violation["said"]
    assert violation["exchanges"][0]["status"] == 200


@pytest.mark.one_python
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--no-such-option"], "unrecognized arguments: --no-such-option"),
        (["ftp://platform.example"], "'ftp://platform.example' is not a base URL"),
        (["http://platform.example", "--project", PROJECT], "would send the token unencrypted"),
        (["https://u:p@platform.example", "--project", PROJECT], "must not have credentials"),
        (["https://platform.example"], "no project is given"),
        (["https://platform.example", "--project", "5"], "project: '5' is not a 'uuid'"),
        (
            ["https://platform.example", "--project", PROJECT, "--token-env", "NOT_SET"],
            "NOT_SET is empty: set it to the token of 'owner'",
        ),
        (
            ["https://platform.example", "--project", PROJECT, "--token-env", "eyJ0.eyJ1.c2ln"],
            "what is given for 'owner' is no name of an environment variable",
        ),
        (["https://platform.example", "--project", PROJECT, "--allow", "write"], "needs --i-own platform.example"),
        (
            ["https://platform.example", "--project", PROJECT, "--allow", "write", "--i-own", "other.example"],
            "needs --i-own platform.example",
        ),
        (["--allow", "everything"], "'everything' is not an effect"),
        (["--requests", "0"], "--requests: must be at least 1"),
        (["--pace", "-1"], "--pace: must be at least 0"),
        (["--timeout", "0"], "--timeout: must be at least 0.1"),
        (["--timeout", "nan"], "--timeout: must be at least 0.1"),
        (["--min-proven", "-1"], "--min-proven: must be at least 0"),
        (["--fuzz", "-1"], "--fuzz: must be at least 0"),
        (["--data", "missing.yaml", "--project", PROJECT], "need a URL"),
        (["https://platform.example", "--data", "missing.yaml"], "missing.yaml: No such file"),
        (["--floor", "missing.json"], "missing.json: cannot be read: No such file"),
        (["-k", "("], "("),
        (["--", "--no-such-option"], "unrecognized arguments"),
    ],
)
def test_invalid_use_gives_an_error_message(prove, arguments, message):
    """Exit code 2, before any request is sent, and without a traceback."""
    run = prove(*arguments, environment=TOKEN)

    assert run.code == ExitCode.WRONG_USE, run.out
    assert message in run.out + run.err
    assert "Traceback" not in run.out + run.err
    assert not run.folder.exists() or list(run.folder.iterdir()) == []


@pytest.mark.one_python
def test_a_run_below_the_floor_fails(prove):
    """Exit code 3, with the list of missing rules. What is proven on one kind of target is not proven on another."""
    written = prove(*AGENTS, "--write-floor", "floor.json")
    floor = written.folder.parent / "floor.json"
    proven = json.loads(floor.read_text("utf-8"))["proven"]
    met = prove(*AGENTS, "--floor", "floor.json")
    fewer = prove("-k", "test_agents and limit", "--floor", "floor.json")

    assert (written.code, met.code, fewer.code) == (ExitCode.PROVEN, ExitCode.PROVEN, ExitCode.FEWER_PROVEN)
    missing = fewer.report["floor"]["missing"]
    assert set(missing) == set(proven) - {id for id, verdict in fewer.verdicts.items() if verdict == "proven"} != set()
    assert all(id in fewer.out for id in missing)
    other = prove(*AGENTS, "--stub", "socket", "--floor", "floor.json")
    assert other.code == ExitCode.WRONG_USE
    assert "this floor is for the target 'in-process', not for 'socket'" in other.out + other.err


@pytest.mark.one_python
def test_a_run_that_proves_few_rules_fails(prove, served):
    """Exit code 3, although no rule is violated: most rules need a data file. `--min-proven` sets the share."""
    environment = {"PROJECT_PLATFORM_TOKEN": served.stub.tokens.valid("owner")}
    arguments = (served.base_url, "--project", served.stub.project.id)

    few = prove(*arguments, environment=environment)
    report = few.report
    enough = prove(*arguments, "--min-proven", "10", environment=environment)
    selected = prove(*arguments, *AGENTS, environment=environment)

    assert (few.code, enough.code, selected.code) == (ExitCode.FEWER_PROVEN, ExitCode.PROVEN, ExitCode.PROVEN)
    share = report["share"]
    assert share["selected"] == sum(rule.effect == "read" for rule in RULES.values())
    assert 0 < share["proven"] < share["selected"] / 2
    assert report["counts"]["violated"] == 0
    assert f"FEWER     {share['proven']} of the {share['selected']} selected and allowed rules proven" in few.out


def test_a_run_that_proves_nothing_fails(prove):
    """Exit code 4, for instance if no test matches the expression."""
    run = prove("-k", "no_such_test")

    assert run.code == ExitCode.NOTHING_PROVEN
    assert run.report["counts"]["proven"] == 0
    assert {rule["why"] for rule in run.report["rules"]} == {"not selected"}


@pytest.mark.one_python
def test_a_spent_budget_leaves_rules_not_run(prove_on, served):
    """With the reason."""
    run = prove_on("--requests", "5", *AGENTS)

    assert len(served.journal) <= 5
    why = {rule["why"] for rule in run.report["rules"] if rule["why"]}
    assert any("the budget of 4 requests is spent" in reason for reason in why), why
    assert run.report["requests"] == {"sent": len(served.journal), "limit": 5, "pace": 0.0}


# A shell starts background processes with SIGINT ignored, and their children inherit that.
# CPython may interrupt at an instruction without a line number; this handler has none.
WITH_SIGINT = """
import signal, sys
from project_platform_contract.cli import main
def interrupt(number, frame):
    raise KeyboardInterrupt
interrupt.__code__ = interrupt.__code__.replace(co_linetable=b"")
signal.signal(signal.SIGINT, interrupt)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_writes_its_reports(prove_on, served, tmp_path, number):
    """Exit code 130; the remaining rules are not run."""
    description = served.stub.describe(served.base_url)
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", WITH_SIGINT, served.base_url),
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
    process.send_signal(number)
    try:
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()

    assert process.returncode == ExitCode.INTERRUPTED, out
    report = json.loads((tmp_path / "contract-report" / "report.json").read_text("utf-8"))
    assert report["exit_code"] == ExitCode.INTERRUPTED
    assert "the run ended first" in {rule["why"] for rule in report["rules"]}


def test_junit_has_every_rule(prove_on, served, tmp_path):
    run = prove_on(*AGENTS, "--junit", "junit.xml")

    cases = ET.parse(tmp_path / "junit.xml").getroot().findall(".//testcase")
    assert run.code == ExitCode.PROVEN
    assert {case.get("name") for case in cases} == set(RULES)
