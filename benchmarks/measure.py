"""Measures a task on several sides: each in a separate process, in turns, several in every round."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .server import Address
from .sides import NOT_REUSED, RAW, SDK, SDK_ON_HTTPX

ROOT = Path(__file__).parents[1]
FEWER = 20  # a client that is created for each call reads the certificates each time, so fewer calls of it are measured


@dataclass(frozen=True)
class Task:
    """Calls of one kind.

    Attributes:
        what: Its name in the tables.
        calls: Number of calls in a round.
        size: Number of objects on a page.
        in_flight: Number of concurrent calls; 0 for synchronous calls, one after another.
        tls: Whether the connection is encrypted.
        everything: Whether a call fetches all pages of a list of 10,000.
        sides: The sides that are measured.
    """

    what: str
    calls: int
    size: int = 1
    in_flight: int = 0
    tls: bool = False
    everything: bool = False
    sides: tuple[str, ...] = (RAW, SDK, SDK_ON_HTTPX)

    @property
    def turns(self) -> int:
        """Number of turns in a round: short ones, because the speed of a shared machine changes within a second.

        One for calls in flight, because fewer are in flight when a turn ends.
        """
        return 1 if self.in_flight else min(4, self.calls)


@dataclass(frozen=True)
class Sample:
    """The values of one round.

    `cpu` is in microseconds per call, `rate` in calls per second. `p50` and `p99` are microseconds of a call: CPU time for
    synchronous calls, wall-clock time for concurrent ones. `full` is the number of full garbage collections per 1,000 calls.
    """

    cpu: float
    rate: float
    p50: float
    p99: float
    full: float


@dataclass
class Row:
    """The samples of one side for one task, and the load average of the machine at their end."""

    task: Task
    side: str
    samples: list[Sample] = field(default_factory=list)
    load: float = 0.0

    def values(self, name: str) -> list[float]:
        """Return a value of the samples, by round."""
        return [getattr(sample, name) for sample in self.samples]

    def median(self, name: str) -> float:
        """Return the median of a value of the samples."""
        return statistics.median(self.values(name))

    def cells(self, raw: Row) -> list[str]:
        """Return the cells of the row in the printed table; `raw` is the row of raw httpx."""
        ratios = [own / other for own, other in zip(self.values("cpu"), raw.values("cpu"), strict=True)]
        return [
            self.task.what,
            self.side,
            f"{self.median('cpu'):,.0f}",
            "" if self is raw else f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
            f"{self.median('rate'):,.0f}",
            f"{self.median('p50'):,.0f}",
            f"{self.median('p99'):,.0f}",
            f"{statistics.mean(self.values('full')):.1f}",
            f"{self.load:.1f}",
        ]


class _Side:
    """The process of one side."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, calls: int) -> None:
        self._ask(calls)

    def sample(self) -> Sample:
        return Sample(**json.loads(self._ask(0)))

    def _ask(self, number: int) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of a side ended: {self._process.args!r}")
        return line


@contextlib.contextmanager
def _running(task: Task, side: str, address: Address, python: str) -> Iterator[_Side]:
    url = (address.https if task.tls else address.http) or ""
    given = {
        "side": side,
        "url": url,
        "certificate": address.certificate if task.tls else None,
        "size": task.size,
        "in_flight": task.in_flight,
        "everything": task.everything,
    }
    command = [python, "-m", "benchmarks.worker", json.dumps(given)]
    environment = {
        name: value for name, value in os.environ.items() if python == sys.executable or name != "PYTHONPATH"
    }
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield _Side(process)
        finally:
            process.kill()


def measure(task: Task, address: Address, rounds: int, pythons: Mapping[str, str] | None = None) -> list[Row]:
    """Return a row for each side.

    Args:
        task: What to measure.
        address: Where the server listens.
        rounds: Number of rounds after the one that warms up.
        pythons: The interpreter of each side; without one, that of this process.
    """
    with contextlib.ExitStack() as stack:
        running = {
            side: stack.enter_context(_running(task, side, address, (pythons or {}).get(side, sys.executable)))
            for side in task.sides
        }
        rows = [Row(task, side) for side in task.sides]
        for process in running.values():
            process.run(max(task.calls // 4, 3 * task.in_flight, 1) if process is not running.get(NOT_REUSED) else 1)
            process.sample()
        for _ in range(rounds):
            for turn in range(task.turns):
                # In another order in every turn, so that none is always the first after a pause.
                for side in (*task.sides[turn % len(task.sides) :], *task.sides[: turn % len(task.sides)]):
                    fewer = FEWER if side == NOT_REUSED else 1
                    running[side].run(max(1, task.calls // task.turns // fewer))
            for row in rows:
                row.samples.append(running[row.side].sample())
    for row in rows:
        row.load = load()
    return rows


def load() -> float:
    """Return the load average of the last minute; 0 where the system does not have it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def commit() -> str:
    """Return the commit that is measured; a tree with changes is `-dirty`."""
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
