"""Measures the SDK against raw httpx in one run, and reports whether the budgets are met: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import platform
import statistics
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from . import processes, server
from .calls import Pair, async_rate, sync_cpu

DISTRIBUTIONS = ("project-platform", "httpx", "httpcore", "h11", "pydantic", "anyio", "aiohttp")


@dataclass(frozen=True)
class Row:
    """One measurement.

    `ratio` is the median of the rounds' ratios of SDK to raw httpx, `lowest` and `highest` are the extremes. The budget
    limits the ratio, or the SDK's value if `absolute` is true. It is a minimum if `least` is true, else a maximum.
    """

    what: str
    unit: str
    raw: float
    sdk: float
    ratio: float | None
    lowest: float | None
    highest: float | None
    budget: float | None
    absolute: bool
    least: bool
    rounds: list[Pair]

    @property
    def met(self) -> bool | None:
        """Whether the budget is met; None where there is none."""
        value = self.sdk if self.absolute else self.ratio
        if self.budget is None or value is None:
            return None
        return value >= self.budget if self.least else value <= self.budget

    def cells(self) -> list[str]:
        """Return the cells of the row in the printed table."""
        digits = 0 if max(self.raw, self.sdk) >= 100 else 2
        ratio = "" if self.ratio is None else f"{self.ratio:.2f} ({self.lowest:.2f} to {self.highest:.2f})"
        unit = f" {self.unit.split()[0]}" if self.absolute else ""
        budget = "" if self.budget is None else f"{'>=' if self.least else '<='} {self.budget:g}{unit}"
        verdict = {True: "met", False: "MISSED", None: ""}[self.met]
        return [
            f"{self.what}, {self.unit}",
            f"{self.raw:,.{digits}f}",
            f"{self.sdk:,.{digits}f}",
            ratio,
            budget,
            verdict,
        ]


def row(
    what: str,
    unit: str,
    rounds: list[Pair],
    budget: float | None = None,
    *,
    absolute: bool = False,
    least: bool = False,
    ratios: bool = True,
) -> Row:
    """Return the row for the values of all rounds."""
    quotients = [sdk / raw for raw, sdk in rounds] if ratios else []
    return Row(
        what,
        unit,
        statistics.median(raw for raw, _ in rounds),
        statistics.median(sdk for _, sdk in rounds),
        statistics.median(quotients) if quotients else None,
        min(quotients, default=None),
        max(quotients, default=None),
        budget,
        absolute,
        least,
        rounds,
    )


def measure(url: str, rounds: int, *, quick: bool) -> Iterator[Row]:
    """Run the measurements one after another, and yield a row for each."""
    less = 4 if quick else 1
    yield row("sync call, one agent", "us CPU", sync_cpu(url, size=1, rounds=rounds, calls=400 // less), 0.70)
    pages = 120 // less
    yield row("sync page of 100, validated", "us CPU", sync_cpu(url, size=100, rounds=rounds, calls=pages), 1.15)
    rare = sync_cpu(url, size=100, rounds=rounds, calls=pages, threshold=10_000)
    yield row("the same, gc.set_threshold(10_000)", "us CPU", rare)
    calls = 600 // less
    yield row("async, 50 at once", "calls/s", async_rate(url, rounds=rounds, calls=calls), 5, least=True)
    if importlib.util.find_spec("aiohttp"):
        from project_platform.transports.aiohttp_transport import AiohttpTransport

        rate = async_rate(url, rounds=rounds, calls=calls, transport=AiohttpTransport)
        yield row("async, 50 at once, aiohttp", "calls/s", rate, 10, least=True)
    yield row("import, client, one resource", "ms", processes.start(rounds=rounds), 1.25)
    yield row("one more client", "ms", processes.second_client(rounds=max(rounds, 20)), 1.0, absolute=True)
    many = 20_000 // less
    for way in ("sync", "async"):
        grown = processes.memory(url, way, calls=many)
        if grown is not None:
            what = f"memory after {many:,} calls, {way}"
            yield row(what, "MiB more", grown, 1.0, absolute=True, ratios=False)


def show(cells: list[str]) -> None:
    """Print a row of the table."""
    widths = (44, 9, 7, 22, 12, 7)
    print("| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |", flush=True)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages under test."""
    found = {"python": platform.python_version()}
    for name in DISTRIBUTIONS:
        if name == "project-platform" or importlib.util.find_spec(name):
            found[name] = importlib.metadata.version(name)
    return found


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="rounds of each measurement (default: 9)")
    parser.add_argument("--quick", action="store_true", help="a quarter of the calls, to check that it works")
    parser.add_argument("--enforce", action="store_true", help="exit with 1 if a budget is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measured values to a file")
    options = parser.parse_args()

    print(", ".join(f"{name} {version}" for name, version in versions().items()))
    show(["what", "raw httpx", "SDK", "ratio (range)", "budget", "verdict"])
    show(["---"] * 6)
    rows: list[Row] = []
    with server.running() as url:
        for measured in measure(url, options.rounds, quick=options.quick):
            rows.append(measured)
            show(measured.cells())
    if options.json:
        report = {
            "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "machine": f"{platform.system()} {platform.machine()}",
            "versions": versions(),
            "rounds": options.rounds,
            "quick": options.quick,
            "rows": [{**asdict(measured), "met": measured.met} for measured in rows],
        }
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 1 if options.enforce and any(measured.met is False for measured in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
