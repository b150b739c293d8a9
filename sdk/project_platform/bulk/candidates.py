"""The rows of the input that are to be sent, compared with what the journal knows of them.

| the journal has | safe to repeat, or a change whose guard fences | any other write |
|---|---|---|
| no line, or waiting | sent | sent |
| in doubt (a process ended) | sent again, with the doubt | unknown, or settled with `settle` |
| unknown, with `settle` | settled | settled, if it can be |
| yes, in effect, no (unless `retry_failed`), unknown | skipped | skipped |
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from hashlib import blake2b
from json import JSONDecoder
from typing import Any, Final, NamedTuple, TypeGuard, cast

from ..calls.operation import Call
from ..errors import InputChangedError, UsageError
from ..records.change import Change
from ..records.settle import update_call
from .attempt import Sending
from .journal_rows import RunJournal, State
from .verdicts import Rules, repeatable

_MAX_HELD: Final = 10_000  # rows to send again that are held while a resumed run compares its input
_LOOKAHEAD: Final = 4096  # rows of the journal that are read at once
_DECODER: Final = JSONDecoder()  # one for all rows: numbers need not be exact to read a string


class InputNotReadyError(Exception):
    """The input has no row yet: an asynchronous input is still read."""


class Placed(NamedTuple):
    """A row of an input that gives the positions itself."""

    row: int
    item: Any
    doubt: bool


class Candidates:
    """The rows to send, in the order of the input.

    Args:
        journal: The journal of the run.
        next_item: Returns the next row of the input; raises StopIteration at its end, or `InputNotReadyError`.
        project_id: The project of the run.
        rules: What the run may do.
        not_sent_again: Takes a row in doubt that must not be sent twice.
    """

    def __init__(
        self,
        journal: RunJournal,
        next_item: Callable[[], Any],
        project_id: str,
        rules: Rules,
        not_sent_again: Callable[[Sending], None],
    ) -> None:
        self._journal, self._next_item = journal, next_item
        self._project_id, self._rules = project_id, rules
        self._not_sent_again = not_sent_again
        self._row = 0
        self._held: deque[Sending] = deque()  # of the rows that the journal knows
        self._known: dict[int, tuple[State, bytes]] = {}
        self._known_to = 0
        self._known_end = journal.end()
        self._comparing = self._known_end > 0
        self.reading: bool = False  # whether the code of the input runs
        self.exhausted: bool = False
        self.skipped: int = 0

    @property
    def finished(self) -> bool:
        """Whether there are no more."""
        return self.exhausted and not self._held

    def next(self) -> Sending | None:
        """Return a row to send, or None if the next one is not to be sent (yet).

        A resumed run compares all rows that the journal knows before it sends any of them.

        Raises:
            StopIteration: There are no more.
            InputNotReadyError: The input has no row yet.
            InputChangedError: The input is not the one of the journal.
        """
        if self._held and (not self._comparing or len(self._held) >= _MAX_HELD):
            return self._held.popleft()
        if self.exhausted:
            raise StopIteration
        try:
            item = self._read()
        except StopIteration:
            self._check_end()
            return None
        if isinstance(item, Placed):
            sending = sending_of(item.row, item.item, self._project_id)
            sending.doubt = item.doubt
            return sending
        row = self._row
        self._row += 1
        if row >= self._known_end:
            self._comparing = False
            if not self._held:
                return sending_of(row, item, self._project_id)
            self._held.append(sending_of(row, item, self._project_id))
            return self._held.popleft()
        sending_again = self._resumed(_Checked(row, item, self._project_id))
        if sending_again is not None:
            self._held.append(sending_again)
        return None

    def _read(self) -> Any:
        self.reading = True
        try:
            return self._next_item()
        except StopIteration:
            self.exhausted = True
            raise
        finally:
            self.reading = False

    def _check_end(self) -> None:
        self._comparing = False
        if self._row < self._known_end:
            self._journal.forget_reserved(self._row)
            if self._row < (known := self._journal.end()):
                raise InputChangedError(
                    f"the input ends after {self._row} rows, and the journal has {known}; give the same input, with or without "
                    "more rows at its end, or another journal",
                    row=self._row,
                )

    def _resumed(self, checked: _Checked) -> Sending | None:
        """Return a row of the journal if it is to be sent again.

        Raises:
            InputChangedError: It is not what it was.
        """
        row = checked.row
        state, digest = self._state(row)
        if digest and digest != checked.digest:
            raise InputChangedError(
                f"row {row} is not what it was when the journal was begun; give the same input, or another journal",
                row=row,
            )
        if state == "in doubt" or (state == "unknown" and self._rules.settle):
            sending = checked.sending()
            sending.doubt = True
            if repeatable(sending, self._rules):
                return sending
            if state == "in doubt":
                self._not_sent_again(sending)
                return None
        if state == "waiting" or (state == "no" and self._rules.retry_failed):
            return checked.sending()
        self.skipped += 1
        return None

    def _state(self, row: int) -> tuple[State, bytes]:
        if row >= self._known_to:
            self._known_to = row + _LOOKAHEAD
            self._known = self._journal.known(row, self._known_to)
        return self._known.get(row, ("waiting", b""))


class _Checked:
    """A row of the input that is a call or a change of the project, and its digest. A row that is skipped needs no more.

    Raises:
        UsageError: It is not one.
    """

    __slots__ = ("call", "digest", "item", "key", "row")

    def __init__(self, row: int, item: Any, project_id: str) -> None:
        self.row = row
        self.key: Any = None
        self.item: Any = item
        if _is_pair(item):
            self.key, self.item = item
        self.call = call = self._call(project_id)
        path = call.path
        if path.startswith("/projects/") and not path.startswith(f"/projects/{project_id}"):
            raise UsageError(f"row {row} is a call in another project; this run is on {project_id}")
        content = b"%s %s %s" % (call.operation.id.encode(), path.encode(), call.body or b"")
        self.digest = blake2b(content, digest_size=8).digest()

    def _call(self, project_id: str) -> Call[Any]:
        item = self.item
        if isinstance(item, Change):
            if item.project_id not in {None, project_id}:
                raise UsageError(
                    f"row {self.row} is a change in project {item.project_id}; this run is on {project_id}"
                )
            return update_call(item, project_id)
        if _is_call(item):
            return item
        raise UsageError(
            f"row {self.row} is of type {type(item).__name__}; give a Call, a Change, or a pair of a key and either: "
            "records.creates and records.changes make them"
        )

    def sending(self) -> Sending:
        """Return the row as it is sent."""
        call, item, key = self.call, self.item, self.key
        external_id = _external_id(call.body or b"") if call.operation.id == "records_create" else None
        if key is None:
            key = item.record_id if isinstance(item, Change) else external_id
        return Sending(self.row, item, call, self.digest, None if key is None else str(key), external_id)


def sending_of(row: int, item: Any, project_id: str) -> Sending:
    """Return a row of the input as it is sent.

    Raises:
        UsageError: It is not a call or a change of the project.
    """
    return _Checked(row, item, project_id).sending()


def _is_pair(item: object) -> TypeGuard[tuple[object, object]]:
    return isinstance(item, tuple) and len(cast("tuple[object, ...]", item)) == 2  # noqa: PLR2004


def _is_call(item: object) -> TypeGuard[Call[Any]]:
    return isinstance(item, Call)


def _external_id(body: bytes) -> str | None:
    """Return the `external_id` of the record that a request creates."""
    if b'"externalId"' not in body:
        return None
    external_id = _DECODER.decode(body.decode()).get("externalId")
    return external_id if isinstance(external_id, str) else None
