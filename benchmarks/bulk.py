"""The costs of a bulk run beside its calls, and its speed, without a network.

    python -m benchmarks.bulk [--rows N ...] [--million] [--enforce]

The first table has a transport that responds at once: CPU time, memory and the size of the journal, beside a plain loop over
the same client. The second has responses after 50 ms: calls per second, beside pools whose size was set by hand. Each way runs
in a new process, and the ways take turns. The third table has the bars.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from project_platform import AsyncClient, Call, Client, operations
from project_platform.calls.headers import Headers
from project_platform.calls.operation import Request, Response
from project_platform.models import ObjectRecord

from . import bars
from .bars import Bar
from .changes import FixedTransport
from .measure import ROOT

PROJECT = "0b9c4c6e-1111-4222-8333-444444444444"
URL = "https://platform.example"
RESPONSE = Response(
    201,
    Headers({"content-type": "application/json"}),
    json.dumps(
        {"record": {"id": "rec_236eda303a51", "typeSlug": "deal", "externalId": "x", "data": {"n": 1}}}
    ).encode(),
)


class AsyncTransport:
    """Same as `FixedTransport` with `RESPONSE`, but asynchronous."""

    max_connections = 100

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    async def send(self, request: Request, /) -> Response:
        await asyncio.sleep(self.seconds)
        return RESPONSE

    async def aclose(self) -> None:
        pass


def creates(rows: int) -> Iterator[Call[ObjectRecord]]:
    for i in range(rows):
        yield operations.records_create(
            PROJECT, type_slug="deal", external_id=f"crm-{i}", data={"title": f"deal {i}", "n": i}
        )


def loop(rows: int, seconds: float, path: Path) -> None:
    with Client(URL, token="t", transport=FixedTransport(RESPONSE, seconds)) as client:
        for call in creates(rows):
            client.send(call)


def pool(rows: int, seconds: float, path: Path) -> None:
    with (
        Client(URL, token="t", transport=FixedTransport(RESPONSE, seconds)) as client,
        ThreadPoolExecutor(64) as threads,
    ):
        for _ in threads.map(client.send, creates(rows)):
            pass


def bulk(rows: int, seconds: float, path: Path) -> None:
    client = Client(URL, token="t", transport=FixedTransport(RESPONSE, seconds))
    with client, client.project(PROJECT).bulk(path, progress=False) as job:
        job.run(creates(rows))


def async_loop(rows: int, seconds: float, path: Path) -> None:
    async def main() -> None:
        async with AsyncClient(URL, token="t", transport=AsyncTransport(seconds)) as client:
            for call in creates(rows):
                await client.send(call)

    asyncio.run(main())


def tasks(rows: int, seconds: float, path: Path) -> None:
    async def main() -> None:
        async with AsyncClient(URL, token="t", transport=AsyncTransport(seconds)) as client:
            calls = creates(rows)

            async def worker() -> None:
                for call in calls:
                    await client.send(call)

            await asyncio.gather(*(worker() for _ in range(64)))

    asyncio.run(main())


def async_bulk(rows: int, seconds: float, path: Path) -> None:
    async def main() -> None:
        client = AsyncClient(URL, token="t", transport=AsyncTransport(seconds))
        async with client, client.project(PROJECT).bulk(path, progress=False) as job:
            await job.run(creates(rows))

    asyncio.run(main())


Way = Callable[[int, float, Path], None]
LOOP, BULK, SKIPPED = "a loop", "Bulk", "Bulk, all rows skipped"
ASYNC_LOOP, ASYNC_BULK = "an asynchronous loop", "AsyncBulk"
THREADS, TASKS = "64 threads", "64 tasks"
WAYS: dict[str, Way] = {
    LOOP: loop,
    BULK: bulk,
    SKIPPED: bulk,  # with the journal of the run before
    ASYNC_LOOP: async_loop,
    ASYNC_BULK: async_bulk,
    THREADS: pool,
    TASKS: tasks,
}
COSTS = (LOOP, BULK, SKIPPED, ASYNC_LOOP, ASYNC_BULK)
SPEEDS = (THREADS, BULK, TASKS, ASYNC_BULK)
JOURNALS = {BULK: "threads", SKIPPED: "threads", ASYNC_BULK: "tasks"}
LATENCY = 0.05
WARM_UP = 300  # rows


@dataclass(frozen=True)
class Sample:
    """Microseconds of CPU time and of wall-clock time a row, MiB of resident memory, and bytes of journal a row."""

    cpu: float
    wall: float
    resident: float
    journal: float


def sample(way: Way, rows: int, seconds: float, path: Path) -> Sample:
    """Return what a row costs in this process."""
    with tempfile.TemporaryDirectory() as folder:
        way(WARM_UP, 0.0, Path(folder) / "warm-up")
    began, cpu = time.perf_counter(), time.process_time()
    way(rows, seconds, path)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20
    size = path.stat().st_size if path.exists() else 0
    return Sample(cpu / rows * 1e6, wall / rows * 1e6, resident, size / rows)


def in_turns(ways: Sequence[str], rows: int, seconds: float, rounds: int) -> dict[str, list[Sample]]:
    """Return the samples of the ways, by round: each from a new process."""
    samples: dict[str, list[Sample]] = {way: [] for way in ways}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            for way in ways:
                path = Path(folder) / JOURNALS.get(way, "none")
                given = json.dumps([way, rows, seconds, str(path)])
                done = subprocess.run(
                    [sys.executable, "-m", "benchmarks.bulk", "--one", given],
                    cwd=ROOT,
                    env={**os.environ, "XDG_RUNTIME_DIR": folder},
                    stdout=subprocess.PIPE,
                    check=True,
                )
                samples[way].append(Sample(**json.loads(done.stdout)))
    return samples


def beside(samples: dict[str, list[Sample]], way: str, plain: str) -> list[float]:
    """Return the CPU time that a row costs beside its call, by round."""
    return [own.cpu - other.cpu for own, other in zip(samples[way], samples[plain], strict=True)]


def print_costs(rows: int, samples: dict[str, list[Sample]]) -> None:
    """Print the rows of the first table, in medians."""
    for way, measured in samples.items():
        cpu, wall, resident, journal = (
            statistics.median(getattr(one, name) for one in measured) for name in ("cpu", "wall", "resident", "journal")
        )
        plain = {BULK: LOOP, ASYNC_BULK: ASYNC_LOOP}.get(way)
        more = "" if plain is None else f"{statistics.median(beside(samples, way, plain)):.0f}"
        size = f"{journal:.0f}" if journal else ""
        print(f"| {rows:,} | {way} | {cpu:.0f} | {more} | {wall:.0f} | {resident:.0f} | {size} |", flush=True)


def bars_of(costs: dict[int, dict[str, list[Sample]]], speeds: dict[str, list[Sample]]) -> Iterator[Bar]:
    """Yield the bars: of costs for the largest number of rows."""
    fewest, most = min(costs), max(costs)
    samples = costs[most]
    yield bars.absolute("Bulk, CPU beside the call", beside(samples, BULK, LOOP), 35, " us")
    yield bars.absolute("AsyncBulk, CPU beside the call", beside(samples, ASYNC_BULK, ASYNC_LOOP), 40, " us")
    yield bars.absolute("skip of a row on resume", [one.cpu for one in samples[SKIPPED]], 15, " us")
    for way in (BULK, SKIPPED):
        yield bars.absolute(f"{way}, resident memory", [one.resident for one in samples[way]], 64, " MiB")
    yield bars.absolute("journal, bytes a row", [one.journal for one in samples[BULK]], 80, "")
    for way in (BULK, SKIPPED, ASYNC_BULK):
        few, many = (statistics.median(one.cpu for one in costs[rows][way]) for rows in (fewest, most))
        yield Bar(f"{way}, CPU a row of {most:,} to {fewest:,}", many / few, 1.1)
    for own, other in ((BULK, THREADS), (ASYNC_BULK, TASKS)):
        rates = {way: [1 / one.wall for one in speeds[way]] for way in (own, other)}
        yield bars.ratio(f"{own}, calls/s to {other}", rates[own], rates[other], 0.95, least=True)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[10_000, 50_000], help="numbers of rows of the first table"
    )
    parser.add_argument("--million", action="store_true", help="a million rows as well, once")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each measurement (default: 3)")
    parser.add_argument("--speed-rows", type=int, default=8000, help="rows of the second table (default: 8000)")
    parser.add_argument("--enforce", action="store_true", help="exit with 1 if a bar is missed")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        way, rows, seconds, path = json.loads(given.one)
        print(json.dumps(asdict(sample(WAYS[way], rows, seconds, Path(path)))))
        return 0

    print("| rows | | CPU us a row | beside the call | us a row | RSS MiB | journal bytes a row |")
    print("|---|---|---|---|---|---|---|")
    costs: dict[int, dict[str, list[Sample]]] = {}
    for rows in [*given.rows, *([1_000_000] if given.million else [])]:
        costs[rows] = in_turns(COSTS, rows, 0.0, 1 if rows == 1_000_000 else given.rounds)
        print_costs(rows, costs[rows])
    speeds = in_turns(SPEEDS, given.speed_rows, LATENCY, given.rounds)
    print("\n| responses after 50 ms | calls/s |\n|---|---|")
    for way, measured in speeds.items():
        print(f"| {way} | {1e6 / statistics.median(one.wall for one in measured):.0f} |")
    found = list(bars_of(costs, speeds))
    print("\n| bar | value (range) | limit | verdict | load |\n|---|---|---|---|---|")
    for bar in found:
        print("| " + " | ".join(bar.cells()) + " |")
    return 1 if given.enforce and not all(bar.met for bar in found) else 0


if __name__ == "__main__":
    sys.exit(main())
