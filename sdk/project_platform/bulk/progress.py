"""The progress of a run: a line on a terminal or in a notebook that is written anew, or lines in a log."""

from __future__ import annotations

import contextlib
import logging
import shutil
import sys
import time
from collections.abc import Callable, Generator
from importlib import import_module
from typing import Any, Final, TextIO, TypeAlias

from ..calls.rows import count_rows
from .report import duration
from .scheduler import Scheduler

LOGGER: Final = logging.getLogger("project_platform.bulk")
INTERVAL, LOG_INTERVAL = 0.2, 60.0  # seconds from one text to the next
_COLOURS: Final = {"yes": "green", "in effect": "cyan", "no": "red", "unknown": "yellow"}


Show: TypeAlias = Callable[[str, bool], None]
"""Shows a text in the place of the one before; the second argument is whether it is the last one."""


class Progress:
    """Shows how far a run is.

    Args:
        shown: Whether to show it; None to show it on a terminal and in a notebook, and otherwise in the log.
        items: The input, which may have a length.
    """

    def __init__(self, shown: bool | None, items: object) -> None:
        self._show = _show_of(shown)
        self._is_log = self._show is _log
        self._interval = LOG_INTERVAL if self._is_log else INTERVAL
        self._total = count_rows(items) if self._show is not None else 0
        self._began = time.monotonic()
        self._next = self._began + (self._interval if self._is_log else 0.0)
        self._in_trouble = False  # as shown

    def update(self, scheduler: Scheduler, *, ended: bool = False) -> None:
        """Show the state of a run, if it was last shown a while ago."""
        if self._show is None:
            return
        now = time.monotonic()
        changed = (scheduler.trouble is not None) != self._in_trouble
        self._in_trouble ^= changed
        if changed and self._in_trouble and self._is_log:
            LOGGER.warning("the run waits for the service: %s", scheduler.trouble)
        if now < self._next and not ended and (self._is_log or not changed):
            return
        self._next = now + self._interval
        try:
            self._show(_text(scheduler, now - self._began, self._total), ended)
        except OSError:  # the terminal has been closed, which does not end the run
            self._show = None


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


def _log(text: str, last: bool) -> None:
    LOGGER.info("%s", text)


def _terminal_line() -> Show:
    width = 0

    def show(text: str, last: bool) -> None:
        nonlocal width
        line = text if last else text[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r{line.ljust(width)}" + ("\n" if last else ""))
        sys.stderr.flush()
        width = len(line)

    return show


def _rich_line() -> Show:
    """Return a function that writes a line in colours and as wide as the terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)

    def show(text: str, last: bool) -> None:
        line = Text(text.ljust(console.width - 1))
        for state, colour in _COLOURS.items():
            line.highlight_regex(rf"[\d,]+ {state}\b", colour)
        if not last:
            line.truncate(console.width - 1, overflow="ellipsis")
        console.print(line, end="\n" if last else "\r")

    return show


def _notebook_line(display: Any) -> Show:
    """Return a function that writes a line below a cell of a notebook."""
    handle: Any = None

    def show(text: str, last: bool) -> None:
        nonlocal handle
        content = {"text/plain": text}
        if handle is None:
            handle = display(content, raw=True, display_id=True)
        else:
            handle.update(content, raw=True)

    return show


def _show_of(shown: bool | None) -> Show | None:
    if shown is False:
        return None
    if (display := _notebook_display()) is not None:
        return _notebook_line(display)
    if sys.stderr is None or not (shown or sys.stderr.isatty()):  # it is None if it is closed
        return _log
    if sys.stderr.isatty():
        with contextlib.suppress(ImportError):
            return _rich_line()
    return _terminal_line()


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
    skipped = scheduler.candidates.skipped
    rate = counts.total() / seconds if seconds > 0 else 0.0
    done = counts.total() + skipped
    of = left = ""
    if total > done:
        of = f" of {total:,} ({done / total:.0%})"
        left = f", {duration((total - done) / rate)} left" if counts.total() and rate else ""
    pace = f"{scheduler.in_flight} in flight, {rate:,.0f}/s, {duration(seconds)}{left}"
    if scheduler.trouble:
        pace = f"waits for the service: {scheduler.trouble}"
    return f"{done:,}{of} rows: {ends or 'none yet'}{f', {skipped:,} skipped' if skipped else ''}; {pace}"
