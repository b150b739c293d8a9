"""Limiters against services whose capacity they do not know, in virtual time: capacity used, and share of 429.

    python -m benchmarks.limiter

Each limiter sends as much as it may for 90 virtual seconds. The first table compares the limiter of bulk runs with what is
usual; the second has quotas of many kinds and courses; the third has several senders on one quota, each with a limiter, and with one
that they share.
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
from typing import Protocol

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
        """Return when the answer arrives, whether it is a 429, and its Retry-After."""
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


class Sender(Protocol):
    """A limiter as the simulation uses it."""

    def start(self, now: float) -> float:
        """Start a request and return 0, or return the seconds until one may start."""
        ...

    def end(self, now: float, began: float, *, refused: bool, hint: float | None, level: int) -> float | None:
        """Take the end of a request that started with `level` in flight; return when it is sent again without the limiter, None if the limiter decides."""
        ...


class Ours:
    """The limiter of bulk runs."""

    def __init__(self, dice: random.Random | None = None, pace: Pace | None = None) -> None:
        self.limiter = Limiter(Window(most=256), pace or Pace())

    def start(self, now: float) -> float:
        return self.limiter.start(now)

    def end(self, now: float, began: float, *, refused: bool, hint: float | None, level: int) -> float | None:
        if refused:
            self.limiter.refused(now, began, hint, level)
        else:
            self.limiter.answered(now)
        return None


class Fixed:
    """A number of workers; each waits by itself after a refusal (full jitter, `Retry-After` first), as single calls do."""

    def __init__(self, workers: float, dice: random.Random) -> None:
        self.workers, self.dice, self.in_flight = workers, dice, 0
        self.cut_at, self.silent_until = -9.0, 0.0

    def start(self, now: float) -> float:
        if self.in_flight >= int(self.workers):
            return math.inf
        if self.silent_until > now:
            return self.silent_until - now
        self.in_flight += 1
        return 0.0

    def end(self, now: float, began: float, *, refused: bool, hint: float | None, level: int) -> float | None:
        if not refused:
            self.in_flight -= 1
            return None
        return now + (hint or self.dice.uniform(0, 1.5))


class Aimd(Fixed):
    """Concurrency plus one per window of successes, halved on a refusal, once per round trip."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__(8, dice)

    def end(self, now: float, began: float, *, refused: bool, hint: float | None, level: int) -> float | None:
        self.in_flight -= 1
        if refused:
            self.silent_until = max(self.silent_until, now + (hint or 0))
            if began > self.cut_at:
                self.workers, self.cut_at = max(1.0, self.workers / 2), now
        else:
            self.workers = min(256.0, self.workers + 1 / self.workers)
        return None


class Gradient(Fixed):
    """Netflix's Gradient2: the limit follows the ratio of long to short latency; a refusal takes a tenth."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__(20, dice)
        self.long = 0.0

    def end(self, now: float, began: float, *, refused: bool, hint: float | None, level: int) -> float | None:
        self.in_flight -= 1
        short = now - began
        self.long = self.long * 0.998 + short * 0.002 if self.long else short
        if refused:
            self.silent_until = max(self.silent_until, now + (hint or 0))
            if began > self.cut_at:
                self.workers, self.cut_at = max(1.0, self.workers * 0.9), now
        elif self.in_flight >= self.workers / 2:
            wanted = self.workers * max(0.5, min(1.0, 1.5 * self.long / short)) + 4
            self.workers = min(128.0, 0.8 * self.workers + 0.2 * wanted)
        return None


class Adaptive:
    """botocore's adaptive mode: a bucket in the client, CUBIC on the measured rate, beta 0.7."""

    def __init__(self, dice: random.Random) -> None:
        self.on, self.rate, self.top, self.k, self.cut_at = False, 0.0, 0.0, 0.0, 0.0
        self.measured, self.count, self.bucket, self.next_start, self.in_flight = 0.0, 0, 0.0, 0.0, 0

    def start(self, now: float) -> float:
        if self.in_flight >= 64:
            return math.inf
        if self.on and self.next_start > now:
            return self.next_start - now
        self.in_flight += 1
        if self.on:
            self.next_start = max(self.next_start, now) + 1 / max(self.rate, 0.5)
        return 0.0

    def end(self, now: float, began: float, *, refused: bool, hint: float | None, level: int) -> float | None:
        self.in_flight -= 1
        self.count += 1
        if (bucket := math.floor(now * 2) / 2) > self.bucket:
            self.measured = self.count / (bucket - self.bucket) * 0.8 + self.measured * 0.2
            self.count, self.bucket = 0, bucket
        if refused:
            self.top = min(self.measured, self.rate) if self.on else self.measured
            self.k, self.cut_at, self.on = (self.top * 0.3 / 0.4) ** (1 / 3), now, True
            rate = self.top * 0.7
        else:
            rate = 0.4 * (now - self.cut_at - self.k) ** 3 + self.top
        self.rate = max(0.5, min(rate, 2 * self.measured))
        return None


