"""Kill the sender at any moment, continue, and compare the journal with what the service applied.

    python tests/sdk/bulk/trials.py creates --rows 20000 --kills 200

`make trials` has the others. `dask` kills workers of a cluster of three instead, and runs every tenth batch twice at once.

A create may never be sent twice; a change is guarded, and settled by sending it again. Faults: connections that break before
and after the service did its work, 503 before and after, and 429 beyond `--quota` requests per second. A kill may leave only rows
in doubt that were in flight.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import ledger

from project_platform import BulkReport, Change, Client, JournalError, operations
from project_platform.bulk import journal
from project_platform.models import ObjectRecord

FAULTS = {"lose_after": 0.01, "lose_before": 0.005, "fail_after": 0.002, "fail_before": 0.002}
MOST = 8  # requests in flight: as many as a run begins with
WITHOUT_BOOT_ID = 100  # rows that a kill leaves in doubt, too, where the start of the machine has no identifier


def creates(number: int, pause: float = 0.0) -> Iterator[Any]:
    """Yield creates; each tenth waits."""
    for i in range(number):
        if pause and i % 10 == 0:
            time.sleep(10 * pause)
        yield operations.records_create(ledger.PROJECT, type_slug="deal", external_id=f"crm-{i}", data={"n": i})


def changes(number: int) -> Iterator[Any]:
    for i in range(number):
        yield Change.between(ObjectRecord(id=f"rec_{i}", data={"n": i}), {"n": -i - 1, "by": "run"})


def send(given: argparse.Namespace) -> int:
    """Send all rows, as the process that is killed."""
    url, path = given.send
    if given.without_boot_id:
        journal._boot_id = lambda: None
    with Client(url, token="t", timeout=5.0) as client:
        with client.project(ledger.PROJECT).bulk(path, settle=given.settle, most=MOST, progress=False) as job:
            print("ready", flush=True)
            job.run(creates(given.rows, given.slow) if given.kind == "creates" else changes(given.rows))
    return 0


def rows_in_doubt(path: str) -> set[int]:
    """Return the rows in doubt; none if the sender was killed before it opened its journal."""
    try:
        return {row.row for row in BulkReport(path).rows("in doubt")}
    except JournalError:
        return set()


def live(command: list[str], dice: random.Random, *, kill: signal.Signals | None, longest: float) -> bool:
    """Run the sender once, and kill it; return whether it reached the end."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        assert sender.stdout is not None
        if kill:
            if kill == signal.SIGKILL and dice.random() < 0.1:  # while it starts or opens the journal
                time.sleep(dice.uniform(0.0, 0.6))
            else:
                sender.stdout.readline()
                time.sleep(dice.uniform(0.01, longest))
            sender.send_signal(kill)
        sender.stdout.read()
    # A SIGTERM after the end of the run, when the program has its own handler again, kills it: nothing may be in doubt then, either.
    if sender.returncode not in {0, -signal.SIGKILL, -signal.SIGTERM, 128 + signal.SIGTERM}:
        raise SystemExit(f"the sender ended with {sender.returncode}")
    return sender.returncode == 0


def wrong_verdicts(kind: str, rows: int, truth: Any, report: BulkReport) -> tuple[list[str], dict[str, int]]:
    """Return the rows whose outcome the service contradicts, and what became of those that are unknown."""
    applied = truth["created" if kind == "creates" else "updated"]
    verdicts = {row.row: row for row in report.rows()}
    wrong, unknown = [], {"applied": 0, "not applied": 0, "never arrived": 0}
    for number in range(rows):
        row = verdicts.get(number)
        key = f"crm-{number}" if kind == "creates" else f"rec_{number}"
        times = applied.get(key, 0)
        verdict = "none" if row is None else row.applied
        expected = {"yes": times == 1, "in effect": times == 1, "no": times == 0, "unknown": times <= 1}
        if not expected.get(verdict):
            wrong.append(f"row {number}: {verdict}, applied {times} times")
        if verdict == "unknown":
            arrived = truth["arrived"].get(key)
            unknown["applied" if times else "not applied" if arrived else "never arrived"] += 1
    return wrong, unknown


