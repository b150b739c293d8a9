"""The reports of a run: the outcome of each row as it ends, and all rows from the journal."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any, Final, cast

from ..calls.listing import Listing
from ..calls.operation import Applied
from ..calls.rows import Row, RowCalls
from ..errors import UsageError
from ..frames.rows import Rows, is_frame
from ..frames.rows import rows as frame_rows
from ..frames.tabular import Tabular
from ..json_values.exact_json import dumps, is_array, is_object
from ..labels.atomic_file import replacing
from .journal import STATES, BulkRow, ClosedJournal, State
from .readers import report_columns

_INPUT: Final = "give the rows that the run was given, in their order"


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """The end of a row.

    Attributes:
        row: Position of the row in the input, from 0.
        key: `external_id` of a create, `record_id` of a change, or the key that the row was given; None if there is none.
        applied: Whether the row was applied.
        value: The value of the response; None if there is none.
        error: The error that the row ended with, as text; None without an error.
        cause: The error itself; None if there is none, or if it is not one of this process.
    """

    row: int
    key: str | None
    applied: Applied
    value: Any = None
    error: str | None = None
    cause: BaseException | None = None


class BulkReport(Tabular):
    """A report of the rows of a journal. It reads the journal, also after the run and from other processes.

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
        return self._journal.lines(*(applied or STATES))

    def frame(self, *applied: State) -> Listing[BulkRow]:
        """Return the rows that ended so as a listing, which is a table as well; without an argument all rows."""
        return Listing(self.rows(*applied), BulkRow)

    def failed(self) -> Iterator[BulkRow]:
        """Return the rows that were not applied, with their errors."""
        return self.rows("no")

    def unknown(self) -> Iterator[BulkRow]:
        """Return the rows of which it is not known whether they were applied: look, and settle them.

        Those in doubt are among them, which have no index: it reads the whole journal, as the counts do.
        """
        return self.rows("unknown", "in doubt")

    def save(self, path: str | os.PathLike[str], *applied: State, rows: Rows | None = None) -> int:
        """Write rows to a CSV file, and return their number. The file is complete or not there.

        The journal has no values. With `rows`, the input is read again, and the file has the values of each row: as columns, if
        the input has a header, as that of `bulk.csv` has; otherwise as JSON in the column `input`.

        Args:
            path: The file, which is replaced.
            applied: The rows to write. The default is those that failed, are unknown or in doubt.
            rows: The rows that the run was given, as a frame or as mappings in the same order. If the input has a column such as `key`, the one of
                the report is called `bulk_key`. Rows that failed can be corrected in the file, and sent with the same journal.

        Raises:
            UsageError: A row of `rows` is not the one that the journal has at its position.
            OSError: The file cannot be written.
        """
        with replacing(path) as file:
            text = io.TextIOWrapper(file, "utf-8", newline="")
            number = write_rows(text, self.rows(*(applied or ("no", "unknown", "in doubt"))), rows, self.total)
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


def write_rows(file: IO[str], rows: Iterable[BulkRow], given: Rows | None, total: int) -> int:
    """Write rows as CSV, with the values of `given` as `BulkReport.save` does, and return their number.

    Raises:
        UsageError: A row of `given` is not the one that the journal has at its position, or there are fewer than `total`.
    """
    if given is not None and is_frame(given):
        given = frame_rows(given, missing="omit")
    header = getattr(given, "fieldnames", None)
    columns = () if given is None else ("input",) if header is None else tuple(header)
    in_json = getattr(given, "json_columns", [])
    inputs = RowCalls[None](cast("Iterable[Any]", given or ()), lambda number, content: None)
    if 0 < (given_rows := inputs.count_rows()) < total:
        raise UsageError(
            f"the input has {given_rows} rows, and the journal has {total}, so the values may be those of other rows; {_INPUT}"
        )
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow((*report_columns(columns), *columns))
    number = 0
    for row in rows:
        values: Sequence[Any] = ()
        if given is not None:
            found = _input_of(row, inputs)
            values = _cells(found.content, columns, None if header is None else [] if found.is_refused else in_json)
        lines.writerow((row.row, row.key, row.applied, row.record_id, row.error, *values))
        number += 1
    return number


def _cells(row: Mapping[str, Any], columns: Sequence[str], in_json: Sequence[str] | None) -> list[Any]:
    """Return the cells of a row. Those of a row that a file refused are as they were, so that it can be corrected.

    Args:
        row: The row.
        columns: The columns.
        in_json: Those whose cells are JSON; None if all of the row is, in one cell.
    """
    beyond = row.get("")
    if in_json is None:
        return [beyond if isinstance(beyond, str) else as_json(row)]
    cells = [as_json(row[name]) if name in row and name in in_json else _cell(row.get(name)) for name in columns]
    return [*cells, *(beyond if isinstance(beyond, list) else ())]


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return as_json(value) if isinstance(value, dict | list) else value


def as_json(value: Any) -> str:
    """Return a value as JSON. A part that is not JSON, such as NaN or a time without an offset, is in angle brackets: until it is corrected, the row is refused."""
    try:
        return dumps(value).decode()
    except UsageError:
        if is_object(value):
            return f"{{{', '.join(f'{json.dumps(str(name))}: {as_json(member)}' for name, member in value.items())}}}"
        if is_array(value):
            return f"[{', '.join(map(as_json, value))}]"
        return json.dumps(value) if isinstance(value, str) else f"<{value}>"


def _input_of(row: BulkRow, inputs: RowCalls[None]) -> Row[None]:
    """Return the mapping at the position of a row, also one that its file refuses; those before it are skipped."""
    given = next((given for given in iter(inputs.next_row, None) if given.number == row.row), None)
    if given is None:
        raise UsageError(f"there is no row {row.row} in the input; {_INPUT}")
    found = given.content
    if not is_object(found):
        raise UsageError(
            f"row {row.row} of the input is of type {type(found).__name__}; give mappings of columns to values"
        )
    if row.key is not None and row.key not in map(str, found.values()):
        raise UsageError(f"row {row.row} of the input has no value {row.key!r}, its key in the journal; {_INPUT}")
    return given


def duration(seconds: float) -> str:
    """Return a duration for a person."""
    if seconds < 100:  # noqa: PLR2004
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"  # noqa: PLR2004
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"  # noqa: PLR2004
