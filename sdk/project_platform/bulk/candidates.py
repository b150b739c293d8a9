"""The rows of the input that are to be sent, compared with what the journal knows of them.

| the journal has | safe to repeat, or a change whose guard fences | any other write |
|---|---|---|
| no line, or waiting | sent | sent |
| in doubt (a process ended) | sent again, with the doubt | unknown, or settled with `settle` |
| unknown, with `settle` | settled | settled, if it can be |
| no, and the row was corrected, or `retry_failed` | sent | sent |
| yes, in effect, no, unknown | skipped | skipped |

A row that was not applied may be another one than before. Any other row must not have changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from json import JSONDecoder
from typing import Any, Final, TypeGuard, cast

from ..calls.operation import Call
from ..calls.rows import Row, RowCalls
from ..errors import DataMismatchError, InputChangedError, UsageError
from ..json_values.exact_json import is_object, loads_unique
from ..records.change import Change
from ..records.settle import update_call
from .attempt import BulkOptions, Sending, repeatable
from .journal import SENT_AGAIN, End, Intent, Journal, KnownRow
from .readers import ReportedRow, is_report
from .report import as_json

_MAX_HELD: Final = 10_000  # rows to send again that are held while a resumed run compares its input
_LOOKAHEAD: Final = 4096  # rows of the journal that are read at once
_DECODER: Final = JSONDecoder()  # one for all rows: numbers need not be exact to read a string


class InputNotReadyError(Exception):
    """The input has no row yet."""


@dataclass(slots=True, kw_only=True)
class Unsent(Intent):
    """A row that is not sent, and how it ends. Its `external_id` is free for another row."""

    end: End
    in_doubt: Sending | None = None  # the row as it was sent, if an earlier process may have done so


def reader_of(items: Iterable[Any]) -> Callable[[], Any]:
    """Return a function that returns the next row of an input."""
    if isinstance(items, RowCalls):
        if is_report(items.columns or [], "the input"):
            raise UsageError(
                "the rows are a report of a run; read it with bulk.csv, so that each row keeps its position in that run"
            )
        return items.next_row
    try:
        return iter(items).__next__
    except TypeError:
        raise UsageError(
            f"the input is of type {type(items).__name__}; give an iterable of calls, such as project.records.creates(rows)"
        ) from None


class Candidates:
    """The rows to send, and those that end without being sent, in the order of the input.

    Args:
        journal: Records of earlier processes; None if there is no such thing.
        row_with: Returns the other row that has an `external_id`, as `Journal.row_with` does; None if there is no journal.
        read: Returns the next row of the input; see `Feed.next`.
    """

    def __init__(
        self,
        journal: Journal | None,
        row_with: Callable[[str, int], int | None] | None,
        read: Callable[[], Any],
        project_id: str,
        options: BulkOptions,
    ) -> None:
        self._journal, self._row_with, self._read = journal, row_with, read
        self._project_id, self._options = project_id, options
        self._row = 0
        self._held: deque[Sending] = deque()  # of the rows that the journal knows
        self._known: dict[int, KnownRow] = {}
        self._known_from = self._known_to = 0
        self._known_end = 0 if journal is None else journal.end()
        self._reported_rows: set[int] = set()  # of an input that is a report, which has some of the rows
        self.names: dict[str, int] = {}  # external identifiers of rows that the journal does not have yet
        self.comparing: bool = self._known_end > 0  # the rows that are read now are those that the journal knows
        self.exhausted: bool = False
        self.skipped: int = 0  # rows that ended in an earlier run

    @property
    def complete(self) -> bool | None:
        """Whether all rows of the input were read; None for a report, which has a part of them."""
        return None if self._reported_rows else self.exhausted

    @property
    def finished(self) -> bool:
        """Whether there are no more."""
        return self.exhausted and not self._held

    def next(self) -> Sending | Unsent | None:
        """Return a row, or None if the next one has ended, or is not to be sent yet.

        A resumed run compares all rows that the journal knows before it sends any of them.

        Raises:
            StopIteration: There are no more.
            InputNotReadyError: The input has no row yet.
            InputChangedError: The input is not the one of the journal.
        """
        if self._held and (not self.comparing or len(self._held) >= _MAX_HELD):
            return self._checked(self._held.popleft())
        if self.exhausted:
            raise StopIteration
        try:
            item = self._read()
        except StopIteration:
            self.exhausted = True
            self._check_end()
            return None
        if isinstance(item, Sending | Unsent):  # of a partition
            return self._checked(item)
        given = _Given(self._row, item, self._project_id)
        if isinstance(given.content, ReportedRow):
            given.row = self._reported(given.content, given.key)
        else:
            self._row += 1
        self.comparing = given.row < self._known_end
        found = self._resumed(given) if self.comparing else given.prepared()
        if isinstance(found, Sending):
            self._held.append(found)  # behind the rows of the journal
            return None
        return found

    def _checked(self, row: Sending | Unsent) -> Sending | Unsent:
        """Return the row; or how it ends because it changes nothing, or repeats an `external_id`."""
        if isinstance(row, Unsent):
            return row
        if isinstance(row.item, Change) and not row.item:
            return _unsent(row, End("in effect", note="the change is empty"))
        name = row.external_id
        if name is None or self._options.allow_duplicates or row.doubt:
            return row
        if (earlier := self.names.get(name)) is None and self._row_with is not None:
            earlier = self._row_with(name, row.row)
        if earlier is None:
            self.names[name] = row.row
            return row
        again = "allow_duplicates=True with retry_failed=True, or --allow-duplicates with --retry-failed, sends it, too"
        return _unsent(row, End("no", note=f"it has the external_id of row {earlier}; {again}"))

    def _reported(self, content: ReportedRow, key: str | None) -> int:
        """Return the position of a row of a report.

        A row that could not be sent has no key in the report. If it, or its key, was corrected and the row was sent since, the journal has
        the key that it has now.

        Raises:
            InputChangedError: The report is not of this journal.
        """
        row, known = content.row, None
        if row in self._reported_rows:
            raise InputChangedError(f"the report has row {row} twice; leave one of them in it", row=row)
        self._reported_rows.add(row)
        if row < self._known_end:
            known = self._known_row(row).key
            if known in {content.key, key or content.key} or content.key is key is None:
                return row
        there = f"whose row {row} has the key {known!r}" if row < self._known_end else f"which has no row {row}"
        raise InputChangedError(
            f"row {row} of the report, with the key {content.key!r}, is not of the journal, {there}; give the journal of the run that the "
            "report is of; if it is this one, write the key of the journal into the second column: a spreadsheet may have written 002 as 2, "
            "or the row was sent since with another identifier",
            row=row,
        )

    def _check_end(self) -> None:
        self.comparing = False
        if self._row < self._known_end and not self._reported_rows:
            assert self._journal is not None
            self._journal.forget_reserved(self._row)
            if self._row < (known := self._journal.end()):
                raise InputChangedError(
                    f"the input ends after {self._row} rows, and the journal has {known}; give the same input, with or without "
                    f"more rows at its end; {SENT_AGAIN}",
                    row=self._row,
                )

    def _resumed(self, given: _Given) -> Sending | Unsent | None:
        """Return a row of the journal if it is to be sent again, or ends now. One that may have been applied must be what it was."""
        row = given.row
        state, digest, _ = self._known_row(row)
        changed = bool(digest) and digest not in {given.digest, given.digest_in_report(digest)}
        if state == "waiting" or (state == "no" and (changed or self._options.retry_failed)):
            return given.prepared()
        if changed:
            left_out = ", or leave it out" if self._reported_rows else ""
            raise InputChangedError(
                f"row {row} is not what it was when it was sent, and its outcome is {state!r}; give the row and the options as they "
                f"were when it was sent, or the row as it was corrected in a report{left_out}; {SENT_AGAIN}",
                row=row,
            )
        if state == "in doubt" or (state == "unknown" and self._options.settle):
            sending = given.sending()
            sending.doubt = True
            if repeatable(sending, self._options):
                return sending
            if state == "in doubt":
                return _unsent(sending, End("unknown", note=_no_response(sending)), in_doubt=sending)
        self.skipped += 1
        return None

    def _known_row(self, row: int) -> KnownRow:
        if not self._known_from <= row < self._known_to:
            assert self._journal is not None
            self._known_from, self._known_to = row, row + _LOOKAHEAD
            self._known = self._journal.known(row, self._known_to)
        return self._known.get(row, KnownRow())


class _Given:
    """A row of the input and its digest. The call of a row is built when it is needed."""

    __slots__ = ("_call", "_project_id", "_refusal", "content", "digest", "item", "key", "row")
    item: Any

    def __init__(self, row: int, item: Any, project_id: str) -> None:
        self.row, self.item, self._project_id = row, item, project_id
        self.key: str | None = None
        self.content: Any = None
        self._refusal: Exception | None = None
        self._call: Call[Any] | None = None
        digest = None
        if _is_row(item):
            self.content, self.key = item.content, item.external_id
            if isinstance(item.content, ReportedRow):
                item.number = item.content.row  # which errors name
            digest = item.digest()
        elif _is_pair(item):
            key, self.item = item
            self.key = None if key is None else str(key)
        self.digest: bytes = digest or self._digest_of_call()

    def digest_in_report(self, otherwise: bytes) -> bytes | None:
        """Return the digest that the row has in a report, where it is JSON; None if it is the same, or the row is not one of a frame or a file."""
        if otherwise == self.digest or not _is_row(self.item) or not is_object(self.content):
            return None
        try:
            return self.item.digest(loads_unique(as_json(self.content)))
        except ValueError:  # a value that is not JSON
            return None

    def _digest_of_call(self) -> bytes:
        try:
            self._build()
        except (UsageError, DataMismatchError) as error:
            self._refusal = error
            return _digest(str(error).encode("utf-8", "replace"))
        self._call = call = self._checked_call()
        return _digest(b"%s %s %s" % (call.operation.id.encode(), call.path.encode(), call.body or b""))

    def _build(self) -> None:
        if _is_row(self.item):
            self.item = self.item.build()

    def _checked_call(self) -> Call[Any]:
        item, row, project_id = self.item, self.row, self._project_id
        if isinstance(item, Change):
            if item.project_id not in {None, project_id}:
                raise UsageError(f"row {row} is a change in project {item.project_id}; this run is on {project_id}")
            return update_call(item, project_id)
        if not _is_call(item):
            raise UsageError(
                f"row {row} is of type {type(item).__name__}; give a Call, a Change, or a pair of a key and either: "
                "records.creates and records.changes make them"
            )
        if item.path.startswith("/projects/") and not item.path.startswith(f"/projects/{project_id}"):
            raise UsageError(f"row {row} is a call in another project; this run is on {project_id}")
        return item

    def prepared(self) -> Sending | Unsent:
        """Return the row as it is sent, or why it cannot be sent."""
        try:
            return self.sending()
        except (UsageError, DataMismatchError) as error:
            # Of a report, a row that cannot be read keeps its key.
            key = self.content.key if self.key is None and isinstance(self.content, ReportedRow) else self.key
            return Unsent(self.row, self.digest, key, end=End("no", error=error))

    def sending(self) -> Sending:
        """Return the row as it is sent, or raise the reason why it cannot be sent."""
        if self._refusal is not None:
            raise self._refusal
        external_id = self.key if _is_row(self.item) else None
        self._build()
        call = self._call or self._checked_call()
        if external_id is None:
            external_id = _external_id_of(call)
        if self.key is None:
            self.key = self.item.record_id if isinstance(self.item, Change) else external_id
        doubt = isinstance(self.item, Change) and self.item.in_doubt
        return Sending(
            self.row, self.digest, self.key, external_id, item=cast("Any", self.item), call=call, doubt=doubt
        )


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=8).digest()


def sending_of(row: int, item: Any, project_id: str) -> Sending | Unsent:
    """Return a row of the input as it is sent, or why it cannot be sent."""
    return _Given(row, item, project_id).prepared()


def _unsent(row: Sending, end: End, in_doubt: Sending | None = None) -> Unsent:
    return Unsent(row.row, row.digest, row.key, end=end, in_doubt=in_doubt)


def _no_response(sending: Sending) -> str:
    """Return why a row is unknown that was in flight when an earlier process ended, and what a person has to look at."""
    look = sending.call.operation.look
    return "the process ended before there was a response" + (f"; {look}" if look else "")


def _is_row(item: object) -> TypeGuard[Row[Any]]:
    return isinstance(item, Row)


def _is_pair(item: object) -> TypeGuard[tuple[object, object]]:
    return isinstance(item, tuple) and len(cast("tuple[object, ...]", item)) == 2  # noqa: PLR2004


def _is_call(item: object) -> TypeGuard[Call[Any]]:
    return isinstance(item, Call)


def _external_id_of(call: Call[Any]) -> str | None:
    """Return the `external_id` of the record that a call creates; None if it is not a create, or has none."""
    body = call.body or b""
    if call.operation.id != "records_create" or b'"externalId"' not in body:
        return None
    external_id = _DECODER.decode(body.decode()).get("externalId")
    return external_id if isinstance(external_id, str) else None
