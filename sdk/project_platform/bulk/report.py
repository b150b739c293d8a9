"""What a run reports: the outcome of each row as it ends, and a report of all rows from the journal."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..calls.listing import Listing
from ..calls.operation import Applied
from ..frames.tabular import Tabular
from ..labels.atomic_file import replacing
from .closed_journal import ClosedJournal
from .journal_rows import STATES, Line, State


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """How a row ended.

    Attributes:
        row: Position of the row in the input, from 0.
        key: `external_id` of a create, `record_id` of a change, or the key that the row was given; None if there is none.
        applied: Whether the row was applied.
        value: The value of the answer; None if there is none.
        error: The error that the row ended with, as text; None without an error.
        cause: The error itself; None if there is none, or if it is not one of this process.
    """

    row: int
    key: str | None
    applied: Applied
    value: Any = None
    error: str | None = None
    cause: BaseException | None = None


@dataclass(frozen=True, slots=True)
class BulkRow:
    """A row as the journal has it.

    Attributes:
        row: Position of the row in the input, from 0.
        key: `external_id` of a create, `record_id` of a change, or the key that the row was given; None if there is none.
        applied: Whether the row was applied; "waiting" if it is sent by the next run, "in doubt" if it was being sent when its
            process ended.
        error: The error that the row ended with, as text; None without an error.
        record_id: Identifier of the record in the answer; None if there was none.
    """

    row: int
    key: str | None
    applied: State
    error: str | None
    record_id: str | None

    @classmethod
    def of(cls, line: Line) -> BulkRow:
        """Return a line of the journal as a row."""
        return cls(line.row, line.key, line.state, line.note, line.ref)


class BulkReport(Tabular):
    """How the rows of a journal ended. It reads the journal, also after the run and from other processes.

    It is a table of all rows; `frame` returns some of them.

    Args:
        path: The journal.
        seconds: Duration of the run; None if it is not known.
        sent: Number of attempts of the run.
        refused: Number of them that were refused with 429.

    Raises:
        JournalError: There is no journal, or it cannot be read.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, seconds: float | None = None, sent: int = 0, refused: int = 0
    ) -> None:
        self._journal = ClosedJournal(path)
        self.path: str = os.fspath(path)
        self.seconds: float | None = seconds
        self.sent: int = sent
        self.refused: int = refused
        self.counts: Mapping[State, int] = MappingProxyType(self._journal.counts())

    @property
    def total(self) -> int:
        """Number of rows in the journal."""
        return sum(self.counts.values())

    def rows(self, *applied: State) -> Iterator[BulkRow]:
        """Return the rows that ended so, in the order of the input; without an argument all rows."""
        for state in applied:
            if state not in STATES:
                raise ValueError(f"applied is {state!r}; give {', '.join(map(repr, STATES))}")
        return map(BulkRow.of, self._journal.lines(*(applied or STATES)))

    def frame(self, *applied: State) -> Listing[BulkRow]:
        """Return the rows that ended so as a listing, which is a table as well; without an argument all rows."""
        return Listing(self.rows(*applied), BulkRow)

    def failed(self) -> Iterator[BulkRow]:
        """Return the rows that were not applied, with their errors."""
        return self.rows("no")

    def unknown(self) -> Iterator[BulkRow]:
        """Return the rows of which it is not known whether they were applied: look, and settle them."""
        return self.rows("unknown", "in doubt")

    def save(self, path: str | os.PathLike[str], *applied: State) -> int:
        """Write rows to a CSV file, and return their number. The file is complete or not there.

        Args:
            path: The file, which is replaced.
            applied: The rows to write. The default is those that failed, are unknown or in doubt.
        """
        number = 0
        with replacing(path) as file:
            text = io.TextIOWrapper(file, "utf-8", newline="")
            lines = csv.writer(text, lineterminator="\n")
            lines.writerow(("row", "key", "applied", "record_id", "error"))
            for row in self.rows(*(applied or ("no", "unknown", "in doubt"))):
                lines.writerow((row.row, row.key, row.applied, row.record_id, row.error))
                number += 1
            text.detach()  # and not closed: the file still has to be synced
        return number

    def _rows(self) -> tuple[Sequence[BulkRow], type]:
        return tuple(self.rows()), BulkRow

    def __str__(self) -> str:
        ends = [f"{number:,} {state}" for state, number in self.counts.items() if number]
        text = f"{self.total:,} rows: {', '.join(ends) or 'none sent'}"
        if self.seconds is None:
            return text
        rate = f", {self.sent / self.seconds:,.0f}/s" if self.sent and self.seconds else ""
        refused = f", {self.refused / self.sent:.1%} refused for now" if self.refused else ""
        return f"{text}; {duration(self.seconds)}{rate}{refused}"

    def __repr__(self) -> str:
        return f"<BulkReport of {self.path}: {self}>"


def duration(seconds: float) -> str:
    """Return a duration for a person."""
    if seconds < 100:  # noqa: PLR2004
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"  # noqa: PLR2004
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"  # noqa: PLR2004
