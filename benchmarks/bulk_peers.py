"""A bulk run beside what users write instead, on a service whose quota changes.

    python -m benchmarks.bulk_peers [--seconds N] [--bucket]

Every side sends the same number of rows over sockets to a separate stub server, which admits 100, then 25, then 150 requests
per second. It counts the rows that are applied, and the requests that it refuses with 429. aiometer is installed into a separate
folder.

The stub server counts the requests of the last second. With `--bucket`, a token bucket with a burst of one second admits them
instead, and rows are sent until the time is over, by the sides that read rows only as fast as they send them.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import itertools
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

from project_platform import AsyncClient, Call, Client, PlatformError, RetryPolicy, operations
from project_platform.errors import RateLimitError
from project_platform.models import ObjectRecord
from project_platform_stub import Profile, Stub
from project_platform_stub.dispatch.limits import RateLimiter
from project_platform_stub.http.errors import ApiError
from project_platform_stub.profile import RateLimit
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.world import World

from .limiter import Service
from .measure import ROOT

AIOMETER = "aiometer==1.0.0"
QUOTA = (100, 25, 150)
IN_FLIGHT = 64


class Run:
    """One side on one stub server."""

    def __init__(self, url: str, stub: Stub, rows: int | None, folder: Path, seconds: float) -> None:
        self.url, self.token, self.rows, self.folder = url, stub.token(), rows, folder
        self.end = time.perf_counter() + seconds  # of the rows, if their number is None
        self.project = stub.project.id
        self.lost = self.read = 0

    def calls(self) -> Iterator[Call[ObjectRecord]]:
        for i in itertools.count() if self.rows is None else range(self.rows):
            if self.rows is None and time.perf_counter() >= self.end:
                return
            self.read += 1
            yield operations.records_create(self.project, type_slug="deal", external_id=f"crm-{i}", data={"n": i})

    def client(self, **options: Any) -> Client:
        return Client(self.url, token=self.token, **options)

    def async_client(self, **options: Any) -> AsyncClient:
        return AsyncClient(self.url, token=self.token, **options)

    async def send(self, call: Call[ObjectRecord], client: AsyncClient) -> None:
        try:
            await client.send(call)
        except PlatformError:
            self.lost += 1


def bulk(run: Run) -> None:
    with run.client() as client, client.project(run.project).bulk(run.folder / "journal", progress=False) as job:
        job.run(run.calls())


def async_bulk(run: Run) -> None:
    async def main() -> None:
        client = run.async_client()
        async with client, client.project(run.project).bulk(run.folder / "journal", progress=False) as job:
            await job.run(run.calls())

    asyncio.run(main())


def thread_pool(run: Run) -> None:
    lock, calls = threading.Lock(), run.calls()
    with run.client() as client, ThreadPoolExecutor(IN_FLIGHT) as pool:

        def send() -> None:
            while True:
                with lock:
                    call = next(calls, None)
                if call is None:
                    return
                try:
                    client.send(call)
                except PlatformError:
                    run.lost += 1

        for future in [pool.submit(send) for _ in range(IN_FLIGHT)]:
            future.result()


def semaphore(run: Run) -> None:
    async def main() -> None:
        places = asyncio.Semaphore(IN_FLIGHT)
        async with run.async_client() as client:

            async def send(call: Call[ObjectRecord]) -> None:
                async with places:
                    await run.send(call, client)

            await asyncio.gather(*map(send, run.calls()))

    asyncio.run(main())


def tenacity(run: Run) -> None:
    from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

    async def main() -> None:
        places = asyncio.Semaphore(IN_FLIGHT)
        once = RetryPolicy(max_attempts=1)
        async with run.async_client(retry=once) as client:

            async def send(call: Call[ObjectRecord]) -> None:
                retrying = AsyncRetrying(
                    retry=retry_if_exception_type(RateLimitError),
                    wait=wait_random_exponential(max=10),
                    stop=stop_after_attempt(6),
                    reraise=True,
                )
                async with places:
                    try:
                        await retrying(client.send, call)
                    except PlatformError:
                        run.lost += 1

            await asyncio.gather(*map(send, run.calls()))

    asyncio.run(main())


def aiometer(run: Run) -> None:
    run_on_each: Callable[..., Awaitable[None]] = importlib.import_module("aiometer").run_on_each

    async def main() -> None:
        async with run.async_client() as client:

            async def send(call: Call[ObjectRecord]) -> None:
                await run.send(call, client)

            await run_on_each(send, list(run.calls()), max_at_once=IN_FLIGHT, max_per_second=QUOTA[0])

    asyncio.run(main())


SIDES: dict[str, Callable[[Run], None]] = {
    "Bulk": bulk,
    "AsyncBulk": async_bulk,
    f"ThreadPoolExecutor({IN_FLIGHT}), retries of the client": thread_pool,
    f"asyncio.Semaphore({IN_FLIGHT}), retries of the client": semaphore,
    f"asyncio.Semaphore({IN_FLIGHT}), tenacity with 6 attempts": tenacity,
    f"aiometer, {QUOTA[0]} per second, retries of the client": aiometer,
}
READING_LAZILY = tuple(SIDES)[:3]


class Counter:
    """Counts the requests of a stub server, whose journal has the latest thousand only; a bucket admits them if one is given."""

    requests = refused = 0

    def __init__(self, bucket: Service | None) -> None:
        self.bucket, self.lock = bucket, threading.Lock()
        self.began = self.ended = 0.0  # times of the first request, as for the quotas of a stub, and of the last one

    def _admit(self, limiter: RateLimiter, world: World, identity: Identity) -> None:
        """Let the bucket admit a request, or raise a 429."""
        assert self.bucket is not None
        with self.lock:
            _, refused, hint = self.bucket.send(self.ended - self.began)
        if refused:
            raise ApiError(429, "The bucket is empty.", "rate_limited", {"Retry-After": str(hint)} if hint else {})

    @contextlib.contextmanager
    def counting(self) -> Generator[None]:
        admit = RateLimiter.admit if self.bucket is None else self._admit

        def counted(limiter: RateLimiter, world: World, identity: Identity) -> None:
            self.requests += 1
            self.ended = time.perf_counter()
            self.began = self.began or self.ended
            try:
                admit(limiter, world, identity)
            except ApiError:
                self.refused += 1
                raise

        with mock.patch.object(RateLimiter, "admit", counted):
            yield


def install() -> None:
    """Install aiometer, which needs nothing but anyio, into a separate folder."""
    folder = ROOT / ".venv" / "peers" / AIOMETER
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), AIOMETER]
        subprocess.run(command, check=True)
    sys.path.append(str(folder))


def measure(name: str, seconds: float, *, bucket: bool) -> None:
    """Print the row of a side."""
    schedule = [(i * seconds, rate) for i, rate in enumerate(QUOTA)]
    limits = tuple(RateLimit(rate, 1.0, after_seconds=since) for since, rate in schedule)
    stub = Stub(profile=Profile(rate_limit=None if bucket else limits, retry_after="seconds"))
    counter = Counter(Service(schedule, random.Random(0), hint="seconds") if bucket else None)
    rows = None if bucket else round(sum(QUOTA) * seconds * 0.9)
    with tempfile.TemporaryDirectory() as folder, counter.counting(), stub.serve() as server:
        os.environ["XDG_RUNTIME_DIR"] = folder
        run = Run(server.base_url, stub, rows, Path(folder), len(QUOTA) * seconds)
        began = time.perf_counter()
        SIDES[name](run)
        took = time.perf_counter() - began
    applied = sum(str(record["externalId"]).startswith("crm-") for record in stub.project.records.values())
    refused, requests = counter.refused, counter.requests
    # What the service would have admitted in that time; a bucket is full at first.
    admitted = QUOTA[0] if bucket else 0.0
    admitted += sum(min(max(took - i * seconds, 0), seconds if i < 2 else took) * rate for i, rate in enumerate(QUOTA))
    print(
        f"| {name} | {took:.0f} | {applied / admitted:.0%} | {refused / requests:.1%} | {run.read - applied} of {run.read:,} |",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk_peers", description=__doc__)
    parser.add_argument("--seconds", type=float, default=12.0, help="duration of each quota")
    parser.add_argument(
        "--bucket", action="store_true", help="a token bucket, for a time, instead of a count in a window"
    )
    given = parser.parse_args()
    if not given.bucket:
        install()
    print("| | seconds | quota used | refused (429) | rows not applied |\n|---|---|---|---|---|")
    for name in READING_LAZILY if given.bucket else SIDES:
        measure(name, given.seconds, bucket=given.bucket)
    return 0


if __name__ == "__main__":
    sys.exit(main())
