"""The process of one side: `python -m benchmarks.worker TASK` reads numbers of calls from stdin, and prints a sample for each."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from . import sides


class Meter:
    """Measures CPU time, wall-clock time, single calls and collections of this process.

    Args:
        clock: The clock of single calls, in nanoseconds: CPU time, so that other programs do not count, or wall-clock time
            where calls overlap.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.durations: list[int] = []
        self._full = self._full_collections()
        self._cpu, self._wall = time.process_time_ns(), time.perf_counter_ns()

    def sample(self) -> dict[str, float]:
        """Return microseconds of CPU time per call, calls per second, percentiles and full collections per 1,000 calls."""
        cpu, wall = time.process_time_ns() - self._cpu, time.perf_counter_ns() - self._wall
        calls, ordered = len(self.durations), sorted(self.durations)
        return {
            "cpu": cpu / calls / 1e3,
            "rate": calls / wall * 1e9,
            "p50": ordered[calls // 2] / 1e3,
            "p99": ordered[min(calls - 1, calls * 99 // 100)] / 1e3,
            "full": (self._full_collections() - self._full) / calls * 1e3,
        }

    def _full_collections(self) -> int:
        return int(gc.get_stats()[-1]["collections"])


def _orders() -> Iterator[int]:
    """Yield the numbers of calls to make."""
    for number, line in enumerate(sys.stdin):
        if number == 1:
            # After the round that warms up, so that none pays for the objects of imports.
            gc.collect()
        yield int(line)


def _answer(sample: dict[str, float]) -> None:
    print(json.dumps(sample), flush=True)


def run(task: dict[str, Any]) -> None:
    """Measure synchronous calls."""
    table = sides.EVERYTHING if task["everything"] else sides.SYNC
    with table[task["side"]](task["url"], task["certificate"]) as call:
        for calls in _orders():
            meter = Meter(time.process_time_ns)
            for _ in range(calls):
                began = meter.clock()
                call(task["size"])
                meter.durations.append(meter.clock() - began)
            _answer(meter.sample())


async def run_async(task: dict[str, Any]) -> None:
    """Measure calls that are in flight at the same time."""
    async with sides.ASYNC[task["side"]](task["url"]) as call:
        for calls in _orders():
            meter = Meter(time.perf_counter_ns)
            await _concurrently(call, task["size"], calls, task["in_flight"], meter)
            _answer(meter.sample())


async def _concurrently(
    call: Callable[[int], Awaitable[object]], size: int, calls: int, in_flight: int, meter: Meter
) -> None:
    left = calls

    async def caller() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            began = meter.clock()
            await call(size)
            meter.durations.append(meter.clock() - began)

    await asyncio.gather(*(caller() for _ in range(in_flight)))


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    if given["in_flight"]:
        asyncio.run(run_async(given))
    else:
        run(given)
