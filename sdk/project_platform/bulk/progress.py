"""The progress of a run: a line on a terminal or in a notebook that is written anew, or lines in a log."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
from collections.abc import Generator
from importlib import import_module
from typing import Any, Final, TextIO

from ..calls.rows import count_rows
from .report import duration
from .scheduler import Scheduler

LOGGER: Final = logging.getLogger("project_platform.bulk")
_COLOURS: Final = {"yes": "green", "in effect": "cyan", "no": "red", "unknown": "yellow"}


class Display:
    """Shows a text in the place of the one before, at most once in an interval of seconds."""

    interval: float = 0.2

    def show(self, text: str, *, last: bool) -> None:
        """Show a text."""
        raise NotImplementedError


class Progress:
    """Shows how far a run is.

    Args:
        shown: Whether to show it; None to show it on a terminal and in a notebook, and otherwise in the log.
        items: The input, which may have a length.
    """

    def __init__(self, shown: bool | None, items: object) -> None:
        self._display = _display(shown)
        self._total = count_rows(items) if self._display is not None else 0
        self._began = self._next = time.monotonic()
        self._in_trouble = False  # as shown
        if isinstance(self._display, LogLines):
            self._next += self._display.interval

    def update(self, scheduler: Scheduler, *, ended: bool = False) -> None:
        """Show the state of a run, if it was last shown a while ago."""
        if self._display is None:
            return
        now, is_log = time.monotonic(), isinstance(self._display, LogLines)
        changed = (scheduler.trouble is not None) != self._in_trouble
        self._in_trouble ^= changed
        if changed and self._in_trouble and is_log:
            LOGGER.warning("the run waits for the service: %s", scheduler.trouble)
        if now < self._next and not ended and (is_log or not changed):
            return
        self._next = now + self._display.interval
        try:
            self._display.show(_text(scheduler, now - self._began, self._total), last=ended)
        except OSError:  # the terminal has been closed, which does not end the run
            self._display = None


@contextlib.contextmanager
def lines_to(stream: TextIO | None) -> Generator[None]:
    """Write the log of bulk runs to a stream, unless it is closed, or a terminal, which has a progress line."""
    if stream is None or stream.isatty():
        yield
        return
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    level = LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)


class LogLines(Display):
    """Lines in the log `project_platform.bulk`."""

    interval: float = 60.0

    def show(self, text: str, *, last: bool) -> None:
        """Log a text."""
        LOGGER.info("%s", text)


class TerminalLine(Display):
    """A line on standard error."""

    def __init__(self) -> None:
        self._width = 0

    def show(self, text: str, *, last: bool) -> None:
        """Write the line anew."""
        sys.stderr.write(f"\r{text.ljust(self._width)}" + ("\n" if last else ""))
        sys.stderr.flush()
        self._width = len(text)


class RichLine(Display):
    """Same as `TerminalLine`, in colours and as wide as the terminal, through rich."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True)

    def show(self, text: str, *, last: bool) -> None:
        """Write the line anew."""
        from rich.text import Text

        line = Text(text.ljust(self._console.width - 1))
        for state, colour in _COLOURS.items():
            line.highlight_regex(rf"[\d,]+ {state}\b", colour)
        if not last:
            line.truncate(self._console.width - 1, overflow="ellipsis")
        self._console.print(line, end="\n" if last else "\r")


class NotebookLine(Display):
    """A line below a cell of a notebook."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None

    def show(self, text: str, *, last: bool) -> None:
        """Write the line anew."""
        content = {"text/plain": text}
        if self._handle is None:
            self._handle = self._display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def _display(shown: bool | None) -> Display | None:
    if shown is False:
        return None
    if (display := _notebook_display()) is not None:
        return NotebookLine(display)
    if sys.stderr is None or not (shown or sys.stderr.isatty()):  # it is None if it is closed
        return LogLines()
    if sys.stderr.isatty():
        try:
            return RichLine()
        except ImportError:
            pass
    return TerminalLine()


def _notebook_display() -> Any:
    """Return the function `display` of IPython in a notebook, and None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if type(shell).__name__ != "ZMQInteractiveShell":
        return None
    return import_module("IPython.display").display


def _text(scheduler: Scheduler, seconds: float, total: int) -> str:
    counts = scheduler.counts
    ends = ", ".join(f"{counts[state]:,} {state}" for state in ("yes", "in effect", "no", "unknown") if counts[state])
    skipped = f", {scheduler.skipped:,} skipped" if scheduler.skipped else ""
    rate = counts.total() / seconds if seconds > 0 else 0.0
    done = counts.total() + scheduler.skipped
    of = left = ""
    if total > done:
        of = f" of {total:,} ({done / total:.0%})"
        left = f", {duration((total - done) / rate)} left" if counts.total() and rate else ""
    trouble = f"; waits for the service: {scheduler.trouble}" if scheduler.trouble else ""
    return (
        f"{done:,}{of} rows: {ends or 'none yet'}{skipped}; "
        f"{scheduler.in_flight} in flight, {rate:,.0f}/s, {duration(seconds)}{left}{trouble}"
    )