def trial(given: argparse.Namespace) -> int:
    """Run one trial, print its counts, and return the exit status."""
    kind, rows, kills, dice = given.kind, given.rows, given.kills, random.Random(given.seed)
    plan: dict[str, Any] = {"latency": given.latency, "quota": given.quota}
    if given.away:
        plan |= {"away": [0.5, 0.5 + given.away], "away_as": given.away_as, "away_hint": given.away_hint}
    with tempfile.TemporaryDirectory() as folder, ledger.serving(seed=given.seed) as url:
        path = str(Path(folder) / "run.journal")
        os.environ["XDG_RUNTIME_DIR"] = folder
        if kind == "changes":
            with Client(url, token="t") as client:
                with client.project(ledger.PROJECT).bulk(f"{path}.seed", most=1, progress=False) as job:
                    job.run(creates(rows))
        ledger.replan(url, **({} if plan.get("away") else FAULTS), **plan)
        command = [sys.executable, __file__, *sys.argv[1:], "--send", url, path]
        began, before, doubts = time.monotonic(), set[int](), list[int]()
        kill = signal.Signals[f"SIG{given.signal}"]
        longest = 4 * rows / max(1, kills) / 1000
        while not live(command, dice, kill=kill if len(doubts) < kills else None, longest=longest):
            now = rows_in_doubt(path)
            doubts.append(len(now - before))
            before = now
        truth, report = ledger.truth(url), BulkReport(path)
        wrong, unknown = wrong_verdicts(kind, rows, truth, report)
        applied = truth["created" if kind == "creates" else "updated"]
        twice = sum(times > 1 for times in applied.values())
        size = Path(path).stat().st_size / rows
    print(f"{kind}: {report}")
    print(f"killed {len(doubts)} times in {time.monotonic() - began:.0f} s; applied twice: {twice}; unknown: {unknown}")
    print(
        f"in doubt after a kill: {sum(doubts) / max(1, len(doubts)):.1f} rows, at most {max(doubts, default=0)} of {MOST}; "
        f"{truth['refused']} requests were refused"
    )
    print(f"journal: {size:.0f} bytes per row; wrong: {len(wrong)}", *wrong[:10], sep="\n  ")
    allowed = 0 if given.signal == "TERM" else MOST + WITHOUT_BOOT_ID * given.without_boot_id
    return 1 if wrong or twice or max(doubts, default=0) > allowed else 0


class Twice(Executor):
    """Hands every tenth task to an executor two times at once, as an engine does that takes a worker for dead."""

    def __init__(self, executor: Executor) -> None:
        self.executor, self.number, self.extra = executor, 0, []

    def submit(self, task: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.number += 1
        future = self.executor.submit(task, *args, **kwargs)
        if self.number % 10 == 0:
            self.extra.append(self.executor.submit(task, *args, **kwargs))
        return future


def dask_trial(given: argparse.Namespace) -> int:
    """Kill workers of a cluster while they send, print the counts, and return the exit status."""
    import dask
    from distributed import Client as Cluster
    from distributed import LocalCluster

    rows, kills, seed = given.rows, given.kills, given.seed
    dice, killed, ended = random.Random(seed), 0, threading.Event()
    os.environ["PROJECT_PLATFORM_TOKEN"] = "t"  # the workers inherit it
    dask.config.set({"distributed.scheduler.allowed-failures": 100, "distributed.worker.daemon": False})
    local = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with tempfile.TemporaryDirectory() as folder, ledger.serving(seed=seed, latency=0.1) as url:
        os.environ["XDG_RUNTIME_DIR"] = folder
        with LocalCluster(**local) as cluster, Cluster(cluster) as engine, Client(url) as client:

            def kill() -> None:
                nonlocal killed
                while killed < kills and not ended.wait(dice.uniform(0.3, 0.9)):
                    pids = [nanny.process.pid for nanny in cluster.workers.values() if nanny.process]
                    if pids := [pid for pid in pids if pid]:
                        os.kill(dice.choice(pids), signal.SIGKILL)
                        killed += 1

            killer = threading.Thread(target=kill)
            executor, began = Twice(engine.get_executor(pure=False)), time.monotonic()
            with client.project(ledger.PROJECT).bulk(f"{folder}/run", progress=False) as job:
                killer.start()
                report = job.run(creates(rows), executor=executor)
            ended.set()
            killer.join()
        truth = ledger.truth(url)
        wrong, unknown = wrong_verdicts("creates", rows, truth, report)
    twice = sum(times > 1 for times in truth["created"].values())
    print(f"dask: {report}")
    print(
        f"killed {killed} of 3 workers in {time.monotonic() - began:.0f} s; {executor.number} batches, {len(executor.extra)} of "
        f"them run twice; applied twice: {twice}; unknown: {unknown}"
    )
    print(f"wrong: {len(wrong)}", *wrong[:10], sep="\n  ")
    return 1 if wrong or twice else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["creates", "changes", "dask"])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--settle", action="store_true")
    parser.add_argument("--latency", type=float, default=0.004, help="seconds")
    parser.add_argument("--quota", type=float, default=0, help="requests per second; 0: no limit")
    parser.add_argument("--signal", choices=["KILL", "TERM"], default="KILL", help="the signal that is sent")
    parser.add_argument("--slow", type=float, default=0.0, help="seconds for a row of the input, in blocks of ten rows")
    parser.add_argument("--without-boot-id", action="store_true")
    parser.add_argument("--away", type=float, default=0.0, help="seconds of an outage")
    parser.add_argument("--away-as", choices=["503", "reset"], default="503")
    parser.add_argument("--away-hint", type=int, default=0, help="Retry-After of the 503")
    parser.add_argument("--send", nargs=2, metavar=("URL", "JOURNAL"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    act = send if given.send else dask_trial if given.kind == "dask" else trial
    return act(given)


if __name__ == "__main__":
    sys.exit(main())
