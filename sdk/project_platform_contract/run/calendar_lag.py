"""Waits until the busy intervals of an external calendar show what was written: some list an event only after a moment."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

WRITES: Final = frozenset({"calendar_book", "calendar_reschedule"})
"""Operations that write to the calendar; a booking also reads the busy intervals."""
READS: Final = WRITES | {"calendar_busy"}
"""Operations whose responses depend on the busy intervals."""

_LONGEST: Final = 5.0  # Seconds to wait for an event; one that is not listed by then violates a rule.
_FIRST_PAUSE: Final = 0.02  # Seconds; doubled with each read.
_MARGIN: Final = 2.0  # The first event may have been listed sooner than others.


@dataclass(slots=True)
class CalendarLag:
    """The time that an event takes to be listed, and the last write.

    Attributes:
        seconds: Time to wait after a write; 0 where the first event was listed at once.
        clock: Monotonic clock, in seconds.
        sleep: Function that waits for a number of seconds.
    """

    seconds: float = 0.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _written: float = float("-inf")

    def learn(self, is_listed: Callable[[], bool]) -> None:
        """Read until an event that was just written is listed, and remember how long that took.

        Args:
            is_listed: Reads the busy intervals, and returns whether the event is among them.
        """
        began, pause = self._written, _FIRST_PAUSE
        if is_listed():
            return
        while (waited := self.clock() - began) < _LONGEST:
            self.sleep(pause)
            pause *= 2
            if is_listed():
                self.seconds = _MARGIN * (self.clock() - began)
                return
            if pause > _LONGEST - waited:
                return

    def before(self, operation: str | None) -> None:
        """Wait before a request whose response depends on the last write."""
        if self.seconds and operation in READS:
            self.sleep(max(0.0, self._written + self.seconds - self.clock()))

    def after(self, operation: str | None) -> None:
        """Record the time of a write."""
        if operation in WRITES:
            self._written = self.clock()
