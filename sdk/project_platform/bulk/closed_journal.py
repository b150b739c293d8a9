"""A journal that no run of this process has open: for reports, and for rows that a person settles."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Generator, Iterator
from pathlib import Path

from ..errors import JournalError, JournalInUseError
from .journal_file import count_rows, errors_of, locked, read_lines, settle_row
from .journal_rows import Line, State


class ClosedJournal:
    """A journal that is only read, or settled, whether or not a run has it open.

    Raises:
        JournalError: There is none, or it cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        if not self.path.is_file():
            raise JournalError(f"there is no journal {self.path}; give the path that the run was given")

    @property
    def service(self) -> str:
        """Base URL and project of the run."""
        with self._connected() as db:
            return str(db.execute("select service from run").fetchone()[0])

    def counts(self) -> dict[State, int]:
        """Return the number of rows in each state."""
        with self._connected() as db:
            return count_rows(db, self.path)

    def lines(self, *states: State) -> Iterator[Line]:
        """Return the rows in these states, in the order of the input."""
        with self._connected() as db:
            yield from read_lines(db, self.path, states)

    def settle(self, row: int, state: State, ref: str | None) -> bool:
        """Same as `Journal.settle`; a row in doubt can be settled only while no run has the journal open."""
        with contextlib.ExitStack() as stack:
            db, in_doubt = stack.enter_context(self._connected()), False
            with contextlib.suppress(JournalInUseError):
                stack.enter_context(locked(self.path))
                in_doubt = True
            return settle_row(db, self.path, row, state, ref, before_epoch=2**62 if in_doubt else 0)

    @contextlib.contextmanager
    def _connected(self) -> Generator[sqlite3.Connection]:
        with errors_of(self.path), contextlib.closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            yield db
