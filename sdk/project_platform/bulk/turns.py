"""The turns of a synchronous run: take ends, grant rows, write the journal, hand the rows over, yield the outcomes.

What sends the rows is a `Carrier`: threads of this process (`threads.py`), or an executor (`executors.py`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from types import FrameType
from typing import Protocol

from .attempt import Sending
from .limiter import Window
from .report import BulkOutcome
from .run import MAX_WAIT, turn_wait
from .scheduler import Scheduler


class Carrier(Protocol):
    """Sends rows, and returns how their attempts ended."""

    @property
    def window(self) -> Window | None:
        """The window of the limiter; None for that of the run."""
        ...

    def commit(self, scheduler: Scheduler, granted: list[Sending]) -> list[BulkOutcome]:
        """Write the turn to the journal, and return its outcomes."""
        ...

    def send(self, granted: list[Sending]) -> None:
        """Send rows, and remove each from the list when that has begun."""
        ...

    def take(self, scheduler: Scheduler, wait: float) -> None:
        """Wait for the end of an attempt, and record all that are there."""
        ...

    def wake(self) -> None:
        """End a wait in `take`. A handler of a signal calls it."""
        ...

    def close(self) -> None:
        """Release what sends the rows. None is in flight."""
        ...


def turns(scheduler: Scheduler, carrier: Carrier) -> Generator[BulkOutcome]:
    """Send all rows, and yield each outcome when it is in the journal."""
    granted: list[Sending] = []
    interrupts = Interrupts(scheduler, carrier.wake)
    wait, process = 0.0, os.getpid()
    try:
        while True:
            with interrupts.held():
                if scheduler.in_flight or wait:
                    carrier.take(scheduler, turn_wait(scheduler, wait))
                granted, wait = scheduler.grant(time.monotonic())
                outcomes = carrier.commit(scheduler, granted)
                carrier.send(granted)
            yield from outcomes
            if scheduler.finished:
                break
        if scheduler.error is not None:
            raise scheduler.error
    finally:
        if os.getpid() == process:  # the threads are not in a forked child, and the journal is its parent's
            try:
                with interrupts.held():
                    scheduler.unsent(granted)
                    while scheduler.in_flight:
                        carrier.take(scheduler, MAX_WAIT)
                    carrier.commit(scheduler, [])
            finally:
                carrier.close()


class Interrupts:
    """Holds Ctrl+C back during a turn, so that no end of an attempt is taken and not recorded; a second one is not held back.

    Only the main thread receives it.
    """

    def __init__(self, scheduler: Scheduler, wake: Callable[[], None]) -> None:
        self._scheduler, self._wake = scheduler, wake
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
            self._wake()

        signal.signal(signal.SIGINT, receive)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
        if pending:
            before(signal.SIGINT, pending[0])
