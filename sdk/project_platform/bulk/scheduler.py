"""Decides which rows are sent now, and what their ends mean. It sends nothing and has no clock.

The engine (`engine.py`) works in turns: it takes the ends of attempts (`ended`), asks for rows to send (`grant`), writes both to
the journal (`commit`), and only then sends the rows and publishes the outcomes. `candidates.py` says which rows are sent,
`attempt.py` what their ends mean.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from math import inf
from typing import Final, cast

from ..calls.operation import Applied
from ..errors import BulkStoppedError, StalePreconditionError
from .attempt import MAX_LOST, UNSENT, BulkOptions, Sending, applied_of, repeatable
from .candidates import Candidates, InputNotReadyError, Unsent
from .claims import ClaimedRows, ends_of
from .journal import End, Intent, Journal, OpenBatch, Turn
from .limiter import Limiter
from .report import BulkOutcome

_ROWS_PER_TURN: Final = 1000  # rows of the input that are read in a turn without sending any
_MAX_WAITING: Final = 1000  # rows that wait for another row of their record; then no more are read


class Scheduler:
    """The state of a run between two turns.

    Args:
        candidates: The rows of the input.
        on_turn: A function that is called after each turn.
        lost: The batches of earlier processes whose owners may still write outcomes.
    """

    def __init__(
        self,
        journal: Journal | ClaimedRows,
        limiter: Limiter,
        candidates: Candidates,
        options: BulkOptions,
        *,
        on_turn: Callable[[Scheduler], object] | None = None,
        lost: Iterable[OpenBatch] = (),
    ) -> None:
        self._journal, self._limiter, self._options = journal, limiter, options
        self._on_turn = on_turn
        self.candidates: Candidates = candidates
        self._lost = [*lost]  # and those of this process
        self._lost_before = {row for batch in self._lost for row, _ in batch.rows}
        # In doubt, and not sent again; they end last, as their batches say, or so.
        self._lost_rows: list[tuple[Sending, End]] = []
        self._again: deque[Sending] = deque()  # at the head of the queue
        self._order = _ResourceOrder()
        self._turn = Turn()
        self._outcomes: list[BulkOutcome] = []
        self._failed = 0  # rows that ended with an error: the first ones, or the last ones if they ended alike
        self._failed_alike: tuple[str, int | None] | None = None
        self._succeeded = False
        self.error: BaseException | None = None  # raised when the rows in flight have ended
        self.in_flight: int = 0
        self.counts: Counter[Applied] = Counter()  # of this run
        self.sent: int = 0
        self.refused: int = 0
        self.trouble: str | None = None  # the last error of a service that does not respond

    @property
    def finished(self) -> bool:
        """Whether nothing is in flight, and nothing is left to send."""
        if self.in_flight:
            return False
        return self.error is not None or (self._drained and not self._lost)

    @property
    def _drained(self) -> bool:
        """Whether all rows of the input have ended, except those of lost batches and those that wait for them."""
        return self.candidates.finished and not (self.in_flight or self._again)

    def stop(self, error: BaseException) -> None:
        """Send nothing more; the run ends with this error, unless it already ends with one."""
        if self.error is None:
            self.error = error

    def grant(self, now: float) -> tuple[list[Sending], float]:
        """Return the rows to send now, and the seconds until there may be more: infinite if an attempt has to end before."""
        granted: list[Sending] = []
        try:
            while self.error is None:
                if self._lost and self._drained:
                    self._end_lost()
                if wait := self._limiter.start(now):
                    return granted, wait
                sending, more = None, False
                try:
                    sending, more = self._next()
                finally:
                    if sending is None:
                        self._limiter.cancel()
                if sending is None:
                    return granted, 0.0 if more or self._drained else inf
                sending.started, sending.level = now, self._limiter.in_flight
                self.in_flight += 1
                self._turn.intents.append(sending)
                granted.append(sending)
        except BaseException as error:  # noqa: BLE001  # of the input, or Ctrl+C in it: the rows before it are not its fault
            self.stop(error)
        return granted, inf

    def _next(self) -> tuple[Sending | None, bool]:
        """Return the next row to send; or None, and whether there is more to read at once."""
        if self._again:
            return self._again.popleft(), True
        for _ in range(_ROWS_PER_TURN):
            if self._order.waiting >= _MAX_WAITING:
                return None, False
            try:
                row = self.candidates.next()
            except (StopIteration, InputNotReadyError):
                return None, False
            if isinstance(row, Unsent):
                self._end_unsent(row)
            elif row is not None and not self._order.waits(row):
                return row, True
        return None, True

    def _end_unsent(self, row: Unsent) -> None:
        """End a row that is not sent. One that a lost worker may have sent ends last."""
        if row.in_doubt is not None and row.row in self._lost_before:
            self._lost_rows.append((row.in_doubt, row.end))
            return
        if row.end.error is not None and self._options.stop_on_invalid:
            raise row.end.error
        self._turn.unsent.append(row)
        self._end_row(row, row.end)
        if row.end.error is not None:
            self._count_failures(row.end)

    def end_batch(self, batch: OpenBatch, lost: Iterable[Sending]) -> None:
        """Take the end of a batch, and its rows whose worker was lost: they are sent again, or end last.

        The limiter no longer counts them as requests in flight, and learns nothing about the service.
        """
        if not batch.rows:
            self._turn.ended.append(batch.name)
            return
        note = f"the worker of batch {batch.name} was lost"
        for sending in lost:
            self._limiter.cancel()
            self.in_flight -= 1
            if repeatable(sending, self._options):
                self._take_end(sending, End("lost", note=note))
            else:
                self._lost_rows.append((sending, End("unknown", note=note)))
        self._lost.append(batch)

    def _end_lost(self) -> None:
        """End the rows of lost batches, by what the owners of these have written meanwhile."""
        lost_power = isinstance(self._journal, Journal) and self._journal.lost_power
        ends = ends_of(self._lost, lost_power=lost_power)
        for sending, otherwise in self._lost_rows:
            end = ends.get(sending.row, otherwise)
            if end.kind == "waiting":
                self._turn.ends.append((sending.row, end))
                sending.doubt = False
                if not self._order.waits(sending):
                    self._again.append(sending)
            else:
                self._end_row(sending, end)
        self._lost_rows.clear()
        self._turn.ended += [batch.name for batch in self._lost]
        self._lost.clear()

    def ended(self, sending: Sending, end: End, now: float) -> None:
        """Take the end of an attempt."""
        self.in_flight -= 1
        self.sent += end.kind != "unsent"
        self.refused += end.kind == "refused"
        self._teach_limiter(sending, end, now)
        self._take_end(sending, end)

    def _take_end(self, sending: Sending, end: End) -> None:
        kind = "stop" if end.kind == "forbidden" and not self._succeeded else end.kind
        if kind == "stop":
            assert end.error is not None
            self.stop(end.error)
        if isinstance(end.error, StalePreconditionError) and not sending.doubt and self._is_shared(sending):
            sending.doubt, kind = True, "lost"
        if kind in UNSENT:
            if not sending.doubt:  # it was surely not applied, so a crash from here on leaves no doubt
                self._turn.ends.append((sending.row, End("waiting", note=end.note)))
            self._again.append(sending)
            return
        if kind == "lost":
            sending.doubt, sending.lost = sending.call.operation.effect != "read", sending.lost + 1
            if sending.lost < MAX_LOST and repeatable(sending, self._options):
                self._again.append(sending)
                return
        end = replace(end, kind=applied_of(sending, kind, self._options))
        self._end_row(sending, end)
        self._count_failures(end)

    def _is_shared(self, sending: Sending) -> bool:
        return isinstance(self._journal, ClaimedRows) and self._journal.is_shared(sending.row)

    def _teach_limiter(self, sending: Sending, end: End, now: float) -> None:
        limiter, kind = self._limiter, end.kind
        if kind == "refused":
            limiter.refused(now, sending.started, end.retry_after, sending.level)
        elif kind in {"stop", "unsent"} or (end.error is not None and not isinstance(end.error, Exception)):
            limiter.cancel()  # a cancellation, too, says nothing about the service
            return
        elif kind in {"lost", "not sent"}:
            limiter.failed(now, sending.started, end.retry_after)
        else:
            limiter.answered(now)
        self.trouble = end.note if limiter.waits_for_answers else None

    def _end_row(self, row: Intent, end: End) -> None:
        applied = cast("Applied", end.kind)
        self._turn.ends.append((row.row, end))
        self._outcomes.append(BulkOutcome(row.row, row.key, applied, end.value, end.note, end.error))
        self.counts[applied] += 1
        if isinstance(row, Sending) and (following := self._order.ended(row)) is not None:
            self._again.append(following)

    def _count_failures(self, end: End) -> None:
        """Stop the run if the first rows all failed, or the last ones were all refused in the same way."""
        # A response of 2xx that cannot be read may be that of another server, such as a page to log in.
        if end.kind == "in effect" or (end.kind == "yes" and end.note is None):
            self._succeeded, self._failed = True, 0
            return
        if self._succeeded:
            alike = None if end.kind != "no" else (type(end.error).__name__, getattr(end.error, "status", None))
            self._failed = (
                self._failed + 1 if alike is not None and alike == self._failed_alike else int(alike is not None)
            )
            self._failed_alike = alike
        else:
            self._failed += 1
        if self._failed == self._options.max_failures:
            which = "the last" if self._succeeded else "the first"
            way_out = ""
            if end.kind == "no":
                way_out = " and send them again with retry_failed=True or --retry-failed"
            elif end.kind != "yes":
                way_out = "; report.unknown() and `bulk unknown` list what to do about each of them"
            stopped = BulkStoppedError(
                f"{which} {self._failed} rows all ended with an error, the last one with: {end.note}; mend its cause{way_out}, or "
                "give a larger max_failures",
                failed=self._failed,
            )
            stopped.__cause__ = end.error
            self.stop(stopped)

    def unsent(self, granted: list[Sending]) -> None:
        """Take back rows that were granted and surely not sent."""
        while granted:
            self.ended(granted.pop(), End("unsent"), 0.0)

    def commit(self, begun: Iterable[OpenBatch] = ()) -> list[BulkOutcome]:
        """Write the turn to the journal, and return its outcomes. Only then may the rows be sent that were granted."""
        turn, self._turn = self._turn, Turn()
        turn.begun.extend(begun)
        try:
            self._journal.commit(turn)
        except BaseException:
            self._turn = Turn(ends=turn.ends, unsent=turn.unsent)  # facts, which a later commit may still write
            raise
        self.candidates.names.clear()
        outcomes, self._outcomes = self._outcomes, []
        if self._on_turn is not None:
            self._on_turn(self)
        return outcomes


class _ResourceOrder:
    """Holds the updates of a resource back while one of them is in flight: the last one counts, and changes would refuse each other."""

    def __init__(self) -> None:
        self._busy: dict[str, deque[Sending]] = {}  # by resource: the row in flight, and those that wait for it
        self.waiting: int = 0

    def waits(self, sending: Sending) -> bool:
        """Return whether a row has to wait; if not, it counts as in flight."""
        if (resource := _resource_of(sending)) is None:
            return False
        rows = self._busy.setdefault(resource, deque())
        if not rows or rows[0] is not sending:
            rows.append(sending)
        if rows[0] is sending:
            return False
        self.waiting += 1
        return True

    def ended(self, sending: Sending) -> Sending | None:
        """Return the row that may be sent now that the one in flight has ended, if there is one."""
        resource = _resource_of(sending)
        rows = None if resource is None else self._busy.get(resource)
        if resource is None or rows is None or rows[0] is not sending:
            return None
        rows.popleft()
        if rows:
            self.waiting -= 1
            return rows[0]
        del self._busy[resource]
        return None


def _resource_of(sending: Sending) -> str | None:
    """Return the path of the resource that a row updates; None if it is no update."""
    return sending.call.path if sending.call.operation.method in {"PATCH", "PUT"} else None
