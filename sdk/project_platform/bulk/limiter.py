"""How fast to send: a limiter that finds the capacity of a service. It is pure: the clock is an argument.

Services limit in two ways, so there are two controls:

- `Pace`, for a service that counts requests and answers 429. There is none until the first refusal. Then the rate is what
  the service granted, and it climbs as in CUBIC (RFC 9438), but relative to the last rate that was refused: quickly back
  to it, slowly past it, then doubling. So 2/s and 2,000/s follow one curve, and processes that share a quota climb as one.
- `Window`, for a service that queues. It doubles as long as the goodput follows. Where more requests in flight bring no
  more answers, it goes back, and looks upward and downward from time to time.

A row that was refused goes back to the limiter and does not wait by itself: the limiter is the backoff of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Final, Protocol

_CUT: Final = 0.9  # what a refusal leaves of the rate: a token bucket needs little room, and 0.7 (CUBIC) wastes a fifth
_CLIMB: Final = 4.0  # seconds until the rate is back where it was refused
_MAX_CLIMBS: Final = 12.0  # a million times the refused rate, which is no limit
_MEASUREMENT: Final = 0.5  # seconds of one measurement of the goodput, at least
_MIN_RATE: Final = 0.2  # requests per second that are always tried
_MAX_SILENCE: Final = 60.0  # the longest `Retry-After` to wait for at a time
_MAX_BACKOFF: Final = 30.0  # the longest pause while there are no answers


def curve(climbs: float) -> float:
    """Return the rate as a share of the refused one: 0.9 after the cut, 1 after one climb, 1.1 after two, then doubling."""
    if climbs <= 2:  # noqa: PLR2004
        return 1 + (1 - _CUT) * (climbs - 1) ** 3
    return (2 - _CUT) * 2 ** (2 * (min(climbs, _MAX_CLIMBS) - 2))


class Pacing(Protocol):
    """The rate that a limiter keeps: a `Pace`, or one that processes share."""

    @property
    def rate(self) -> float:
        """Requests per second; 0 as long as none was refused."""
        ...

    def start(self, now: float) -> float:
        """Count a request that starts now and return 0; or return the seconds until one may start."""
        ...

    def granted(self, now: float) -> None:
        """Count a request that the service did not refuse."""
        ...

    def refused(self, now: float, started: float, retry_after: float | None) -> bool:
        """Count a 429 to a request that started at `started`; return whether the rate was cut."""
        ...

    def pause(self, until: float) -> None:
        """Start nothing before this time."""
        ...


@dataclass(slots=True)
class Pace:
    """Requests per second.

    Attributes:
        rate: The rate; 0 is no limit.
        top: The rate that was last refused.
        cut_at: Time of the last cut.
        climb: Seconds until the rate is back at `top`.
        next_start: Time when the next request may start.
        silent_until: Time before which nothing may start.
        counted_from: Time from which `count` counts: the last cut, or the first request.
        count: Number of requests granted since.
        slice_from: Beginning of the current half second.
        slice_count: Number of requests granted in it.
        best: The most that was granted in a half second since the last cut, per second; 0 before the first one has passed.
    """

    rate: float = 0.0
    top: float = 0.0
    cut_at: float = -1e9
    climb: float = _CLIMB
    next_start: float = 0.0
    silent_until: float = 0.0
    counted_from: float = -1.0
    count: float = 0.0
    slice_from: float = -1.0
    slice_count: float = 0.0
    best: float = 0.0

    def start(self, now: float) -> float:
        """Count a request that starts now and return 0; or return the seconds until one may start."""
        wait = max(self.silent_until, self.next_start if self.rate else 0.0) - now
        if wait > 0:
            return wait
        if self.counted_from < 0:
            self.counted_from = self.slice_from = now
        if self.rate:
            self.rate = max(_MIN_RATE, self.top * curve((now - self.cut_at) / self.climb))
            # After a late start, requests catch up by at most a tenth of a second's worth, so that a coarse clock costs nothing.
            self.next_start = max(self.next_start, now - 0.1) + 1 / self.rate
        return 0.0

    def granted(self, now: float, number: float = 1) -> None:
        """Count requests that the service did not refuse."""
        self.count += number
        self.slice_count += number
        if (span := now - self.slice_from) >= _MEASUREMENT:
            self.best = max(self.best, self.slice_count / span)
            self.slice_from, self.slice_count = now, 0

    def refused(self, now: float, started: float, retry_after: float | None) -> bool:
        """Count a 429 to a request that started at `started`; return whether the rate was cut."""
        if retry_after:
            self.pause(now + min(retry_after, _MAX_SILENCE))
        if started <= self.cut_at:
            return False  # it was sent before the last cut, so this is known
        # What was granted from one cut to the next, pauses included: a bucket fills while nothing is sent, so what it grants
        # after a pause is more than its rate.
        granted = self.count / max(0.25, now - self.counted_from)
        if self.rate:
            # A rate that was not reached was not refused. Where the quota fell far, what was granted says more than a cut.
            refused = min(self.rate, max(granted, self.best)) if self.best else self.rate
            self.top = max(_MIN_RATE, min(refused, max(granted * 1.05, refused * 0.5)))
        else:
            self.top = max(
                _MIN_RATE, granted, self.best
            )  # not the average alone: other processes may still be starting
        self.counted_from = self.slice_from = self.cut_at = now
        self.count, self.slice_count, self.best = 0, 0, 0.0
        # A probe costs the pause that the service asks for: then probe less often.
        self.climb = max(_CLIMB, 3 * (retry_after or 0))
        self.rate = self.top * _CUT
        self.next_start = max(now, self.silent_until) + 1 / self.rate
        return True

    def pause(self, until: float) -> None:
        """Start nothing before this time."""
        self.silent_until = max(self.silent_until, until)


@dataclass(slots=True)
class Window:
    """Maximum number of requests in flight.

    Attributes:
        size: The maximum now.
        most: The maximum that it may become.
    """

    size: float = 8.0
    most: float = 100.0
    _from: float = -1.0  # of the measurement, with its count
    _good: int = 0
    _before: float = 0.0  # goodput at the window that this one is compared with, and that window
    _last: float = 0.0
    _phase: str = "doubling"  # or "holding", "more", "less"
    _held: int = 0
    _gap: int = 2  # measurements until the next look
    _up: bool = False  # whether the last look was upward

    def __post_init__(self) -> None:
        self.size = min(self.size, self.most)

    def hold(self, now: float, size: float) -> None:
        """Set the window, and measure anew before it is changed."""
        self.size, self._phase, self._from, self._good, self._before = min(size, self.most), "holding", now, 0, 0.0

    def measure(self, now: float, *, good: bool, paced: bool) -> None:
        """Count the end of a request, and adapt the window after enough of them."""
        self._good += good
        if self._from < 0:
            self._from = now
            return
        span = now - self._from
        if span < _MEASUREMENT or (not paced and self._good < self.size and span < 10 * _MEASUREMENT):
            return
        goodput, self._from, self._good = self._good / span, now, 0
        if not paced:
            self._adapt(goodput)

    def _adapt(self, goodput: float) -> None:
        """Double while it helps; then hold, and look up and down in turn, soon at first and ever more rarely."""
        if self._phase == "doubling":
            self._double(goodput)
        elif self._phase == "holding":
            self._before = 0.7 * self._before + 0.3 * goodput if self._held else goodput
            self._held += 1
            if self._held >= self._gap:
                self._last, self._up = self.size, not self._up
                self._phase = "more" if self._up else "less"
                self.size = min(self.most, self.size * 1.5 + 1) if self._up else max(1.0, self.size * 0.75)
        elif self._phase == "more" and goodput > self._before * 1.3:
            self._phase, self._before, self._held = "doubling", goodput, 0  # the service has more capacity than it had
        else:
            kept = goodput > self._before * (1.05 if self._phase == "more" else 0.97)
            self._gap = 2 if kept and self._phase == "more" else min(20, self._gap * 2)
            self.size, self._phase, self._held = self.size if kept else self._last, "holding", 0

    def _double(self, goodput: float) -> None:
        if goodput > self._before * 1.15 and self.size < self.most:
            self._before, self._last, self.size, self._held = goodput, self.size, min(self.most, self.size * 2), 0
        elif self._held == 0:
            self._held = 1  # one measurement may be bad luck
        else:
            self.size = max(self._last, 1.0) if goodput < self._before * 1.15 else self.size
            self._phase, self._held, self._gap = "holding", 0, 2


@dataclass(slots=True)
class Limiter:
    """Says when a request may start, and learns from how requests end. All times are of one monotonic clock, in seconds."""

    window: Window = field(default_factory=Window)
    pace: Pacing = field(default_factory=Pace)
    in_flight: int = 0
    _trouble: int = 0  # attempts in a row without an answer

    def start(self, now: float) -> float:
        """Count a request that starts now and return 0; or return the seconds until one may start.

        They are infinite if none may start before another one ends.
        """
        if self.in_flight >= int(self.window.size):
            return inf
        wait = self.pace.start(now)
        if not wait:
            self.in_flight += 1
        return wait

    def cancel(self) -> None:
        """Take back a start: the request was not sent."""
        self.in_flight -= 1

    def answered(self, now: float) -> None:
        """Count an answer that shows work done: a 2xx, or a refusal because of the request itself."""
        self.in_flight -= 1
        self._trouble = 0
        self.pace.granted(now)
        self.window.measure(now, good=True, paced=self.pace.rate > 0)

    def refused(self, now: float, started: float, retry_after: float | None) -> None:
        """Count a 429."""
        self.in_flight -= 1
        self._trouble = 0
        self.window.measure(now, good=False, paced=self.pace.rate > 0)
        if self.pace.refused(now, started, retry_after):
            self.window.hold(now, self.window.most)

    def failed(self, now: float, retry_after: float | None = None) -> None:
        """Count an attempt without an answer, or whose answer says that the service is in trouble: wait ever longer."""
        self.in_flight -= 1
        self._trouble += 1
        if retry_after:
            self.pace.pause(now + min(retry_after, _MAX_SILENCE))
        if self._trouble > max(4, self.window.size / 2):
            self.pace.pause(now + min(_MAX_BACKOFF, 0.05 * 1.5 ** min(self._trouble, 20)))
            self.window.hold(now, max(1.0, self.window.size * 0.7))
