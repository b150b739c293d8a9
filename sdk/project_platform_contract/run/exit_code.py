"""How a run ended, in a number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import pytest


class ExitCode(IntEnum):
    """What `project-platform contract` exits with."""

    PROVEN = 0
    """Every rule that was run is proven."""
    VIOLATED = 1
    """A rule is violated, or a test could not do its work."""
    WRONG_USE = 2
    """Options, the data file or the floor cannot be used, or a token is missing."""
    FEWER_PROVEN = 3
    """Fewer rules are proven than the floor has."""
    NOTHING_PROVEN = 4
    """No rule could be proven; the target cannot be reached, for instance."""
    INTERRUPTED = 130
    """Ctrl+C, as shells count it: 128 and the number of the signal."""


@dataclass(slots=True, eq=False)  # pytest keeps plugins in sets
class Outcome:
    """Told by the plugin to the command, which is a plugin for this purpose.

    Attributes:
        quiet: Whether pytest is to keep tracebacks to itself; the reports have them.
        unreachable: Whether the target could not be reached.
        interrupted: Whether the run was interrupted.
        code: What the verdicts say; None if there are none.
    """

    quiet: bool = False
    unreachable: bool = False
    interrupted: bool = False
    code: ExitCode | None = None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide what the terminal shows; with `--tb=no` from the start, the reports would have nothing either."""
        if self.quiet:
            session.config.option.tbstyle = "no"
