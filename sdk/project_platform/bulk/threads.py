"""`Bulk`: threads send the rows; the thread of the caller reads the input, keeps the journal and gets the outcomes."""

from __future__ import annotations

import contextlib
import functools
import queue
import signal
import threading
import time
import weakref
from collections.abc import Generator, Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any, Final, Self, TypeAlias

from ..calls.operation import Call
from ..records.change import Change
from .attempt import AttemptEnd, Sending
from .report import BulkOutcome, BulkReport
from .run import BulkRun, turn_wait
from .scheduler import Scheduler

BulkItem: TypeAlias = Call[Any] | Change | tuple[str, Call[Any] | Change]
"""A row of the input: a call or a change, or a pair of a key of yours and either."""

_Ends: TypeAlias = "queue.SimpleQueue[tuple[Sending, AttemptEnd] | None]"

_MIN_WAIT: Final = 0.0005  # seconds: a shorter wait than a system's timer would be none
_MAX_WAIT: Final = 60.0


class Bulk(BulkRun):
    """Calls in any number, at the pace that the service bears. `project.bulk` returns it; use it in a `with` statement.

    If the statement ends in an exception, or a loop over `stream` with `break`, nothing more is sent, and the rows in
    flight end before the statement does. With Ctrl+C too; a second Ctrl+C leaves them in doubt.
    """

    _active: weakref.ref[Generator[BulkOutcome]] | None = None

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            active = self._active() if self._active is not None else None
            if active is not None and not self._unread:
                active.close()
        finally:
            if error is not None:
                self._unread = False  # the exception is the reason
            self._close()

    def run(self, items: Iterable[BulkItem]) -> BulkReport:
        """Send all rows, and return a report. A line on standard error shows the progress.

        Args:
            items: The rows. They are read in this thread, and only as fast as they are sent.

        Raises:
            InputChangedError: The input is not the one of the journal; nothing was sent.
            BulkStoppedError: The first rows all failed.
            AuthenticationError: The service refuses the token. The rows that remain are waiting.
            PermissionDeniedError: The service refuses the first rows.
            JournalError: The journal cannot be written.
            Exception: An exception of the input, after the rows before it ended.
        """
        progress = self._progress()
        outcomes = self._outcomes(items)
        try:
            for _ in outcomes:
                progress.update(self._running())
        finally:
            outcomes.close()
            if self._scheduler is not None:
                progress.update(self._scheduler, ended=True)
        return self.report()

    def stream(self, items: Iterable[BulkItem]) -> Iterator[BulkOutcome]:
        """Send all rows, and yield each outcome when it is in the journal, in the order in which rows end.

        Rows that ended in an earlier run are not yielded. The arguments and errors are those of `run`.
        """
        self._open_journal()
        self._unread = True
        outcomes = self._outcomes(items)
        self._active = weakref.ref(outcomes)
        return outcomes

    def _outcomes(self, items: Iterable[BulkItem]) -> Generator[BulkOutcome]:
        scheduler = self._begin(iter(items).__next__)
        todo: queue.SimpleQueue[Sending | None] = queue.SimpleQueue()
        ends: _Ends = queue.SimpleQueue()
        threads: list[threading.Thread] = []
        granted: list[Sending] = []
        interrupts = _Interrupts(scheduler, ends)
        wait = 0.0
        try:
            while True:
                with interrupts.held():
                    if scheduler.in_flight or wait:
                        _take(scheduler, ends, turn_wait(scheduler, wait))
                    granted, wait = scheduler.grant(time.monotonic())
                    outcomes = scheduler.commit()
                    while len(threads) < scheduler.in_flight:
                        threads.append(threading.Thread(target=self._work, args=(todo, ends), daemon=True))
                        threads[-1].start()
                    while granted:
                        todo.put(granted.pop(0))
                yield from outcomes
                if scheduler.finished:
                    break
            if scheduler.error is not None:
                raise scheduler.error
        finally:
            try:
                with interrupts.held():
                    scheduler.unsent(granted)
                    while scheduler.in_flight:
                        _take(scheduler, ends, _MAX_WAIT)
                    scheduler.commit()
            finally:
                self._end()
                for _ in threads:
                    todo.put(None)

    def _work(self, todo: queue.SimpleQueue[Sending | None], ends: _Ends) -> None:
        while (sending := todo.get()) is not None:
            try:
                end = self._send(sending)
            except BaseException as error:  # noqa: BLE001  # nothing may be lost, whatever a defect raises
                end = AttemptEnd("lost" if sending.sent else "stop", error=error)
            ends.put((sending, end))

    def _send(self, sending: Sending) -> AttemptEnd:
        end: AttemptEnd = self._caller._run(functools.partial(self._attempt, sending), None)
        return end


class _Interrupts:
    """Holds Ctrl+C back during a turn, so that no end of an attempt is taken and not recorded; a second one is not held back.

    Only the main thread receives it.
    """

    def __init__(self, scheduler: Scheduler, ends: _Ends) -> None:
        self._scheduler, self._ends = scheduler, ends
        self._is_main = threading.current_thread() is threading.main_thread()
        self._received = False

    @contextlib.contextmanager
    def held(self) -> Generator[None]:
        """Raise KeyboardInterrupt at the end of the `with` statement, if it was received meanwhile."""
        before = signal.getsignal(signal.SIGINT) if self._is_main else None
        if not callable(before):  # ignored, or not set by Python
            yield
            return
        pending: list[FrameType | None] = []

        def receive(number: int, frame: FrameType | None) -> None:
            if self._received or self._scheduler.reading:
                raise KeyboardInterrupt
            self._received = True
            pending.append(frame)
            self._ends.put(None)  # ends the wait

        signal.signal(signal.SIGINT, receive)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
        if pending:
            before(signal.SIGINT, pending[0])


def _take(scheduler: Scheduler, ends: _Ends, wait: float) -> None:
    """Wait for the end of an attempt, and record all that are there."""
    with contextlib.suppress(queue.Empty):
        ended = ends.get(timeout=max(_MIN_WAIT, min(wait, _MAX_WAIT)))
        while ended is not None:
            scheduler.ended(*ended, time.monotonic())
            ended = ends.get_nowait()
