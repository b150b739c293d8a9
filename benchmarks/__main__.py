"""Measures the SDK against raw httpx, and with --peers against other clients: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from . import bars, changes, growth, peers, processes, server
from .bars import Bar
from .measure import Row, Task, measure
from .server import Address
from .sides import RAW, SDK, SDK_ON_HTTPX

DISTRIBUTIONS = ("project-platform", "httpx", "httpcore", "h11", "httptools", "pydantic", "anyio")
PICTURE = Path(__file__).with_name("growth.svg")
TASKS = (
    Task("one agent", 400),
    Task("one agent over TLS", 400, tls=True),
    Task("page of 100", 250, size=100),
    Task("50 in flight", 1000, in_flight=50),
    Task("all pages of 10,000 agents", 2, size=100, everything=True),
)
_ROWS = (27, 23, 8, 20, 8, 8, 9, 6)
_BARS = (52, 26, 10, 7)


class Peers:
    """The interpreter of the peers, or why there is none."""

    def __init__(self, *, wanted: bool) -> None:
        self.python: str | None = None
        self.problem: str | None = None
        if wanted:
            print("installing the peers if they are missing ...", file=sys.stderr)
            try:
                self.python = peers.interpreter()
            except peers.NotInstalledError as error:
                self.problem = str(error)

    def of(self, task: Task) -> tuple[str, ...]:
        """Return the peers that run a task."""
        if task.tls or task.everything or (self.python is None and self.problem is None):
            return ()
        return peers.ASYNC if task.in_flight else peers.SYNC


def measure_tasks(address: Address, rounds: int, divisor: int, beside: Peers) -> Iterator[list[Row]]:
    """Run the tasks one after another, and yield the rows of each."""
    for task in TASKS:
        if task.tls and address.https is None:
            print("no TLS: install cryptography", file=sys.stderr)
            continue
        shorter = Task(**{**asdict(task), "calls": max(1, task.calls // divisor)})
        others = beside.of(task)
        running = others if beside.python is not None else ()
        own = (RAW, SDK) if task.everything else (RAW, SDK, SDK_ON_HTTPX)
        rows = measure(shorter, (*own, *running), address, rounds, dict.fromkeys(running, beside.python or ""))
        yield rows + [Row(task, other, missing=beside.problem) for other in others if other not in running]


def measure_the_rest(address: Address, rounds: int, divisor: int) -> Iterator[Bar]:
    """Measure processes, memory and values, and yield a bar for each."""
    began = processes.start(address.http, rounds=rounds)
    yield bars.of_values("import, client, first call, CPU to httpx and a model", began, 0.80)
    seconds, grown = processes.second_client(rounds=rounds)
    yield bars.absolute("second client", seconds[SDK], 1, " ms")
    if grown is not None:
        yield bars.absolute("second client, memory", grown[SDK], 1, " MiB")
        calls = 20_000 // divisor
        for way in ("sync", "async"):
            more = processes.memory(address.http, way, calls=calls)[SDK]
            yield bars.absolute(f"memory after {calls:,} calls, {way}", more, 1, " MiB")
        # 1 %: the resident set is counted in pages, and the allocator's arenas differ.
        yield bars.of_values(
            "labels.export of 32 MiB, peak to raw httpx", processes.export(address.http, rounds=3), 1.01
        )
    raw, own = changes.writing_numbers(rounds)
    yield bars.ratio("exact_json.dumps of numbers, CPU to json.dumps", own, raw, 2.5)
    yield bars.absolute("Change.between, 8 keys", changes.making_a_change(rounds), 30, " us")
    typed, untyped = changes.saving(rounds)
    yield bars.ratio("typed save, CPU to change and apply", typed, untyped, 1.8)
    short, long = (changes.applying(count, rounds) for count in (1_000, 10_000))
    yield Bar("records.apply, 10,000 objects to 1,000", long / short, 15)


def show(widths: Sequence[int], cells: Sequence[str]) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |", flush=True)


def versions(*, with_peers: bool) -> dict[str, str]:
    """Return the versions of Python and of the packages under test."""
    found = {"python": platform.python_version()}
    found |= {name: importlib.metadata.version(name) for name in DISTRIBUTIONS}
    return found | (peers.VERSIONS if with_peers else {})


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each measurement (default: 9)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, to check that it works")
    parser.add_argument("--peers", action="store_true", help="measure other clients as well; installs them at first")
    parser.add_argument("--growth", action="store_true", help=f"measure growth as well, and write {PICTURE.name}")
    parser.add_argument("--enforce", action="store_true", help="exit with 1 if a bar is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measured values to a file")
    options = parser.parse_args()
    rounds, divisor = (3, 4) if options.quick else (options.rounds, 1)

    beside = Peers(wanted=options.peers)
    print(", ".join(f"{name} {version}" for name, version in versions(with_peers=options.peers).items()))
    rows: list[Row] = []
    found: list[Bar] = []
    drawn: list[growth.Chart] = []
    with server.running() as address:
        print()
        show(_ROWS, ["what", "side", "us CPU", "to raw httpx", "calls/s", "p50 us", "p99 us", "full"])
        show(_ROWS, ["---"] * len(_ROWS))
        for measured in measure_tasks(address, rounds, divisor, beside):
            rows += measured
            found += bars.of_rows(measured)
            for row in measured:
                show(_ROWS, row.cells(measured[0]))
        found += measure_the_rest(address, rounds, divisor)
        print()
        show(_BARS, ["bar", "value (range)", "limit", "verdict"])
        show(_BARS, ["---"] * len(_BARS))
        for bar in found:
            show(_BARS, bar.cells())
        if options.growth:
            drawn = list(growth.charts(address, quick=options.quick))
            PICTURE.write_text(growth.picture(drawn), encoding="utf-8")
            print(f"\n{PICTURE} was written")
    if options.json:
        report = {
            "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "machine": f"{platform.system()} {platform.machine()}",
            "versions": versions(with_peers=options.peers),
            "rounds": rounds,
            "quick": options.quick,
            "rows": [asdict(row) for row in rows],
            "bars": [{**asdict(bar), "met": bar.met} for bar in found],
            "growth": [asdict(chart) for chart in drawn],
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 1 if options.enforce and not all(bar.met for bar in found) else 0


if __name__ == "__main__":
    sys.exit(main())