@dataclass
class Result:
    """What a simulation counted."""

    good: int = 0
    refused: int = 0
    served: list[int] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)


def simulate(senders: Sequence[Sender], service: Service, starts: float = 0.0, seconds: float = SECONDS) -> Result:
    """Let senders send for some virtual seconds; they begin evenly within the first `starts` seconds."""
    number = itertools.count()
    events: list[tuple[float, int, int, tuple[float, bool, float | None, int] | str]] = []
    in_flight = [0] * len(senders)
    wake_at = [0.001 * i + starts * i / len(senders) for i in range(len(senders))]
    result = Result(served=[0] * len(senders))
    for i, at in enumerate(wake_at):
        heapq.heappush(events, (at, next(number), i, "wake"))

    def send(now: float, i: int) -> None:
        end, refused, hint = service.send(now)
        in_flight[i] += 1
        heapq.heappush(events, (end, next(number), i, (now, refused, hint, in_flight[i])))

    while events:
        now, _, i, event = heapq.heappop(events)
        if now > seconds:
            break
        sender = senders[i]
        if event == "again":
            send(now, i)
        elif isinstance(event, tuple):
            began, refused, hint, level = event
            in_flight[i] -= 1
            again = sender.end(now, began, refused=refused, hint=hint, level=level)
            if refused:
                result.refused += 1
            else:
                result.good += 1
                result.served[i] += 1
                result.latencies.append(now - began)
            if again is not None:
                heapq.heappush(events, (again, next(number), i, "again"))
        elif wake_at[i] <= now:
            wake_at[i] = math.inf
        while (wait := sender.start(now)) <= 0:
            send(now, i)
        if wait < math.inf and now + wait < wake_at[i] - 1e-6:
            wake_at[i] = now + wait + 1e-9
            heapq.heappush(events, (wake_at[i], next(number), i, "wake"))
    return result


def services(dice: random.Random) -> dict[str, Service]:
    """Return the services of the first table."""
    changing = [(0, 100), (30, 25), (60, 200)]
    return {
        "20/s, no Retry-After": Service([(0, 20)], dice),
        "20/s, Retry-After: 1": Service([(0, 20)], dice, hint="seconds"),
        "200/s, Retry-After: 1": Service([(0, 200)], dice, hint="seconds"),
        "1000/s, no Retry-After": Service([(0, 1000)], dice),
        "100, then 25, then 200/s": Service(changing, dice),
        "the same, Retry-After: 1": Service(changing, dice, hint="seconds"),
        "queue of 400/s": Service([(0, 400)], dice, slots=16, latency=0.02),
        "queue of 400, then 100/s": Service([(0, 400), (45, 100)], dice, slots=16, latency=0.02),
    }


LIMITERS: dict[str, Callable[[random.Random], Sender]] = {
    "8 workers": lambda dice: Fixed(8, dice),
    "64 workers": lambda dice: Fixed(64, dice),
    "AIMD": Aimd,
    "Gradient2": Gradient,
    "botocore adaptive": Adaptive,
    "project_platform": Ours,
}


def compare() -> None:
    """Print the first table."""
    print("| service | " + " | ".join(LIMITERS) + " |\n|---" + "|---" * len(LIMITERS) + "|")
    for name in services(random.Random()):
        cells = []
        for limiter in LIMITERS.values():
            dice = random.Random(0)
            service = services(dice)[name]
            result = simulate([limiter(dice)], service)
            cell = f"{result.good / service.capacity():.0%}, {result.refused / (result.good + result.refused):.1%}"
            if service.slots:
                cell += f", {1000 * statistics.median(result.latencies[-200:]):.0f} ms"
            cells.append(cell)
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


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
    """Print the second table: means over two latencies and three seeds."""
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


def share() -> None:
    """Print the third table."""
    print(
        "\n| senders on 40/s | a limiter each: used, 429, least to most served | one shared: used, 429 | the same, started within 10 s |"
    )
    print("|---|---|---|---|")
    for number in (1, 2, 4, 8, 16, 32):
        cells = []
        for shared, starts in ((False, 0.0), (True, 0.0), (True, 10.0)):
            dice, pace = random.Random(1), Pace()
            service = Service([(0, 40)], dice)
            result = simulate([Ours(pace=pace if shared else None) for _ in range(number)], service, starts)
            cell = f"{result.good / service.capacity():.0%}, {result.refused / (result.good + result.refused):.1%}"
            cells.append(cell if shared else f"{cell}, {min(result.served) / max(result.served):.2f}")
        print(f"| {number} | " + " | ".join(cells) + " |", flush=True)


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
    compare()
    courses()
    share()
    bars()
    return 0


if __name__ == "__main__":
    sys.exit(main())
