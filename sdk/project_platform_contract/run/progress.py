"""Progress on the terminal: the rule at hand, the share of the tests that ended, and an estimate of the rest."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final, TextIO

import pytest

from project_platform_contract.rules import RULES

from .verdicts import attached_to

_INTERVAL: Final = 10.0  # Seconds between two lines of a log; a terminal shows every test.
_WIDTH: Final = 100  # Columns.


class Progress:
    """A pytest plugin that shows the progress in the place of pytest's dots.

    Args:
        stream: Where to show it. A terminal has one line that is overwritten, a log a line every ten seconds.
        clock: Monotonic clock, in seconds.
    """

    def __init__(self, stream: TextIO = sys.stderr, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._interactive = stream.isatty()
        self._started = clock()
        self._shown_at = self._started
        self._total = 0
        self._ended = 0

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin with the tests of this process."""
        self.begin(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Begin with the tests that the workers share."""
        self.begin(len(ids))

    def begin(self, total: int) -> None:
        """Begin with a number of tests."""
        self._total = total
        self._started = self._clock()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str]:
        """Count the test as pytest does, but show nothing of it."""
        if report.when != "call" and report.passed:
            return "", "", ""
        return "error" if report.failed and report.when != "call" else report.outcome, "", ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Show the progress after each test, and a violated rule at once."""
        rules: list[str] = attached_to(report).get("rules", [])
        if report.when == "call" and report.failed and rules:
            word = "differs" if all(RULES[rule].inferred for rule in rules) else "violated"
            self._write(f"{word}: {', '.join(rules)}", last=True)
        if report.when != "teardown":
            return
        self._ended += 1
        now = self._clock()
        if self._interactive or now - self._shown_at >= _INTERVAL:
            self._shown_at = now
            self._write(self.line(", ".join(rules), now), last=False)

    def pytest_sessionfinish(self) -> None:
        """Remove the line from a terminal."""
        if self._interactive:
            self._write("", last=False)

    def line(self, rules: str, now: float) -> str:
        """Return the progress as a line."""
        total = max(self._total, self._ended)
        left = (now - self._started) / self._ended * (total - self._ended)
        share = 100 * self._ended // total
        return f"{share:3} %  {self._ended} of {total} tests, about {left:.0f} s left  {rules}"

    def _write(self, text: str, *, last: bool) -> None:
        if self._interactive:
            self._stream.write(f"\r{text[:_WIDTH]:{_WIDTH}}{chr(10) if last else chr(13)}")
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()
