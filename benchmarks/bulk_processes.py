"""Bulk runs of several processes on one quota: over sockets, in real time, and with the start of the processes in it.

    python -m benchmarks.bulk_processes [--processes N] [--rate R] [--seconds S]

A separate stub server admits a constant number of requests per second: as a token bucket with a burst of one second, and as
a count of the last second. Every process runs `Bulk` on a separate journal. All share the pace of the user, except in the last
two rows, where each has a separate pace. The table has the share of the quota that was used from the first request to the last, the
share of 429, the rows that were not applied, and the least to the most that a process sent.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from unittest import mock

from project_platform import Call, Client, operations
from project_platform.models import ObjectRecord
from project_platform_stub import Profile, Stub
from project_platform_stub.dispatch.limits import RateLimiter
from project_platform_stub.http.errors import ApiError
from project_platform_stub.profile import RateLimit
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.world import World

from .limiter import LABELS, Service
from .measure import ROOT


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


@dataclass(frozen=True)
class Job:
    """The requests of one process: creates until a file exists."""

    url: str
    token: str
    project: str
    number: int
    journal: str
    stop: str

    def calls(self, read: list[int]) -> Iterator[Call[ObjectRecord]]:
        """Yield the rows, and append the number of each to `read`."""
        stop = Path(self.stop)
        for i in itertools.count():
            if stop.exists():
                return
            read.append(i)
            yield operations.records_create(
                self.project, type_slug="deal", external_id=f"crm-{self.number}-{i}", data={"n": i}
            )

    def run(self) -> int:
        """Send the rows, and return the number of those that were read."""
        read: list[int] = []
        with (
            Client(self.url, token=self.token) as client,
            client.project(self.project).bulk(self.journal, progress=False) as job,
        ):
            job.run(self.calls(read))
        return len(read)


@dataclass(frozen=True)
class Quota:
    """A constant number of requests per second, and how the service counts and refuses."""

    rate: float
    kind: str = "bucket"
    hint: str = "seconds"

    def counter(self) -> Counter:
        bucket = Service([(0, self.rate)], random.Random(0), hint=self.hint)
        return Counter(bucket if self.kind == "bucket" else None)

    def profile(self) -> Profile:
        limit = None if self.kind == "bucket" else RateLimit(round(self.rate), 1.0)
        return Profile(rate_limit=limit, retry_after="seconds" if self.hint == "seconds" else "none")


@dataclass(frozen=True)
class Measured:
    """Shares of the quota used and of 429, rows that were not applied, and rows by process."""

    used: float
    refused: float
    lost: int
    rows: list[int]


def measure(quota: Quota, processes: int, seconds: float, *, shared: bool) -> Measured:
    """Let processes send for some seconds, from the first request on."""
    stub, counter = Stub(profile=quota.profile()), quota.counter()
    with tempfile.TemporaryDirectory() as folder, counter.counting(), stub.serve() as server:
        stop = Path(folder, "stop")
        started = []
        for number in range(processes):
            own = Path(folder, str(number))
            own.mkdir()
            job = Job(server.base_url, stub.token(), stub.project.id, number, str(own / "journal"), str(stop))
            process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.bulk_processes", "--one"],
                cwd=ROOT,
                env={**os.environ, "XDG_RUNTIME_DIR": folder if shared else str(own)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            assert process.stdin is not None
            process.stdin.write(json.dumps(asdict(job)))
            process.stdin.close()
            started.append(process)
        while time.perf_counter() < counter.began + seconds or not counter.began:
            time.sleep(0.1)
        stop.touch()
        rows = [int(process.stdout.read()) for process in started if process.stdout is not None]
        for process in started:
            with process:
                process.wait()
    applied = sum(str(record["externalId"]).startswith("crm-") for record in stub.project.records.values())
    burst = quota.rate if quota.kind == "bucket" else 0.0
    return Measured(
        applied / (burst + quota.rate * (counter.ended - counter.began)),
        counter.refused / counter.requests,
        sum(rows) - applied,
        rows,
    )


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk_processes", description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--rate", type=float, default=120.0, help="requests per second that are admitted")
    parser.add_argument("--seconds", type=float, default=40.0, help="duration of each measurement")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(Job(**json.load(sys.stdin)).run())
        return 0

    print("| quota | pace | used | refused (429) | rows not applied | rows of a process |\n|---|---|---|---|---|---|")
    for shared, kind, hint in itertools.product((True, False), ("bucket", "window"), LABELS):
        if not shared and hint == "none":
            continue
        found = measure(Quota(given.rate, kind, hint), given.processes, given.seconds, shared=shared)
        print(
            f"| {kind}, {LABELS[hint]} | {'shared' if shared else 'one each'} | {found.used:.0%} | {found.refused:.1%} |"
            f" {found.lost} of {sum(found.rows):,} | {min(found.rows)} to {max(found.rows)} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
