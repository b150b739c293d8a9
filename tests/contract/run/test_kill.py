"""A run that is killed in the middle of a rule loses nothing of the user's: the next start restores it, or refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from project_platform_contract.run.exit_code import ExitCode
from project_platform_stub.faults import hang, latency, status

from ..conftest import WITH_DATA, write_data

WRITES = ("--allow", "write", "--i-own", "127.0.0.1")
ANY_RULE = ("-k", "test_agents and limit")
HELD = 60.0  # Seconds; the run is killed while it waits for this response.
TITLE = "test_creation_times and entry"
SIDEBAR = "test_sidebar and test_the_whole_list"
# Numbers of requests: the plain one and a read; what can be restored is tried three times and read, and read again.
TRIED = 3
CHANGED = TRIED + 2 * 3 + 1

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the platform has no SIGKILL")


@dataclass
class Deployment:
    """A stub on a socket as the deployment, whose runs can be killed."""

    served: Any
    folder: Path
    prove: Any
    environment: dict[str, str]

    def state(self):
        """Return everything of the user's that a run changes."""
        project = self.served.stub.project
        fields = ("title", "description", "content", "metadata")
        entries = {slug: {name: entry.get(name) for name in fields} for slug, entry in project.memory.items()}
        return json.loads(json.dumps([project.sidebar, entries]))

    def run(self, *more, url=None):
        return self.prove(url or self.served.base_url, *WITH_DATA, *more, environment=self.environment)

    def kill(self, operation, number, fault, *more, by=signal.SIGKILL):
        """Start a run, and end its processes by a signal while the given request of an operation waits for its response."""
        faults = self.served.stub.world.faults
        faults.plan(operation, [latency(0.0)] * (number - 1), fault)
        process = subprocess.Popen(
            [sys.executable, "-m", "project_platform_contract.cli", self.served.base_url, *WITH_DATA, *WRITES, *more],
            cwd=self.folder,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            end = time.monotonic() + HELD
            while faults.left and process.poll() is None and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(0.2)  # the request may be in the middle of being applied
            ended = process.poll() is not None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, by)
            out, _ = process.communicate()
        assert not ended, out
        assert not faults.left, out
        return out


@pytest.fixture
def deployment(served, prove, tmp_path):
    tokens = served.stub.describe(served.base_url)["tokens"]
    some = {identity: tokens[identity] for identity in ("owner", "viewer")}
    return Deployment(served, tmp_path, prove, write_data(tmp_path, served.data(), some))


def test_a_run_that_gets_sigterm_restores_what_a_fixture_changed(deployment):
    """At once: it does not wait for the lock that it holds itself."""
    before, started = deployment.state(), time.monotonic()
    out = deployment.kill("memory_update", CHANGED + 3, latency(HELD), "-k", "memory", by=signal.SIGTERM)

    assert deployment.state() == before
    assert "NOT RESTORED" not in out
    assert time.monotonic() - started < HELD


@pytest.mark.parametrize(
    ("operation", "test", "number", "fault"),
    [
        pytest.param("memory_update", TITLE, TRIED + 2, latency(HELD), id="memory, after the metadata are emptied"),
        pytest.param("memory_update", TITLE, CHANGED, hang(HELD), id="memory, before the change is applied"),
        pytest.param("memory_update", TITLE, CHANGED, latency(HELD), id="memory, after the change is applied"),
        pytest.param("memory_update", TITLE, CHANGED + 1, latency(HELD), id="memory, while the change is read"),
        pytest.param("memory_update", TITLE, CHANGED + 2, hang(HELD), id="memory, before it is restored"),
        pytest.param("memory_update", TITLE, CHANGED + 2, latency(HELD), id="memory, after it is restored"),
        pytest.param("memory_update", TITLE, CHANGED + 3, latency(HELD), id="memory, while it is checked"),
        pytest.param("sidebar_replace", SIDEBAR, 3, latency(HELD), id="sidebar, after a section is left out"),
        pytest.param("sidebar_replace", SIDEBAR, 5, hang(HELD), id="sidebar, before the change is applied"),
        pytest.param("sidebar_replace", SIDEBAR, 5, latency(HELD), id="sidebar, after the change is applied"),
        pytest.param("sidebar_replace", SIDEBAR, 7, latency(HELD), id="sidebar, after the last change"),
        pytest.param("sidebar_replace", SIDEBAR, 8, hang(HELD), id="sidebar, before it is restored"),
    ],
)
def test_the_next_start_restores_what_a_killed_run_changed(deployment, operation, test, number, fault):
    """It says so."""
    before = deployment.state()
    deployment.kill(operation, number, fault, "-k", test)

    run = deployment.run(*WRITES, *ANY_RULE)

    assert run.code == ExitCode.PROVEN, run.out + run.err
    assert deployment.state() == before
    what = "the sidebar" if operation == "sidebar_replace" else "the memory entry 'welcome'"
    assert f"restored {what}, which the run contract-" in run.out
    assert "ledger-main.jsonl" in run.out


def test_what_was_restored_is_not_restored_again(deployment):
    deployment.kill("memory_update", CHANGED, latency(HELD), "-k", TITLE)
    deployment.run(*WRITES, *ANY_RULE)

    again = deployment.run(*WRITES, *ANY_RULE)

    assert again.code == ExitCode.PROVEN
    assert "which the run" not in again.out


def test_the_previous_value_is_in_the_ledger_before_the_change_is_sent(served, deployment, tmp_path):
    """A run that is killed before it read the entry has neither a value nor a change."""
    deployment.kill("memory_update", 1, hang(HELD), "-k", TITLE)
    first = (tmp_path / "contract-report" / "ledger-main.jsonl").read_text("utf-8")
    title = served.stub.project.memory["welcome"]["title"]
    deployment.kill("memory_update", TRIED, hang(HELD), "-k", TITLE)
    second = (tmp_path / "contract-report" / "ledger-main.jsonl").read_text("utf-8").removeprefix(first)

    assert '"saves"' not in first
    events = [json.loads(line) for line in second.splitlines()]
    assert [event["event"] for event in events[-2:]] == ["saves", "sends"]
    assert events[-2]["body"]["title"] == title


