"""The engine of a run, in a thread of its own: it takes the ends of attempts, grants rows, writes the journal and hands rows over.

The input is read where the run was called (`Feed`), because a cursor of a database belongs to its thread. So the engine never
waits for the input, and neither an end nor a row that was read waits for the row after it. A `Carrier` sends the rows:
threads (`run.py`), tasks of an event loop (`tasks.py`) or an executor (`executors.py`).
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from math import inf
from typing import Any, Final, TypeAlias

from .attempt import Sending
from .candidates import InputNotReadyError
from .journal import End, OpenBatch
from .limiter import Window
from .report import BulkOutcome
from .scheduler import Scheduler

MAX_WAIT: Final = 60.0  # seconds to wait for the end of an attempt at a time
_MIN_WAIT: Final = 0.0005  # seconds: a shorter wait than a system's timer would be none
_HEARTBEAT: Final = 1.0  # seconds after which a turn begins at the latest while nothing is in flight
READ_AHEAD: Final = 16  # rows that are read before they are wanted, so that threads do not change places for each
_COMPARED_AHEAD: Final = 1024  # the same, while most rows are skipped

Event: TypeAlias = Callable[[Scheduler], object]
"""Something that happened, as a call of the scheduler."""


class StoppedError(Exception):
    """The run ends because its caller does not want the rest."""


class Carrier:
    """Sends rows, and puts the ends of attempts into the inbox of the engine."""

    window: Window | None = None  # of the limiter; None for that of the run
    ahead: int = READ_AHEAD  # rows that are read before they are wanted
    pause: float = 0.0  # seconds in which rows that arrive, or that a rate grants, are collected
    _inbox: queue.SimpleQueue[Event]

    def begin(self, inbox: queue.SimpleQueue[Event]) -> None:
        """Take the inbox of the engine."""
        self._inbox = inbox

    def batches(self, granted: list[Sending]) -> list[OpenBatch]:
        """Return the batches in which an executor gets the rows."""
        return []

    def send(self, granted: list[Sending], in_flight: int) -> None:
        """Send rows, and remove each from the list when that has begun. `in_flight` is the number of rows in flight, with these."""
        raise NotImplementedError

    def close(self) -> None:
        """Release the resources of the carrier. No row is in flight."""

    def _ended(self, sending: Sending, end: End) -> None:
        """Put the end of an attempt into the inbox."""
        self._inbox.put(lambda scheduler: scheduler.ended(sending, end, time.monotonic()))

    def _failed(self, sending: Sending, error: BaseException) -> None:
        """Put the end of an attempt into the inbox that raised what no attempt should raise: nothing may be lost."""
        self._ended(sending, End("lost" if sending.sent else "stop", error=error))


class Feed:
    """The rows that were read and not yet taken by the engine; another thread fills it."""

    def __init__(self) -> None:
        self._rows: deque[Any] = deque()
        self.inbox: queue.SimpleQueue[Event] = queue.SimpleQueue()  # of the engine
        self._end: BaseException | None = None  # StopIteration, or the exception of the input
        self._hungry = False
        self.most: int = READ_AHEAD

    @property
    def wants(self) -> bool:
        """Whether another row is to be read."""
        return self._end is None and len(self._rows) < self.most

    def read(self, read: Callable[[], Any]) -> None:
        """Read a row, or the end of the input."""
        try:
            self.add(read())
        except Exception as error:  # noqa: BLE001  # of the input, raised after the rows before it
            self.end(error)

    def add(self, row: Any) -> None:
        """Add a row that was read."""
        self._rows.append(row)
        self._wake_if_hungry()

    def end(self, error: BaseException) -> None:
        """End the input, with an exception or with StopIteration."""
        self._end = error
        self._wake_if_hungry()

    def _wake_if_hungry(self) -> None:
        if self._hungry:
            self._hungry = False
            self.inbox.put(_arrived)

    def next(self) -> Any:
        """Return the next row.

        Raises:
            StopIteration: There are no more.
            InputNotReadyError: It is still read.
        """
        if not self._rows and self._end is None:
            self._hungry = True  # before it looks again, so that a row that is added now wakes the engine
            if not self._rows and self._end is None:
                raise InputNotReadyError
        if self._rows:
            return self._rows.popleft()
        assert self._end is not None
        raise self._end


def _arrived(scheduler: Scheduler) -> None:
    """The event of a row that arrived."""


class Engine:
    """A run in a thread.

    Args:
        notify: Called at any time: there are outcomes, more rows are wanted, or the run has ended.
        report: Called with each outcome that is taken.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        feed: Feed,
        carrier: Carrier,
        notify: Callable[[], None],
        report: Callable[[BulkOutcome], None],
    ) -> None:
        self.scheduler: Scheduler = scheduler
        self.feed: Feed = feed
        self._inbox, self._process = feed.inbox, os.getpid()
        self._carrier, self._notify, self._report = carrier, notify, report
        self.outcomes: deque[BulkOutcome] = deque()
        self.ended: bool = False  # nothing more happens
        self.began_at: float = time.monotonic()
        self.closed_at: float = 0.0  # time when its outcomes were no longer wanted; 0 before
        self._turn = threading.Lock()  # held while the journal is used
        self._abandoned = False
        feed.most = carrier.ahead
        carrier.begin(feed.inbox)
        self._thread = threading.Thread(target=self._run, name="project-platform-bulk", daemon=True)
        self._thread.start()

    @property
    def error(self) -> BaseException | None:
        """The error that the run ended with."""
        error = self.scheduler.error
        return None if isinstance(error, StoppedError) else error

    def stop(self, error: BaseException | None = None) -> None:
        """Send nothing more. Rows in flight end; also in a handler of a signal."""
        self._inbox.put(lambda scheduler: scheduler.stop(error or StoppedError()))

    def take(self) -> BulkOutcome:
        """Return the next outcome, and report it."""
        outcome = self.outcomes.popleft()
        self._report(outcome)
        return outcome

    def close(self) -> None:
        """Send nothing more, wait for the rows in flight, and report their outcomes."""
        try:
            if os.getpid() == self._process:  # the threads are not in a forked child, and the journal is its parent's
                self.stop()
                self.join()
                while self.outcomes:
                    self.take()
        finally:
            self.closed_at = time.monotonic()

    def abandon(self) -> None:
        """Use the journal no more, when the present turn has ended. Rows in flight remain in doubt."""
        self._abandoned = True
        if self._thread.is_alive():  # in a forked child it is not, and its turn would never end
            with self._turn:
                pass

    def join(self) -> None:
        """Wait for the end."""
        while self._thread.is_alive():
            self._thread.join(_HEARTBEAT)  # Windows interrupts no longer wait

    def _run(self) -> None:
        scheduler, carrier = self.scheduler, self._carrier
        granted: list[Sending] = []
        try:
            wait = 0.0
            while not scheduler.finished:
                if scheduler.in_flight or wait:
                    self._take(min(wait, inf if scheduler.in_flight else _HEARTBEAT))
                with self._turn:
                    self._check_abandoned()
                    granted, wait = scheduler.grant(time.monotonic())
                    outcomes = scheduler.commit(carrier.batches(granted))
                carrier.send(granted, scheduler.in_flight)
                self._publish(outcomes)
        except BaseException as error:  # noqa: BLE001  # it is raised where the outcomes are read
            scheduler.stop(error)
        try:
            scheduler.unsent(granted)
            while scheduler.in_flight:
                self._take(MAX_WAIT)
            with self._turn:
                self._check_abandoned()
                self._publish(scheduler.commit())
        except BaseException as error:  # noqa: BLE001
            scheduler.stop(error)
        finally:
            carrier.close()
            self.ended = True
            self._notify()

    def _take(self, wait: float) -> None:
        """Wait until something happens, and apply it to the scheduler."""
        happened, pause = self._happened(wait), self._carrier.pause
        if pause and (_arrived in happened or wait < MAX_WAIT):
            time.sleep(pause)
            happened += self._happened(0)
        for event in happened:
            event(self.scheduler)

    def _happened(self, wait: float) -> list[Event]:
        found: list[Event] = []
        try:
            found.append(self._inbox.get(timeout=max(_MIN_WAIT, min(wait, MAX_WAIT))))
            while True:
                found.append(self._inbox.get_nowait())
        except queue.Empty:
            return found

    def _check_abandoned(self) -> None:
        if self._abandoned:
            raise StoppedError

    def _publish(self, outcomes: list[BulkOutcome]) -> None:
        self.outcomes.extend(outcomes)
        self.feed.most = _COMPARED_AHEAD if self.scheduler.candidates.comparing else self._carrier.ahead
        if outcomes or self.feed.wants:
            self._notify()
