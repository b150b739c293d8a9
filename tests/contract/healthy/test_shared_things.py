"""Workers of a run, and runs at the same time, never change a thing of the data file together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from project_platform_contract.run.locks import Locks

from ..conftest import Prove, RunResult, ServedStub

SHARED = "memory or sidebar or calendar or engagement or templates"


def test_four_workers_prove_the_same_rules_as_one(prove_at: Prove, served: ServedStub) -> None:
    """The tests of a shared thing take turns."""
    run = prove_at(served.base_url, "-k", SHARED, "-n", "4")

    assert run.wrong == [], run.out
    not_run = {str(rule["why"]) for rule in run.report["rules"] if rule["verdict"] == "not run"}
    assert not any("another run" in why for why in not_run)


def test_two_runs_at_the_same_time_violate_no_rule(prove_at: Prove, served: ServedStub, tmp_path: Path) -> None:
    """One of them does not run the rules of a shared thing, and says why. Afterwards the thing has its old values."""
    slug = served.data()["memory_slug"]
    before = dict(served.stub.project.memory[slug]), served.stub.project.sidebar

    def run(number: int) -> RunResult:
        result = prove_at(served.base_url, "-k", SHARED, "--report", str(tmp_path / f"report-{number}"))
        return RunResult(result.code, result.out, result.err, tmp_path / f"report-{number}")

    with ThreadPoolExecutor(2) as runs:
        both = list(runs.map(run, range(2)))

    assert [result.wrong for result in both] == [[], []], "\n".join(result.out for result in both)
    reasons = {str(rule["why"]) for result in both for rule in result.report["rules"] if rule["why"]}
    assert any("another run on this machine is changing the memory entry" in reason for reason in reasons)
    after = dict(served.stub.project.memory[slug]), served.stub.project.sidebar
    assert [after[0][name] for name in ("title", "description", "content")] == [
        before[0][name] for name in ("title", "description", "content")
    ]
    assert after[1] == before[1]


def test_a_lock_is_held_by_one_process(tmp_path: Path) -> None:
    """As often as it is acquired; a claim succeeds once."""
    mine = Locks(tmp_path / "locks" / "a")

    assert [mine.hold(1), mine.hold(1)] == [True, True]
    assert [mine.claim(2), mine.claim(2), mine.claim(1)] == [True, False, False]