def test_the_workers_of_a_killed_run_lose_nothing(deployment):
    """Each worker has its ledger, and two workers never change the same entry at the same time."""
    before = deployment.state()
    rules = ("-n", "4", "-k", "memory.update or test_sidebar or (test_creation_times and entry)")
    deployment.kill("memory_update", 25, latency(HELD), *rules)

    run = deployment.run(*WRITES, *rules)

    assert run.code == ExitCode.PROVEN, run.out + run.err
    assert deployment.state() == before
    assert run.report["remains"]["changed"] == []
    assert len(list(run.folder.glob("ledger-gw*.jsonl"))) == 4


def test_a_run_that_may_not_write_refuses(served, deployment):
    """It names the ledger and the option that restores the entry."""
    deployment.kill("memory_update", CHANGED + 1, latency(HELD), "-k", TITLE)
    requests = len(served.journal)

    run = deployment.run(*ANY_RULE)

    assert run.code == ExitCode.NOT_RESTORED
    assert "contract-report/ledger-main.jsonl: the run contract-" in run.out + run.err
    assert "changed the memory entry 'welcome' of http://127.0.0.1" in run.out + run.err
    assert "Add --allow write --i-own 127.0.0.1 to restore it first." in run.out + run.err
    assert "Traceback" not in run.out + run.err
    assert len(served.journal) == requests + 1, "only the preflight request"


def test_a_run_on_another_deployment_refuses(served, deployment):
    """Its ledger would be in the same folder."""
    deployment.kill("memory_update", CHANGED + 1, latency(HELD), "-k", TITLE)
    other = served.base_url.replace("127.0.0.1", "localhost")

    run = deployment.run("--allow", "write", "--i-own", "localhost", *ANY_RULE, url=other)

    assert run.code == ExitCode.NOT_RESTORED
    assert f"Run the suite on {served.base_url} with this --report folder first" in run.out + run.err


def test_a_run_that_cannot_restore_refuses(served, deployment, tmp_path):
    """It gives the reason, and how to restore the entry by hand. What it can restore, it restores."""
    deployment.kill("memory_update", CHANGED + 1, latency(HELD), "-k", TITLE)
    ledger = tmp_path / "contract-report" / "ledger-main.jsonl"
    saved = next(line for line in map(json.loads, ledger.read_text("utf-8").splitlines()) if line["event"] == "saves")
    other = {**saved, "path": saved["path"].replace("welcome", "brand%2Fvoice"), "body": {"title": "Voice, before"}}
    with ledger.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(other)}\n")
    values = yaml.safe_load((tmp_path / "data.yaml").read_text("utf-8"))
    (tmp_path / "data.yaml").write_text(yaml.safe_dump(values | {"memory_slug": "brand/voice"}), "utf-8")

    run = deployment.run(*WRITES, *ANY_RULE)

    assert run.code == ExitCode.NOT_RESTORED
    assert "the slug 'welcome' was neither created by this run nor given in the data file" in run.out + run.err
    by_hand = (
        f"or restore it by hand, from the last line of the file with the event 'saves' and the path {saved['path']}."
    )
    assert by_hand in run.out + run.err
    assert served.stub.project.memory["brand/voice"]["title"] == "Voice, before"


def test_a_run_that_could_not_restore_fails(served, deployment):
    """Exit code 5, with the ledger; the next run restores the entry."""
    before = deployment.state()
    served.stub.world.faults.plan("memory_update", [latency(0.0)] * (CHANGED + 1), [status(403)] * 20)

    run = deployment.run(*WRITES, "-k", TITLE)
    changed, remains = deployment.state(), run.report["remains"]
    served.stub.world.faults.clear()
    again = deployment.run(*WRITES, *ANY_RULE)

    assert run.code == ExitCode.NOT_RESTORED, run.out + run.err
    assert "NOT RESTORED  " in run.out
    assert "ledger-main.jsonl: the run contract-" in run.out
    assert [line.partition(":")[0] for line in remains["changed"]] == ["memory_update"]
    assert changed != before
    assert (again.code, deployment.state()) == (ExitCode.PROVEN, before)


def test_the_text_of_a_run_is_never_taken_for_the_previous_value(deployment, tmp_path):
    """If the ledger of the killed run is gone, its rules are not run."""
    deployment.kill("memory_update", CHANGED + 1, latency(HELD), "-k", TITLE)
    for ledger in (tmp_path / "contract-report").glob("ledger-*.jsonl"):
        ledger.unlink()
    left = deployment.state()

    run = deployment.run(*WRITES, "-k", "memory.update.changes")

    assert deployment.state() == left
    rule = run.rules["memory.update.changes"]
    assert rule["verdict"] == "not run"
    assert "contains the tag of another run, contract-" in rule["why"]


def test_two_runs_do_not_share_a_folder(deployment, tmp_path):
    """The second would restore what the first is changing."""
    folder: Path = tmp_path / "contract-report"
    folder.mkdir()
    holder = "import sys, time; from pathlib import Path; from project_platform_contract.run.locks import Locks\n"
    holder += "Locks(Path(sys.argv[1])).hold(0); print('locked', flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", holder, str(folder / "run.lock")], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"

        run = deployment.run(*ANY_RULE)
    finally:
        process.kill()
        process.communicate()

    assert run.code == ExitCode.WRONG_USE
    assert "another run writes to" in run.out + run.err
