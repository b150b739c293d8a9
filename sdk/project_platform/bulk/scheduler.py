"""Decides which rows are sent now, and what their ends mean. It sends nothing and has no clock.

An engine (`threads.py`, `tasks.py`) works in turns: it takes the ends of attempts (`ended`), asks for rows to send (`grant`),
writes both to the journal (`commit`), and only then sends the rows and yields the outcomes.

| end of an attempt | journal | next |
|---|---|---|
| 429, or not sent | waiting | to the head of the queue; any number of times |
| lost; safe to repeat, or a change whose guard fences | in doubt | sent again, at most five times |
| lost, otherwise | unknown | never sent again |
| 2xx, also with an unreadable body | yes | |
| 409 in doubt, on a create whose `external_id` is known to be unique | in effect | |
| another 4xx; in doubt | no; unknown | |
| 401, or 403 before any row was applied | waiting, or still in doubt | the run ends with the error |

| the journal has | safe to repeat, or a change whose guard fences | any other write |
|---|---|---|
| no line, or waiting | sent | sent |
| in doubt (a process ended) | sent again, with the doubt | unknown |
| yes, in effect, no (unless `retry_failed`), unknown | skipped | skipped |
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from json import JSONDecoder
from math import inf
from typing import Any, Final, Literal, TypeGuard, cast

from ..calls.operation import Applied, Call
from ..errors import BulkStoppedError, InputChangedError, UsageError
from ..records.change import Change
from ..records.settle import update_call
from .attempt import AttemptEnd, Kind, Sending
from .journal import End, Intent, Journal, State
from .limiter import Limiter
from .report import BulkOutcome

_MAX_LOST: Final = 5  # attempts that are lost before a row that may be repeated is unknown
_MAX_PARKED: Final = 1000  # rows that wait for another row of their record
_MAX_HELD: Final = 10_000  # rows to send again that are held while a resumed run compares its input
_ROWS_PER_TURN: Final = 1000  # rows of the input that are read in a turn without sending any
_LOOKAHEAD: Final = 4096  # rows of the journal that are read at once
_DECODER: Final = JSONDecoder()  # one for all rows: numbers need not be exact to read a string
_MAX_NOTE: Final = 300  # characters of an error in the journal


class InputNotReadyError(Exception):
    """The input has no row yet: an asynchronous input is still read."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a run may do.

    Attributes:
        external_id: The effect of a second create with the same `external_id`, as the capabilities have it.
        retry_failed: Whether rows that ended with "no" in an earlier run are sent again.
        allow_duplicates: Whether a row may have the `external_id` of an earlier row.
        max_failures: Number of rows that may fail before the first is applied; None for no limit.
    """

    external_id: Literal["unique", "upsert", "free"] | None = None
    retry_failed: bool = False
    allow_duplicates: bool = False
    max_failures: int | None = 100


class Scheduler:
    """The state of a run between two turns.

    Args:
        journal: The journal of the run.
        limiter: Says when a request may start.
        next_item: Returns the next row of the input; raises StopIteration at its end, or `InputNotReadyError`.
        project_id: The project of the run.
        rules: What the run may do.
        on_outcome: A function that is called with each outcome when it is in the journal.
    """

    def __init__(
        self,
        journal: Journal,
        limiter: Limiter,
        next_item: Callable[[], Any],
        project_id: str,
        rules: Rules,
        *,
        on_outcome: Callable[[BulkOutcome], None],
    ) -> None:
        self._journal, self._limiter, self._next_item = journal, limiter, next_item
        self._project_id, self._rules, self._on_outcome = project_id, rules, on_outcome
        self._row = 0
        self._again: deque[Sending] = deque()  # at the head of the queue
        self._held: deque[Sending] = deque()  # of the rows that the journal knows
        self._busy: dict[str, deque[Sending]] = {}  # by record: the rows that wait for the one in flight
        self._parked = 0
        self._known: dict[int, tuple[State, bytes]] = {}
        self._known_to = 0
        self._known_end = journal.end()
        self._comparing = self._known_end > 0
        self._intents: list[Intent] = []
        self._ends: list[End] = []
        self._unsent: list[tuple[Intent, End]] = []
        self._outcomes: list[BulkOutcome] = []
        self._names: dict[str, int] = {}  # external identifiers of the rows that this turn sends
        self._failed_first = 0
        self._succeeded = False
        self.reading: bool = False  # whether the code of the input runs
        self.exhausted: bool = False
        self.error: BaseException | None = None  # raised when the rows in flight have ended
        self.in_flight: int = 0
        self.counts: Counter[Applied] = Counter()  # of this run
        self.skipped: int = 0
        self.sent: int = 0
        self.refused: int = 0

    @property
    def finished(self) -> bool:
        """Whether nothing is in flight, and nothing is left to send."""
        if self.in_flight:
            return False
        return self.error is not None or (self.exhausted and not (self._again or self._held or self._parked))

    def stop(self, error: BaseException) -> None:
        """Send nothing more; the run ends with this error, unless it already ends with one."""
        if self.error is None:
            self.error = error

    def grant(self, now: float) -> tuple[list[Sending], float]:
        """Return the rows to send now, and the seconds until there may be more: infinite if an attempt has to end before."""
        granted: list[Sending] = []
        try:
            while self.error is None:
                if wait := self._limiter.start(now):
                    return granted, wait
                sending, more = None, False
                try:
                    sending, more = self._next()
                finally:
                    if sending is None:
                        self._limiter.cancel()
                if sending is None:
                    return granted, 0.0 if more else inf
                sending.started = now
                self.in_flight += 1
                self._intents.append(Intent(sending.row, sending.digest, sending.key, sending.external_id))
                granted.append(sending)
        except BaseException as error:  # noqa: BLE001  # of the input, or Ctrl+C in it: the rows before it are not its fault
            self.stop(error)
        return granted, inf

    def _next(self) -> tuple[Sending | None, bool]:
        """Return the next row to send; or None, and whether there is more to read at once."""
        if self._again:
            return self._again.popleft(), True
        for _ in range(_ROWS_PER_TURN):
            if self._parked >= _MAX_PARKED:
                return None, False
            try:
                sending = self._candidate()
            except StopIteration:
                return None, False
            except InputNotReadyError:
                return None, False
            if sending is None or self._is_ended(sending) or self._waits_for_record(sending):
                continue
            return sending, True
        return None, True

    def _candidate(self) -> Sending | None:
        """Return a row to send, or None if the next one is not to be sent (yet).

        A resumed run compares all rows that the journal knows before it sends any of them.
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
        row = self._row
        self._row += 1
        if row >= self._known_end:
            self._comparing = False
            if not self._held:
                return self._sending_of(row, item)
            self._held.append(self._sending_of(row, item))
            return self._held.popleft()
        sending = self._resumed(self._sending_of(row, item))
        if sending is not None:
            self._held.append(sending)
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

    def _sending_of(self, row: int, item: Any) -> Sending:
        """Return a row of the input as it is sent.

        Raises:
            UsageError: It is not a call or a change of the project.
        """
        key, item = item if _is_pair(item) else (None, item)
        if isinstance(item, Change):
            if item.project_id not in {None, self._project_id}:
                raise UsageError(
                    f"row {row} is a change in project {item.project_id}; this run is on {self._project_id}"
                )
            call: Call[Any] = update_call(item, self._project_id)
        elif _is_call(item):
            call = item
        else:
            raise UsageError(
                f"row {row} is of type {type(item).__name__}; give a Call, a Change, or a pair of a key and either: "
                "records.creates and records.changes make them"
            )
        path = call.path
        if path.startswith("/projects/") and not path.startswith(f"/projects/{self._project_id}"):
            raise UsageError(f"row {row} is a call in another project; this run is on {self._project_id}")
        body = call.body or b""
        digest = blake2b(b"%s %s %s" % (call.operation.id.encode(), path.encode(), body), digest_size=8).digest()
        external_id = _external_id(body) if call.operation.id == "records_create" else None
        if key is None:
            key = item.record_id if isinstance(item, Change) else external_id
        return Sending(
            row,
            item if isinstance(item, Change) else call,
            call,
            digest,
            None if key is None else str(key),
            external_id,
        )

    def _resumed(self, sending: Sending) -> Sending | None:
        """Return a row of the journal if it is to be sent again.

        Raises:
            InputChangedError: It is not what it was.
        """
        state, digest = self._state(sending.row)
        if digest and digest != sending.digest:
            raise InputChangedError(
                f"row {sending.row} is not what it was when the journal was begun; give the same input, or another journal",
                row=sending.row,
            )
        if state == "in doubt":
            sending.doubt = True
            if self._repeatable(sending):
                return sending
            self._end_unsent(sending, "unknown", "the process ended before there was an answer")
            return None
        if state == "waiting" or (state == "no" and self._rules.retry_failed):
            return sending
        self.skipped += 1
        return None

    def _state(self, row: int) -> tuple[State, bytes]:
        if row >= self._known_to:
            self._known_to = row + _LOOKAHEAD
            self._known = self._journal.known(row, self._known_to)
        return self._known.get(row, ("waiting", b""))

    def _repeatable(self, sending: Sending) -> bool:
        if isinstance(sending.item, Change):
            return sending.item.fences
        if sending.external_id is not None and self._rules.external_id in {"unique", "upsert"}:
            return True
        return sending.call.retry == "safe"

    def _is_ended(self, sending: Sending) -> bool:
        """Return whether the row need not be sent, and end it if so: it changes nothing, or repeats an earlier `external_id`."""
        if isinstance(sending.item, Change) and not sending.item:
            self._end_unsent(sending, "in effect", "the change is empty")
            return True
        name = sending.external_id
        if name is None or self._rules.allow_duplicates or sending.doubt:
            return False
        earlier = self._names.get(name)
        if earlier is None:
            earlier = self._journal.row_with(name, other_than=sending.row)
        if earlier is None:
            self._names[name] = sending.row
            return False
        self._end_unsent(
            sending, "no", f"it has the external_id of row {earlier}; give allow_duplicates=True to send both"
        )
        return True

    def _waits_for_record(self, sending: Sending) -> bool:
        """Return whether the row is parked: two changes of one record in flight would refuse each other."""
        if not isinstance(sending.item, Change):
            return False
        waiting = self._busy.get(sending.item.record_id)
        if waiting is None:
            self._busy[sending.item.record_id] = deque()
            return False
        waiting.append(sending)
        self._parked += 1
        return True

    def ended(self, sending: Sending, end: AttemptEnd, now: float) -> None:
        """Take the end of an attempt."""
        self.in_flight -= 1
        self.sent += 1
        limiter, kind = self._limiter, end.kind
        if kind == "refused":
            self.refused += 1
            limiter.refused(now, sending.started, end.retry_after)
        elif kind in {"lost", "not sent"}:
            limiter.failed(now, end.retry_after)
        elif kind == "stop":
            limiter.cancel()
        else:
            limiter.answered(now)
        if kind == "forbidden" and not self._succeeded:
            kind = "stop"
        if kind == "stop":
            assert end.error is not None
            self.stop(end.error)
        if kind in {"refused", "not sent", "stop"}:
            if not sending.doubt:  # it was surely not applied, so a crash from here on leaves no doubt
                self._ends.append(End(sending.row, "waiting", None, _note(end.error)))
            self._again.append(sending)
            return
        if kind == "lost":
            sending.doubt, sending.lost = sending.call.operation.effect != "read", sending.lost + 1
            if sending.lost < _MAX_LOST and self._repeatable(sending):
                self._again.append(sending)
                return
        applied = self._applied(sending, kind)
        self._end(sending, applied, end)
        self._count_first_failures(applied, end)

    def _applied(self, sending: Sending, kind: Kind) -> Applied:
        """Return whether a row was applied that is not sent again."""
        if kind in {"yes", "in effect", "no"}:
            return cast("Applied", kind)
        if kind == "forbidden" and not sending.doubt:
            return "no"
        if kind == "lost" and sending.call.operation.effect == "read":
            return "no"
        unique = sending.external_id is not None and self._rules.external_id == "unique"
        return "in effect" if kind == "conflict" and unique else "unknown"

    def _end(self, sending: Sending, applied: Applied, end: AttemptEnd) -> None:
        note = _note(end.error)
        ref = getattr(end.value, "id", None)
        self._ends.append(End(sending.row, applied, ref if isinstance(ref, str) else None, note))
        self._outcomes.append(BulkOutcome(sending.row, sending.key, applied, end.value, note, end.error))
        self.counts[applied] += 1
        if isinstance(sending.item, Change):
            waiting = self._busy[sending.item.record_id]
            if waiting:
                self._again.append(waiting.popleft())
                self._parked -= 1
            else:
                del self._busy[sending.item.record_id]

    def _end_unsent(self, sending: Sending, applied: Applied, note: str) -> None:
        intent = Intent(sending.row, sending.digest, sending.key)
        self._unsent.append((intent, End(sending.row, applied, None, note)))
        self._outcomes.append(BulkOutcome(sending.row, sending.key, applied, None, note))
        self.counts[applied] += 1

    def _count_first_failures(self, applied: Applied, end: AttemptEnd) -> None:
        if applied != "no":
            self._succeeded = True
        if self._succeeded:
            return
        self._failed_first += 1
        if self._failed_first == self._rules.max_failures:
            stopped = BulkStoppedError(
                f"the first {self._failed_first} rows failed, the last one with: {_note(end.error)}; mend the input, or give a "
                "larger max_failures",
                failed=self._failed_first,
            )
            stopped.__cause__ = end.error
            self.stop(stopped)

    def unsent(self, granted: list[Sending]) -> None:
        """Take back rows that were granted and surely not sent."""
        while granted:
            sending = granted.pop()
            self.in_flight -= 1
            self._limiter.cancel()
            if not sending.doubt:
                self._ends.append(End(sending.row, "waiting"))
            self._again.append(sending)

    def commit(self) -> list[BulkOutcome]:
        """Write the turn to the journal, and return its outcomes. Only then may the rows be sent that were granted.

        Raises:
            JournalError: It cannot be written. The rows that were granted must not be sent.
        """
        intents, ends, unsent = self._intents, self._ends, self._unsent
        self._intents, self._ends, self._unsent = [], [], []
        try:
            self._journal.commit(intents, ends, unsent)
        except BaseException:
            self._ends, self._unsent = ends, unsent  # they are facts, which a later commit may still write
            raise
        self._names.clear()
        outcomes, self._outcomes = self._outcomes, []
        for outcome in outcomes:
            self._on_outcome(outcome)
        return outcomes


def _is_pair(item: object) -> TypeGuard[tuple[object, object]]:
    return isinstance(item, tuple) and len(cast("tuple[object, ...]", item)) == 2  # noqa: PLR2004


def _is_call(item: object) -> TypeGuard[Call[Any]]:
    return isinstance(item, Call)


def _note(error: BaseException | None) -> str | None:
    return None if error is None else f"{type(error).__name__}: {error}"[:_MAX_NOTE]


def _external_id(body: bytes) -> str | None:
    """Return the `external_id` of the record that a request creates."""
    if b'"externalId"' not in body:
        return None
    external_id = _DECODER.decode(body.decode()).get("externalId")
    return external_id if isinstance(external_id, str) else None
