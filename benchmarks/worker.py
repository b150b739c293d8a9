"""The process of one side: `python -m benchmarks.worker TASK` makes as many calls as each line of stdin says.

After a 0 it prints a sample of the calls since the last one, and after any other number an empty line.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from . import sides


class Meter:
    """Measures CPU time, wall-clock time, single calls and collections of this process, while calls are made.

    Args:
        clock: The clock of single calls, in nanoseconds: CPU time, so that other programs do not count, or wall-clock time
            where calls overlap.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.durations: list[int] = []
        self._cpu = self._wall = self._full = 0

    @contextmanager
    def running(self) -> Generator[None]:
        """Measure what is done in the block."""
        full = _full_collections()
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        yield
        self._cpu += time.process_time_ns() - cpu
        self._wall += time.perf_counter_ns() - wall
        self._full += _full_collections() - full

    def sample(self) -> dict[str, float]:
        """Return microseconds of CPU time per call, calls per second, percentiles and full collections per 1,000 calls.

        The next sample begins here.
        """
        calls, ordered = len(self.durations), sorted(self.durations)
        sample = {
            "cpu": self._cpu / calls / 1e3,
            "rate": calls / self._wall * 1e9,
            "p50": ordered[calls // 2] / 1e3,
            "p99": ordered[min(calls - 1, calls * 99 // 100)] / 1e3,
            "full": self._full / calls * 1e3,
        }
        self.durations.clear()
        self._cpu = self._wall = self._full = 0
        return sample


def _full_collections() -> int:
    return int(gc.get_stats()[-1]["collections"])


def _turns(meter: Meter) -> Iterator[int]:
    """Yield numbers of calls to make, and answer."""
    is_warm = False
    for line in sys.stdin:
        if calls := int(line):
            yield calls
            print(flush=True)
            continue
        sample = meter.sample()
        if not is_warm:
            # After the calls that warm up, so that none pays for the objects of imports.
            gc.collect()
            is_warm = True
        print(json.dumps(sample), flush=True)


def run(task: dict[str, Any]) -> None:
    """Measure synchronous calls."""
    table = sides.EVERYTHING if task["everything"] else sides.SYNC
    meter = Meter(time.process_time_ns)
    with table[task["side"]](task["url"], task["certificate"]) as call:
        for calls in _turns(meter):
            with meter.running():
                for _ in range(calls):
                    began = meter.clock()
                    call(task["size"])
                    meter.durations.append(meter.clock() - began)


async def run_async(task: dict[str, Any]) -> None:
    """Measure calls that are in flight at the same time."""
    meter = Meter(time.perf_counter_ns)
    async with sides.ASYNC[task["side"]](task["url"]) as call:
        for calls in _turns(meter):
            with meter.running():
                await _concurrently(call, task["size"], calls, task["in_flight"], meter)


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
    if given["side"] == sides.SDK_ON_UVLOOP:
        import uvloop

        uvloop.run(run_async(given))
    elif given["in_flight"]:
        asyncio.run(run_async(given))
    else:
        run(given)
