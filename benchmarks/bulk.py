"""What a bulk run costs beside its calls, and how fast it is, in one process and without a network.

    python -m benchmarks.bulk [--rows N ...] [--million]

The first table has a transport that answers at once: CPU time, memory and the size of the journal, beside a plain loop over
the same client. The second has answers after 50 ms: calls per second, beside pools whose size was set by hand.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from project_platform import AsyncClient, Call, Client, operations
from project_platform.calls.headers import Headers
from project_platform.calls.operation import Request, Response
from project_platform.models import ObjectRecord

PROJECT = "0b9c4c6e-1111-4222-8333-444444444444"
URL = "https://platform.example"
ANSWER = Response(
    201,
    Headers({"content-type": "application/json"}),
    json.dumps(
        {"record": {"id": "rec_236eda303a51", "typeSlug": "deal", "externalId": "x", "data": {"n": 1}}}
    ).encode(),
)


class Transport:
    """Answers after some seconds."""

    max_connections = 100

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def send(self, request: Request, /) -> Response:
        if self.seconds:
            time.sleep(self.seconds)
        return ANSWER

    def close(self) -> None:
        pass


class AsyncTransport:
    """Answers after some seconds, and lets other tasks run."""

    max_connections = 100

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    async def send(self, request: Request, /) -> Response:
        await asyncio.sleep(self.seconds)
        return ANSWER

    async def aclose(self) -> None:
        pass


def creates(rows: int) -> Iterator[Call[ObjectRecord]]:
    for i in range(rows):
        yield operations.records_create(
            PROJECT, type_slug="deal", external_id=f"crm-{i}", data={"title": f"deal {i}", "n": i}
        )


def loop(rows: int, seconds: float, path: Path) -> None:
    with Client(URL, token="t", transport=Transport(seconds)) as client:
        for call in creates(rows):
            client.send(call)


def pool(rows: int, seconds: float, path: Path) -> None:
    with Client(URL, token="t", transport=Transport(seconds)) as client, ThreadPoolExecutor(64) as threads:
        for _ in threads.map(client.send, creates(rows)):
            pass


def bulk(rows: int, seconds: float, path: Path) -> None:
    client = Client(URL, token="t", transport=Transport(seconds))
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
COSTS: dict[str, tuple[Way, str]] = {
    "a loop": (loop, ""),
    "Bulk": (bulk, "threads"),
    "Bulk, all rows skipped": (bulk, "threads"),
    "an asynchronous loop": (async_loop, ""),
    "AsyncBulk": (async_bulk, "tasks"),
}
SPEEDS: dict[str, Way] = {"64 threads": pool, "Bulk": bulk, "64 tasks": tasks, "AsyncBulk": async_bulk}


def resident() -> float:
    """Return the resident memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def costs(rows: int, folder: Path) -> None:
    """Print what a row costs."""
    for name, (way, journal) in COSTS.items():
        path = folder / f"{journal}-{rows}"
        gc.collect()
        began, cpu = time.perf_counter(), time.process_time()
        way(rows, 0.0, path)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        size = f"{path.stat().st_size / rows:.0f}" if journal else ""
        print(
            f"| {rows:,} | {name} | {cpu / rows * 1e6:.0f} | {seconds / rows * 1e6:.0f} | {resident():.0f} | {size} |",
            flush=True,
        )


def speeds(rows: int, folder: Path) -> None:
    """Print how fast rows are sent, in turns."""
    print("\n| answers after 50 ms | calls/s |\n|---|---|")
    rates: dict[str, list[float]] = {name: [] for name in SPEEDS}
    for turn in range(3):
        for name, way in SPEEDS.items():
            began = time.perf_counter()
            way(rows, 0.05, folder / f"{name}-{turn}")
            rates[name].append(rows / (time.perf_counter() - began))
    for name, measured in rates.items():
        print(f"| {name} | {sorted(measured)[1]:.0f} |")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument(
        "--rows", type=int, nargs="+", default=[10_000, 50_000], help="numbers of rows of the first table"
    )
    parser.add_argument("--million", action="store_true", help="a million rows as well")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        print("| rows | | CPU us a row | us a row | RSS MiB | journal bytes a row |\n|---|---|---|---|---|---|")
        for rows in [*given.rows, *([1_000_000] if given.million else [])]:
            costs(rows, Path(folder))
        speeds(8000, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
