"""The limiter of bulk runs against services whose capacity it does not know, in virtual time: capacity used, and share of 429.

    python -m benchmarks.limiter

It sends as much as it may. The first table has quotas of many kinds and courses over 90 s, the second one the bars.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import math
import random
import statistics
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from project_platform.bulk.limiter import Limiter, Window
from project_platform.bulk.pace import Pace

SECONDS = 90.0
HINTS = {"none": None, "seconds": 1}
LABELS = {"none": "no Retry-After", "seconds": "Retry-After: 1"}


@dataclass
class Service:
    """A service whose rate follows a schedule of (second, rate).

    It is a token bucket with a burst of one second; with `window`, a count of what was granted in the last seconds; with
    `slots`, a queue that refuses nothing.
    """

    schedule: Sequence[tuple[float, float]]
    dice: random.Random
    latency: float = 0.1
    hint: str = "none"
    slots: int = 0
    window: float = 0.0
    fixed: bool = False  # whether windows follow each other, and Retry-After is the time of the next
    at_once: int = 0  # requests that are admitted at the same time
    at: float = 0.0
    tokens: float = field(init=False)
    free: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = self.schedule[0][1] * (self.window if self.fixed else 1)  # otherwise a burst of one second
        self.free = [0.0] * self.slots
        self.granted: deque[float] = deque()
        self.running: list[float] = []  # ends of requests

    def rate(self, now: float) -> float:
        return next(rate for since, rate in reversed(self.schedule) if now >= since)

    def send(self, now: float) -> tuple[float, bool, float | None]:
        """Return when the response arrives, whether it is a 429, and its Retry-After."""
        latency, rate = self.latency * self.dice.uniform(0.8, 1.6), self.rate(now)
        if self.slots:
            end = max(now + latency / 2, heapq.heappop(self.free)) + self.slots / rate
            heapq.heappush(self.free, end)
            return end + latency / 2, False, None
        if self.at_once:
            while self.running and self.running[0] <= now:
                heapq.heappop(self.running)
            if len(self.running) >= self.at_once:
                return now + latency, True, HINTS[self.hint]
            heapq.heappush(self.running, now + latency)
            return now + latency, False, None
        if self.fixed:
            if self.at // self.window != now // self.window:
                self.tokens = rate * self.window
            self.at = now
            if self.tokens >= 1:
                self.tokens -= 1
                return now + latency, False, None
            return now + latency, True, math.ceil(self.window - now % self.window)
        if self.window:
            while self.granted and self.granted[0] <= now - self.window:
                self.granted.popleft()
            self.tokens = rate * self.window - len(self.granted)
        else:
            self.tokens = min(rate, self.tokens + (now - self.at) * rate)
        self.at = now
        if self.tokens >= 1:
            self.tokens -= 1
            if self.window:
                self.granted.append(now)
            return now + latency, False, None
        return now + latency, True, HINTS[self.hint]

    def capacity(self, seconds: float = SECONDS) -> float:
        if self.at_once:
            return self.at_once / (1.2 * self.latency) * seconds
        edges = [*(since for since, _ in self.schedule if since < seconds), seconds]
        burst = 0.0 if self.slots or self.window else self.schedule[0][1]
        return burst + sum(
            rate * (end - since) for (_, rate), since, end in zip(self.schedule, edges, edges[1:], strict=False)
        )


class Ours:
    """The limiter of bulk runs."""

    def __init__(self, pace: Pace | None = None) -> None:
        self.limiter = Limiter(Window(most=256), pace or Pace())

    def start(self, now: float) -> float:
        return self.limiter.start(now)

    def end(self, now: float, began: float, *, refused: bool, hint: float | None, level: int) -> None:
        if refused:
            self.limiter.refused(now, began, hint, level)
        else:
            self.limiter.answered(now)


@dataclass
class Result:
    """The counts of a simulation."""

    good: int = 0
    refused: int = 0
    latencies: list[float] = field(default_factory=list)


def simulate(senders: Sequence[Ours], service: Service, starts: float = 0.0, seconds: float = SECONDS) -> Result:
    """Let senders send for some virtual seconds; they begin evenly within the first `starts` seconds."""
    number = itertools.count()
    events: list[tuple[float, int, int, tuple[float, bool, float | None, int] | None]] = []
    in_flight = [0] * len(senders)
    wake_at = [0.001 * i + starts * i / len(senders) for i in range(len(senders))]
    result = Result()
    for i, at in enumerate(wake_at):
        heapq.heappush(events, (at, next(number), i, None))

    def send(now: float, i: int) -> None:
        end, refused, hint = service.send(now)
        in_flight[i] += 1
        heapq.heappush(events, (end, next(number), i, (now, refused, hint, in_flight[i])))

    while events:
        now, _, i, event = heapq.heappop(events)
        if now > seconds:
            break
        sender = senders[i]
        if event is not None:
            began, refused, hint, level = event
            in_flight[i] -= 1
            sender.end(now, began, refused=refused, hint=hint, level=level)
            if refused:
                result.refused += 1
            else:
                result.good += 1
                result.latencies.append(now - began)
        elif wake_at[i] <= now:
            wake_at[i] = math.inf
        while (wait := sender.start(now)) <= 0:
            send(now, i)
        if wait < math.inf and now + wait < wake_at[i] - 1e-6:
            wake_at[i] = now + wait + 1e-9
            heapq.heappush(events, (wake_at[i], next(number), i, None))
    return result


COURSES: dict[str, Sequence[tuple[float, float]]] = {
    "constant, 20/s": [(0, 20)],
    "constant, 200/s": [(0, 200)],
    "constant, 1000/s": [(0, 1000)],
    "up: 25, then 150/s": [(0, 25), (30, 150)],
    "down: 200, then 40/s": [(0, 200), (45, 40)],
    "100, 25, 200/s": [(0, 100), (30, 25), (60, 200)],
    "60 and 150/s, every 15 s": [(15 * i, (60, 150)[i % 2]) for i in range(6)],
    "from 40 to 176/s in steps": [(5 * i, 40 + 8 * i) for i in range(18)],
}
KINDS = (("bucket", "none"), ("bucket", "seconds"), ("window", "none"), ("window", "seconds"))


def courses() -> None:
    """Print the first table: means over two latencies and three seeds."""
    print("\n| quota | " + " | ".join(f"{kind}, {LABELS[hint]}" for kind, hint in KINDS) + " |")
    print("|---" * (1 + len(KINDS)) + "|")
    for name, schedule in COURSES.items():
        cells = []
        for kind, hint in KINDS:
            shares, refusals = [], []
            for latency, seed in itertools.product((0.01, 0.1), range(3)):
                service = Service(schedule, random.Random(seed), latency, hint, window=float(kind == "window"))
                result = simulate([Ours()], service)
                shares.append(result.good / service.capacity())
                refusals.append(result.refused / (result.good + result.refused))
            cells.append(f"{statistics.mean(shares):.0%}, {statistics.mean(refusals):.1%}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


BARS: dict[str, tuple[float, Callable[[random.Random], Service], int]] = {
    "bucket, 100/s, Retry-After: 1": (0.95, lambda dice: Service([(0, 100)], dice, hint="seconds"), 1),
    "window, 100/s, Retry-After: 1": (0.92, lambda dice: Service([(0, 100)], dice, hint="seconds", window=1.0), 1),
    "200 per 10 s": (0.92, lambda dice: Service([(0, 20)], dice, window=10.0, fixed=True), 1),
    "ten at once": (0.90, lambda dice: Service([(0, 0)], dice, at_once=10), 1),
    "ten at once, Retry-After: 1": (0.90, lambda dice: Service([(0, 0)], dice, at_once=10, hint="seconds"), 1),
    "four processes, bucket of 100/s": (0.90, lambda dice: Service([(0, 100)], dice, hint="seconds"), 4),
    "100, 25, then 150/s": (
        0.80,
        lambda dice: Service([(200 * i, rate) for i, rate in enumerate((100, 25, 150))], dice, hint="seconds"),
        1,
    ),
}
"""The bars by service: the share of the capacity that is used in ten minutes, the service, and the number of senders."""


def steady(name: str, seconds: float, seeds: int = 2) -> tuple[float, float]:
    """Return the share used and the share of 429 on a service of `BARS`, as means."""
    _, new_service, number = BARS[name]
    shares, refusals = [], []
    for seed in range(seeds):
        service, pace = new_service(random.Random(seed)), Pace()
        senders = [Ours(pace=pace) for _ in range(number)]
        result = simulate(senders, service, seconds=seconds)
        shares.append(result.good / service.capacity(seconds))
        refusals.append(result.refused / (result.good + result.refused))
    return statistics.mean(shares), statistics.mean(refusals)


def bars() -> bool:
    """Print the bars, and return whether all are met."""
    print("\n| service | ten minutes: used, 429 | bar | first 30 s: used, 429 | bar |\n|---|---|---|---|---|")
    met = True
    for name, (least, _, _) in BARS.items():
        (share, refused), (first, early) = steady(name, 600.0), steady(name, 30.0)
        met &= share >= least and refused <= 0.02 and first >= 0.75
        print(
            f"| {name} | {share:.0%}, {refused:.1%} | {least:.0%}, 2 % | {first:.0%}, {early:.1%} | 75 % |", flush=True
        )
    return met


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.limiter", description=__doc__)
    parser.add_argument("--bars", action="store_true", help="only the bars; exit with 1 if one is missed")
    if parser.parse_args().bars:
        return 0 if bars() else 1
    courses()
    bars()
    return 0


if __name__ == "__main__":
    sys.exit(main())
