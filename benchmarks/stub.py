"""Measures the stub beside Prism and moto_server in one run, and says whether it keeps its goals: `python -m benchmarks.stub --help`."""

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
from .stub_requests import OPERATIONS
from .stub_load import CONNECTIONS, load
from .stub_servers import NotInstalledError, Server

GOAL = 2.0  # Requests per CPU-second of the stub to those of Prism, at least.
PEER = "Prism"


@dataclass
class Row:
    """One operation of one server, by round; `missing` says why there is nothing."""

    operation: str
    server: str
    missing: str | None = None
    per_cpu_second: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)
    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)

    def measure(self, server: Server, seconds: float) -> None:
        """Add a round."""
        before = server.cpu()
        got = load(server.address, server.operations[self.operation], seconds)
        self.per_cpu_second.append(got.answers / (server.cpu() - before))
        self.per_second.append(got.answers / got.seconds)
        self.p50.append(got.percentile(0.50))
        self.p99.append(got.percentile(0.99))

    def ratios(self, to: Row) -> list[float]:
        """Return the rounds' ratios of requests per CPU-second to those of another server."""
        return [own / other for own, other in zip(self.per_cpu_second, to.per_cpu_second, strict=False)]

    def cells(self, peer: Row) -> list[str]:
        """Return what the table shows."""
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


def served(rounds: int, seconds: float) -> list[Row]:
    """Measure the servers in turns, round after round."""
    with contextlib.ExitStack() as stack:
        stub, described = stack.enter_context(stub_servers.stub())
        servers, missing = [stub], {}
        for name, peer in ((PEER, stub_servers.prism(described)), ("moto_server", stub_servers.moto())):
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
                # V8 compiles what is hot, and the others have caches too: that is not to be counted.
                load(server.address, server.operations[operation], seconds)
        for _ in range(rounds):
            for row in rows:
                for server in servers:
                    if server.name == row.server:
                        row.measure(server, seconds)
    return rows


def verdicts(rows: list[Row]) -> Iterator[tuple[str, bool | None]]:
    """Yield what is to be said of each operation's goal, and whether it is kept; None if that was not measured."""
    for operation in OPERATIONS:
        stub, peer = (
            next(row for row in rows if (row.operation, row.server) == (operation, of)) for of in ("stub", PEER)
        )
        if peer.missing:
            yield f"{operation}: not compared, {PEER} is not installed", None
            continue
        ratio = statistics.median(stub.ratios(peer))
        kept = ratio >= GOAL
        yield f"{operation}: {ratio:.2f} times {PEER}, goal >= {GOAL:g}: {'kept' if kept else 'MISSED'}", kept


def show(widths: tuple[int, ...], cells: list[str]) -> None:
    """Print a line of a table."""
    print("| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |", flush=True)


def versions() -> dict[str, str]:
    """Return what was measured."""
    names = ("project-platform", "uvicorn", "uvloop", "httptools", "jsonschema-rs", "joserfc", "httpx")
    found = {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in names}}
    return {**found, "prism-cli": stub_servers.PRISM, "moto": stub_servers.MOTO}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stub", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each measurement (default: 7)")
    parser.add_argument("--quick", action="store_true", help="short and few rounds: to see that it works")
    parser.add_argument("--enforce", action="store_true", help="exit with 1 unless every goal was measured and kept")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything that was measured to a file")
    options = parser.parse_args()
    if not Path("/proc/self/stat").exists():
        parser.error("CPU time of other processes is read from /proc, which only Linux has")
    rounds, seconds, each = (2, 0.5, 200) if options.quick else (options.rounds, 2.0, 1000)

    print(", ".join(f"{name} {version}" for name, version in versions().items()))
    print(f"\n{CONNECTIONS} connections, {rounds} rounds of {seconds:g} seconds:\n")
    rows = served(rounds, seconds)
    widths = (22, 11, 25, 19, 8, 6, 22)
    show(widths, ["operation", "server", "requests per CPU-second", "to Prism", "per s", "p50 ms", "p99 ms"])
    show(widths, ["---"] * len(widths))
    for row in rows:
        show(widths, row.cells(next(of for of in rows if (of.operation, of.server) == (row.operation, PEER))))
    told = list(verdicts(rows))
    print("", *(text for text, _ in told), "", sep="\n")

    narrow = (44, 9, 18)
    show(narrow, ["in the caller's own process", "us CPU", "range"])
    show(narrow, ["---"] * len(narrow))
    timed = [*stub_in_process.calls(rounds=rounds, each=each), *stub_in_process.worlds(rounds=rounds, each=each)]
    for one in timed:
        show(narrow, one.cells())

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
            "goals": [{"goal": text, "kept": kept} for text, kept in told],
            "in_process": [asdict(one) for one in timed],
        }
        options.json.write_text(json.dumps(measured, indent=2) + "\n")
    return 0 if all(kept for _, kept in told) or not options.enforce else 1


if __name__ == "__main__":
    sys.exit(main())
