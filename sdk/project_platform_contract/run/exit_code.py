"""The exit codes of a run, and how the plugin passes one to the command."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Self

import pytest

MIN_PROVEN: Final = 50.0
"""Default percentage of the selected and allowed rules that must be proven."""


class ExitCode(IntEnum):
    """Exit codes of `project-platform contract`, with the meaning that the help shows."""

    meaning: str

    def __new__(cls, code: int, meaning: str = "") -> Self:
        """Return the member of a code."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    PROVEN = 0, "no rule is violated, and enough of them are proven"
    VIOLATED = 1, "a rule is violated, or the setup or teardown of a test failed"
    WRONG_USE = 2, "invalid options, data file or floor, or a missing token"
    FEWER_PROVEN = 3, "too few rules are proven: a rule of the floor is not or, without a floor, less than --min-proven"
    NOTHING_PROVEN = 4, "nothing could be proven, for instance because the target cannot be reached"
    NOT_RESTORED = 5, "what this run or an earlier one changed could not be restored"
    DOWN = 6, "an operation is down: no plain, valid request of it was accepted"
    INTERRUPTED = 130, "interrupted by Ctrl+C or SIGTERM, after it wrote the reports"  # 128 + SIGINT, as in shells


@dataclass(slots=True, eq=False)  # pytest keeps plugins in sets
class Outcome:
    """The outcome of a run. The command registers it as a pytest plugin, so that the suite's plugin can find and fill it.

    Attributes:
        quiet: Whether tracebacks are hidden on the terminal; the reports contain them.
        refused: Exit code of a run that did not start; None if it did.
        interrupted: Whether the run was interrupted.
        code: Exit code that follows from the verdicts; None if there are none.
        report: The report; None if there are no verdicts.
    """

    quiet: bool = False
    refused: ExitCode | None = None
    interrupted: bool = False
    code: ExitCode | None = None
    report: dict[str, Any] | None = None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hide tracebacks and pytest's own counts on the terminal, where an inferred rule that differs is "failed".

        `--tb=no` from the start would remove the tracebacks from the reports, too.
        """
        if self.quiet:
            session.config.option.tbstyle = "no"
            session.config.option.verbose = -2
