"""The engine of a run, in a thread of its own: it takes the ends of attempts, grants rows, writes the journal and hands rows over.

The input is read where the run was called (`Feed`), because a cursor of a database belongs to its thread. So the engine never
waits for the input, and neither an end nor a row that was read waits for the row after it. What sends the rows is a `Carrier`:
threads (`threads.py`), tasks of an event loop (`tasks.py`) or an executor (`executors.py`).
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from math import inf
from typing import Any, Final, Protocol, cast

from .attempt import AttemptEnd, Sending
from .candidates import InputNotReadyError
from .limiter import Window
from .report import BulkOutcome
from .scheduler import Scheduler

MAX_WAIT: Final = 60.0  # seconds to wait for the end of an attempt at a time
_MIN_WAIT: Final = 0.0005  # seconds: a shorter wait than a system's timer would be none
_HEARTBEAT: Final = 1.0  # seconds after which a turn begins at the latest while nothing is in flight
READ_AHEAD: Final = 16  # rows that are read before they are wanted, so that threads do not change places for each
_COMPARED_AHEAD: Final = 1024  # the same, while most rows are skipped


class StoppedError(Exception):
    """The run ends because its caller does not want the rest."""


class Carrier(Protocol):
    """Sends rows, and puts the ends of attempts into the inbox of the engine."""

    @property
    def window(self) -> Window | None:
        """The window of the limiter; None for that of the run."""
        ...

    @property
    def ahead(self) -> int:
        """Number of rows that are read before they are wanted."""
        ...

    def begin(self, inbox: Inbox) -> None:
        """Take the inbox of the engine."""
        ...

    def commit(self, scheduler: Scheduler, granted: list[Sending]) -> list[BulkOutcome]:
        """Write the turn to the journal, and return its outcomes."""
        ...

    def send(self, granted: list[Sending]) -> None:
        """Send rows, and remove each from the list when that has begun."""
        ...

    def take(self, scheduler: Scheduler, wait: float) -> None:
        """Wait for something in the inbox, and record all ends of attempts that are there."""
        ...

    def close(self) -> None:
        """Release what sends the rows. None is in flight."""
        ...


class Inbox:
    """What happens to an engine: attempts end, rows arrive, and a caller stops it."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.put: Callable[[Any], None] = self._queue.put  # also in a handler of a signal

    def wait(self, seconds: float) -> list[Any]:
        """Return all that happened, and wait for the first for some seconds."""
        found: list[Any] = []
        try:
            found.append(self._queue.get(timeout=max(_MIN_WAIT, min(seconds, MAX_WAIT))))
            while True:
                found.append(self._queue.get_nowait())
        except queue.Empty:
            return found


class Feed:
    """The rows that were read and not yet taken by the engine: a `Source` that another thread fills."""

    def __init__(self, wake: Callable[[None], None]) -> None:
        self._rows: deque[Any] = deque()
        self._wake = wake
        self._end: BaseException | None = None  # StopIteration, or the exception of the input
        self._hungry = False
        self.most: int = READ_AHEAD

    @property
    def wants(self) -> bool:
        """Whether another row is to be read."""
        return self._end is None and len(self._rows) < self.most

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
            self._wake(None)

    def next(self) -> Any:
        """Return the next row; see `Source`."""
        if not self._rows and self._end is None:
            self._hungry = True  # before it looks again, so that a row that is added now wakes the engine
            if not self._rows and self._end is None:
                raise InputNotReadyError
        if self._rows:
            return self._rows.popleft()
        assert self._end is not None
        raise self._end


class Engine:
    """A run in a thread.

    Args:
        scheduler: Decides.
        feed: The rows that were read.
        carrier: Sends the rows.
        inbox: What happens to the engine.
        notify: Wakes the caller: there are outcomes, more rows are wanted, or the run has ended. It may be called at any time.
    """

    def __init__(
        self, scheduler: Scheduler, feed: Feed, carrier: Carrier, inbox: Inbox, notify: Callable[[], None]
    ) -> None:
        self.scheduler: Scheduler = scheduler
        self.feed: Feed = feed
        self.inbox: Inbox = inbox
        self._carrier, self._notify = carrier, notify
        self.outcomes: deque[BulkOutcome] = deque()
        self.ended: bool = False
        self._turn = threading.Lock()  # held while the journal is used
        self._abandoned = False
        feed.most = carrier.ahead
        carrier.begin(inbox)
        self._thread = threading.Thread(target=self._run, name="project-platform-bulk", daemon=True)
        self._thread.start()

    @property
    def error(self) -> BaseException | None:
        """The error that the run ended with."""
        error = self.scheduler.error
        return None if isinstance(error, StoppedError) else error

    def stop(self, error: BaseException | None = None) -> None:
        """Send nothing more. Rows in flight end; also in a handler of a signal."""
        self.inbox.put(error or StoppedError())

    def abandon(self) -> None:
        """Use the journal no more, when the present turn has ended. Rows in flight remain in doubt."""
        self._abandoned = True
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
                    carrier.take(scheduler, min(wait, inf if scheduler.in_flight else _HEARTBEAT))
                with self._turn:
                    self._check_abandoned()
                    granted, wait = scheduler.grant(time.monotonic())
                    outcomes = carrier.commit(scheduler, granted)
                carrier.send(granted)
                self._publish(outcomes)
        except BaseException as error:  # noqa: BLE001  # it is raised where the outcomes are read
            scheduler.stop(error)
        try:
            scheduler.unsent(granted)
            while scheduler.in_flight:
                carrier.take(scheduler, MAX_WAIT)
            with self._turn:
                self._check_abandoned()
                self._publish(carrier.commit(scheduler, []))
        except BaseException as error:  # noqa: BLE001
            scheduler.stop(error)
        finally:
            carrier.close()
            self.ended = True
            self._notify()

    def _check_abandoned(self) -> None:
        if self._abandoned:
            raise StoppedError

    def _publish(self, outcomes: list[BulkOutcome]) -> None:
        self.outcomes.extend(outcomes)
        self.feed.most = _COMPARED_AHEAD if self.scheduler.comparing else self._carrier.ahead
        if outcomes or self.feed.wants:
            self._notify()


def record(scheduler: Scheduler, happened: list[Any]) -> None:
    """Record what happened to an engine whose carrier sends single rows."""
    now = time.monotonic()
    for event in happened:
        if isinstance(event, tuple):
            sending, end = cast("tuple[Sending, AttemptEnd]", event)
            scheduler.ended(sending, end, now)
        elif event is not None:
            scheduler.stop(event)


def failed_attempt(sending: Sending, error: BaseException) -> AttemptEnd:
    """Return the end of an attempt that raised an error that no attempt should raise: nothing may be lost."""
    return AttemptEnd("lost" if sending.sent else "stop", error=error)
