"""A limiter that finds the capacity of a service. It is pure: the clock is an argument.

Services limit in two ways, so there are two controls: `Pace` (`pace.py`), for a service that counts requests and responds with 429; and
`Window`, for a service that queues. The window doubles as long as the goodput follows. Where more requests in flight bring no
more responses, it goes back, and looks upward and downward from time to time.

A row that was refused goes back to the limiter and does not wait by itself: the limiter is the backoff of all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Final

from .pace import LONG_WINDOW, MAX_SILENCE, Pace, SharedPace

_MEASUREMENT: Final = 0.5  # seconds of one measurement of the goodput, at least
_FIRST_GAP: Final = 2
_FIRST_BACKOFF, _MAX_BACKOFF = 0.1, 30.0  # seconds of a pause while there are no responses
_BACKOFF_GROWTH: Final = 1.5  # so an outage costs half of its time, at most, after its end


@dataclass(slots=True)
class Window:
    """Maximum number of requests in flight."""

    size: float = 8.0  # the maximum now
    most: float = 100.0  # that it may become
    _from: float = -1.0  # of the measurement, with its count
    _good: int = 0
    _before: float = 0.0  # goodput at the window that this one is compared with, and that window
    _last: float = 0.0
    _phase: str = "doubling"  # or "holding", "more", "less"
    _held: int = 0
    _gap: int = _FIRST_GAP  # measurements until the next look
    _up: bool = False  # whether the last look was upward
    limit: float = 0.0  # size at which nothing was refused, of a service that limits the requests in flight; 0 for none

    def __post_init__(self) -> None:
        self.size = min(self.size, self.most)

    def limit_to_granted(self, now: float) -> None:
        """Go back to the size before the last growth, and grow in steps from now on."""
        if self.limit:
            self._gap = min(20, self._gap * 2)
        else:
            self.limit = max(1.0, self._last or self.size // 2)
        self.hold(now, self.limit)

    def hold(self, now: float, size: float) -> None:
        """Set the window, and measure anew before it is changed."""
        self._held = 0
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
            if self.limit and self._held >= self._gap:
                share = 4 if self._gap == _FIRST_GAP else 8  # larger steps until one is refused
                self._phase, self.size = "more", min(self.most, self.size + max(1, self.size // share))
            elif self._held >= self._gap:
                self._last, self._up = self.size, not self._up
                self._phase = "more" if self._up else "less"
                self.size = min(self.most, self.size * 1.5 + 1) if self._up else max(1.0, self.size * 0.75)
        elif self.limit:  # nothing was refused
            self.limit, self._phase, self._held, self._gap = self.size, "holding", 0, _FIRST_GAP
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
    pace: Pace | SharedPace = field(default_factory=Pace)
    in_flight: int = 0
    _failed: int = 0  # attempts in a row without a response
    _rounds: int = 0  # of attempts in a row that all failed
    _round_at: float = -1.0  # time when the last round failed
    _limited_at: float = -1.0  # time when the window was last limited by a 429

    @property
    def waits_for_answers(self) -> bool:
        """Whether the limiter pauses because the latest attempts had no response. Then it sends one at a time."""
        return self._rounds > 0

    def start(self, now: float) -> float:
        """Count a request that starts now and return 0; or return the seconds until one may start.

        They are infinite if none may start before another one ends.
        """
        if self.in_flight >= (1 if self._rounds else int(self.window.size)):
            return inf
        wait = self.pace.start(now)
        if not wait:
            self.in_flight += 1
        return wait

    def cancel(self) -> None:
        """Take back a start: the request was not sent."""
        self.in_flight -= 1

    def answered(self, now: float) -> None:
        """Count a response that shows work done: a 2xx, or a refusal because of the request itself."""
        self.in_flight -= 1
        self._failed = self._rounds = 0
        self.pace.granted(now)
        self.window.measure(now, good=True, paced=self.pace.rate > 0)

    def refused(self, now: float, started: float, retry_after: float | None, level: int = 0) -> None:
        """Count a 429.

        At first it is taken for a limit of requests in flight: a service that limits the rate soon refuses a request at a number
        in flight that was granted before.

        Args:
            now: The time.
            started: Time when the request started.
            retry_after: The pause that the service asks for.
            level: Number of requests that were in flight then, with this one.
        """
        self.in_flight -= 1
        self._failed = self._rounds = 0
        self.window.measure(now, good=False, paced=self.pace.rate > 0)
        if not self.pace.rate and level > self.window.limit and (retry_after or 0) < LONG_WINDOW:
            if started > self._limited_at:
                self._limited_at = now
                self.window.limit_to_granted(now)
                if retry_after:
                    self.pace.pause(now + retry_after, anew=True)
        elif started > self._limited_at and self.pace.refused(now, started, retry_after):
            self.window.limit = 0.0
            self.window.hold(now, self.window.most)

    def failed(self, now: float, started: float, retry_after: float | None = None) -> None:
        """Count an attempt without a response, or whose response says that the service is in trouble: wait ever longer.

        Attempts that were in flight together are one round: what is wrong is known after the first of them.
        """
        self.in_flight -= 1
        self._failed += 1
        if retry_after:
            self.pace.pause(now + min(retry_after, MAX_SILENCE))
        if started <= self._round_at or self._failed <= (0 if self._rounds else max(4, self.window.size / 2)):
            return
        self._round_at = now
        self.pace.pause(now + min(_MAX_BACKOFF, _FIRST_BACKOFF * _BACKOFF_GROWTH ** min(self._rounds, 20)))
        self._rounds += 1
