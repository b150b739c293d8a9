"""The progress of a run: a line on a terminal that is written anew, or lines in a log."""

from __future__ import annotations

import logging
import sys
import time
from typing import Final

from .report import duration
from .scheduler import Scheduler

LOGGER: Final = logging.getLogger("project_platform.bulk")
_LINE_INTERVAL: Final = 0.2
_LOG_INTERVAL: Final = 30.0


class Progress:
    """Shows how far a run is.

    Args:
        shown: Whether to show it on standard error; None to show it there if it is a terminal, and otherwise in the log.
    """

    def __init__(self, shown: bool | None) -> None:
        self._to_terminal = sys.stderr.isatty() if shown is None else shown
        self._silent = shown is False
        self._began = self._next = time.monotonic()
        self._width = 0
        if not self._to_terminal:
            self._next += _LOG_INTERVAL

    def update(self, scheduler: Scheduler, *, ended: bool = False) -> None:
        """Show the state of a run, if it was last shown a while ago."""
        now = time.monotonic()
        if self._silent or (now < self._next and not ended):
            return
        text = _text(scheduler, now - self._began)
        if self._to_terminal:
            self._next = now + _LINE_INTERVAL
            sys.stderr.write(f"\r{text.ljust(self._width)}" + ("\n" if ended else ""))
            sys.stderr.flush()
            self._width = len(text)
        else:
            self._next = now + _LOG_INTERVAL
            LOGGER.info("%s", text)


def _text(scheduler: Scheduler, seconds: float) -> str:
    counts = scheduler.counts
    ends = ", ".join(f"{counts[state]:,} {state}" for state in ("yes", "in effect", "no", "unknown") if counts[state])
    skipped = f", {scheduler.skipped:,} skipped" if scheduler.skipped else ""
    rate = counts.total() / seconds if seconds > 0 else 0.0
    return (
        f"{counts.total() + scheduler.skipped:,} rows: {ends or 'none yet'}{skipped}; "
        f"{scheduler.in_flight} in flight, {rate:,.0f}/s, {duration(seconds)}"
    )
