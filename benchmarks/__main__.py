"""Measures the SDK against raw httpx: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from . import bars, changes, environments, processes, server
from .bars import Bar
from .measure import Row, Task, commit, measure
from .server import Address
from .sides import NOT_REUSED, RAW, SDK, SDK_ON_HTTPX, SDK_ON_UVLOOP

DISTRIBUTIONS = ("project-platform", "httpx", "httpcore", "h11", "httptools", "pydantic", "anyio")
TASKS = (
    Task("one agent", 400, sides=(RAW, NOT_REUSED, SDK, SDK_ON_HTTPX)),
    Task("one agent over TLS", 400, tls=True),
    Task("page of 100", 250, size=100),
    Task("50 in flight", 1000, in_flight=50, sides=(RAW, SDK, SDK_ON_UVLOOP, SDK_ON_HTTPX)),
    Task("all pages of 10,000 agents", 2, size=100, everything=True, sides=(RAW, SDK)),
)
_ROWS = (27, 23, 8, 20, 8, 8, 9, 6, 5)
_BARS = (52, 26, 10, 7, 5)


def shorter(task: Task, divisor: int) -> Task:
    """Return a task with fewer calls."""
    return replace(task, calls=max(1, task.calls // divisor))


def measure_the_rest(address: Address, rounds: int, divisor: int, pythons: Mapping[str, str]) -> Iterator[Bar]:
    """Measure processes, memory and values, and yield a bar for each."""
    began = processes.start(address.http, pythons, rounds=rounds)
    yield bars.of_values("import, client, first call, CPU to httpx and a model", began, 0.75)
    seconds, grown = processes.second_client(pythons, rounds=rounds)
    yield bars.absolute("second client", seconds[SDK], 1, " ms")
    if grown is not None:
        yield bars.absolute("second client, memory", grown[SDK], 1, " MiB")
        calls = 20_000 // divisor
        for way in ("sync", "async"):
            more = processes.memory(address.http, way, pythons, calls=calls)[SDK]
            yield bars.absolute(f"memory after {calls:,} calls, {way}", more, 1, " MiB")
        # 1 %: the resident set is counted in pages, and the allocator's arenas differ.
        yield bars.of_values(
            "labels.export of 32 MiB, peak to raw httpx", processes.export(address.http, pythons, rounds=3), 1.01
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


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages under test."""
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in DISTRIBUTIONS}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each measurement (default: 7)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, to check that it works")
    parser.add_argument("--enforce", action="store_true", help="exit with 1 if a bar is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measured values to a file")
    options = parser.parse_args()
    rounds, divisor = (3, 8) if options.quick else (options.rounds, 1)

    print("installing what the users of each side install ...", file=sys.stderr)
    pythons = environments.interpreters()
    print(f"commit {commit()}; " + ", ".join(f"{name} {version}" for name, version in versions().items()))
    rows: list[Row] = []
    found: list[Bar] = []
    with server.running() as address:
        print()
        show(_ROWS, ["what", "side", "us CPU", "to raw httpx", "calls/s", "p50 us", "p99 us", "full", "load"])
        show(_ROWS, ["---"] * len(_ROWS))
        for task in TASKS:
            if task.tls and address.https is None:
                print("no TLS: install cryptography", file=sys.stderr)
                continue
            measured = measure(shorter(task, divisor), address, rounds, pythons)
            rows += measured
            found += bars.of_rows(measured)
            for row in measured:
                show(_ROWS, row.cells(measured[0]))
        found += measure_the_rest(address, rounds, divisor, pythons)
        print()
        show(_BARS, ["bar", "value (range)", "limit", "verdict", "load"])
        show(_BARS, ["---"] * len(_BARS))
        for bar in found:
            show(_BARS, bar.cells())
    if options.json:
        report = {
            "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "commit": commit(),
            "machine": f"{platform.system()} {platform.machine()}",
            "versions": versions(),
            "rounds": rounds,
            "quick": options.quick,
            "rows": [asdict(row) for row in rows],
            "bars": [{**asdict(bar), "met": bar.met} for bar in found],
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 1 if options.enforce and not all(bar.met for bar in found) else 0


if __name__ == "__main__":
    sys.exit(main())
