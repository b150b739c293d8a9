"""Measures the stub against Prism and moto_server in one run, and reports whether it meets its goals: `python -m benchmarks.stub --help`."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.metadata
import json
import platform
import statistics
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import stub_in_process, stub_servers
from .stub_load import CONNECTIONS, load
from .stub_requests import OPERATIONS
from .stub_servers import NotInstalledError, Server

GOAL = 2.0  # Minimum ratio of the stub's requests per CPU-second to Prism's.
PEER = "Prism"


@dataclass
class Row:
    """Values of one operation of one server, by round; `missing` is the reason where the server could not be run."""

    operation: str
    server: str
    missing: str | None = None
    per_cpu_second: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)
    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)

    def measure(self, server: Server, seconds: float) -> None:
        """Measure one round and add its values."""
        before = server.cpu()
        result = load(server.address, server.operations[self.operation], seconds)
        self.per_cpu_second.append(result.responses / (server.cpu() - before))
        self.per_second.append(result.responses / result.seconds)
        self.p50.append(result.percentile(0.50))
        self.p99.append(result.percentile(0.99))

    def ratios(self, to: Row) -> list[float]:
        """Return the rounds' ratios of requests per CPU-second to those of another server."""
        return [own / other for own, other in zip(self.per_cpu_second, to.per_cpu_second, strict=False)]

    def cells(self, peer: Row) -> list[str]:
        """Return the cells of the row in the printed table."""
        if self.missing:
            return [self.operation, self.server, f"not installed: {self.missing}", "", "", "", ""]
        ratios = self.ratios(peer) if self is not peer else []
        return [
            self.operation,
            self.server,
            f"{statistics.median(self.per_cpu_second):,.0f} ({min(self.per_cpu_second):,.0f} to {max(self.per_cpu_second):,.0f})",
            f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})" if ratios else "",
            f"{statistics.median(self.per_second):,.0f}",
            f"{statistics.median(self.p50):.1f}",
            f"{statistics.median(self.p99):.1f} ({min(self.p99):.1f} to {max(self.p99):.1f})",
        ]


def measure_servers(rounds: int, seconds: float) -> list[Row]:
    """Measure the servers in turn, in every round."""
    with contextlib.ExitStack() as stack:
        stub, description = stack.enter_context(stub_servers.stub())
        servers, missing = [stub], {}
        for name, peer in ((PEER, stub_servers.prism(description)), ("moto_server", stub_servers.moto())):
            try:
                servers.append(stack.enter_context(peer))
            except NotInstalledError as error:
                missing[name] = str(error)
        rows = [
            Row(operation, name, missing.get(name))
            for operation in OPERATIONS
            for name in (*(server.name for server in servers), *missing)
        ]
        for server in servers:
            for operation in OPERATIONS:
                # Warm-up: V8 compiles hot code, and the other servers fill caches.
                load(server.address, server.operations[operation], seconds)
        for _ in range(rounds):
            for row in rows:
                for server in servers:
                    if server.name == row.server:
                        row.measure(server, seconds)
    return rows


def verdicts(rows: list[Row]) -> Iterator[tuple[str, bool | None]]:
    """Yield a sentence about the goal of each operation, and whether it is met; None if it was not measured."""
    for operation in OPERATIONS:
        stub, peer = (
            next(row for row in rows if (row.operation, row.server) == (operation, name)) for name in ("stub", PEER)
        )
        if peer.missing:
            yield f"{operation}: not compared, {PEER} is not installed", None
            continue
        ratio = statistics.median(stub.ratios(peer))
        met = ratio >= GOAL
        yield f"{operation}: {ratio:.2f} times {PEER}, goal >= {GOAL:g}: {'met' if met else 'MISSED'}", met


def show(widths: tuple[int, ...], cells: list[str]) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |", flush=True)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the servers and packages under test."""
    names = ("project-platform", "uvicorn", "uvloop", "httptools", "jsonschema-rs", "joserfc", "httpx")
    found = {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in names}}
    return {**found, "prism-cli": stub_servers.PRISM, "moto": stub_servers.MOTO}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stub", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each measurement (default: 7)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, to check that it works")
    parser.add_argument("--enforce", action="store_true", help="exit with 1 unless every goal was measured and met")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measured values to a file")
    options = parser.parse_args()
    if not Path("/proc/self/stat").exists():
        parser.error("this benchmark runs on Linux only, because it reads the CPU time of other processes from /proc")
    rounds, seconds, calls = (2, 0.5, 200) if options.quick else (options.rounds, 2.0, 1000)

    print(", ".join(f"{name} {version}" for name, version in versions().items()))
    print(f"\n{CONNECTIONS} connections, {rounds} rounds of {seconds:g} seconds:\n")
    rows = measure_servers(rounds, seconds)
    widths = (22, 11, 25, 19, 8, 6, 22)
    show(widths, ["operation", "server", "requests per CPU-second", "to Prism", "per s", "p50 ms", "p99 ms"])
    show(widths, ["---"] * len(widths))
    for row in rows:
        show(widths, row.cells(next(peer for peer in rows if (peer.operation, peer.server) == (row.operation, PEER))))
    goals = list(verdicts(rows))
    print("", *(text for text, _ in goals), "", sep="\n")

    narrow = (44, 9, 18)
    show(narrow, ["in the caller's process", "us CPU", "range"])
    show(narrow, ["---"] * len(narrow))
    timed = [
        *stub_in_process.time_calls(rounds=rounds, calls=calls),
        *stub_in_process.time_worlds(rounds=rounds, calls=calls),
    ]
    for timing in timed:
        show(narrow, timing.cells())

    if options.json:
        measured = {
            "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "machine": f"{platform.system()} {platform.machine()}",
            "versions": versions(),
            "connections": CONNECTIONS,
            "rounds": rounds,
            "seconds": seconds,
            "quick": options.quick,
            "served": [asdict(row) for row in rows],
            "goals": [{"goal": text, "met": met} for text, met in goals],
            "in_process": [asdict(timing) for timing in timed],
        }
        options.json.write_text(json.dumps(measured, indent=2) + "\n")
    return 0 if all(met for _, met in goals) or not options.enforce else 1


if __name__ == "__main__":
    sys.exit(main())
