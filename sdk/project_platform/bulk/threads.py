"""`Bulk`: threads send the rows; the thread of the caller reads the input and gets the outcomes."""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from ..calls.operation import Call
from ..records.change import Change
from .attempt import Sending
from .candidates import reader_of
from .engine import Carrier
from .journal import End
from .report import BulkOutcome, BulkReport
from .run import BulkRun

BulkItem: TypeAlias = Call[Any] | Change | tuple[str, Call[Any] | Change]
"""A row of the input: a call or a change, or a pair of a key of yours and either."""

_LONGEST_WAIT: Final = 1.0  # seconds: Windows does not interrupt a wait for Ctrl+C


class Bulk(BulkRun):
    """Calls in any number, at the rate that the service admits. `project.bulk` returns it; use it in a `with` statement.

    If the statement ends in an exception, or a loop over `stream` with `break`, nothing more is sent, and the rows in
    flight end before the statement does. With Ctrl+C and SIGTERM too; a second one leaves them in doubt.
    """

    _active: weakref.ref[Generator[BulkOutcome]] | None = None

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            active = self._active() if self._active is not None else None
            if active is not None:
                active.close()
        finally:
            self._close()

    def run(
        self,
        items: Iterable[BulkItem],
        *,
        executor: Executor | None = None,
        claims: str | os.PathLike[str] | None = None,
        client: Callable[[], Any] | None = None,
    ) -> BulkReport:
        """Send all rows, and return a report. A line on standard error shows the progress.

        Args:
            items: The rows. They are read in this thread, and only as fast as they are sent.
            executor: Sends the rows from other processes or machines: any `concurrent.futures.Executor`, such as a
                `ProcessPoolExecutor`, or `get_executor(pure=False)` of a client of Dask. It needs the extra `dask`.
            claims: Where workers claim batches, in a place that all of them see: a folder, or a URL such as
                `s3://bucket/deals` whose credentials are those of the environment. The default is a folder beside the
                journal, for workers on this machine.
            client: A function that returns the client of a worker. It is pickled, so it must be importable on the workers and
                have no token in it. The default is a client that is configured by the environment of the worker.

        Raises:
            InputChangedError: The input is not the one of the journal; nothing was sent.
            BulkStoppedError: The first rows all failed, or the last ones were all refused in the same way.
            AuthenticationError: The service refuses the token. The rows that remain are waiting.
            PermissionDeniedError: The service refuses the first rows.
            JournalError: The journal or the claims cannot be written.
            BulkWorkerError: A worker cannot send, or the executor fails.
            Exception: An exception of the input, after the rows before it ended.
        """
        outcomes = self._outcomes(items, self._carrier(executor, claims, client))
        with self._progress(items), contextlib.closing(outcomes):
            for _ in outcomes:
                pass
        return self.report()

    def stream(
        self,
        items: Iterable[BulkItem],
        *,
        executor: Executor | None = None,
        claims: str | os.PathLike[str] | None = None,
        client: Callable[[], Any] | None = None,
    ) -> Iterator[BulkOutcome]:
        """Send all rows, and yield each outcome when it is in the journal, in the order in which rows end.

        An outcome that is there is yielded before the next row is read. Rows that ended in an earlier run are not yielded. The
        arguments and errors are those of `run`.
        """
        self._open_journal()
        outcomes = self._outcomes(items, self._carrier(executor, claims, client))
        self._active = weakref.ref(outcomes)
        return outcomes

    def _outcomes(self, items: Iterable[BulkItem], carrier: Carrier) -> Generator[BulkOutcome]:
        read = reader_of(items)
        wakes: queue.SimpleQueue[None] = queue.SimpleQueue()
        engine = self._begin(carrier, lambda: wakes.put(None))
        feed = engine.feed
        try:
            while not engine.ended or engine.outcomes:
                if engine.outcomes:
                    yield engine.take()
                elif feed.wants:
                    feed.read(read)
                else:
                    with contextlib.suppress(queue.Empty):
                        wakes.get(timeout=_LONGEST_WAIT)
                        while True:
                            wakes.get_nowait()
            if engine.error is not None:
                raise engine.error
        finally:
            engine.close()

    def _own_carrier(self) -> Threads:
        return Threads(self._send)

    def _send(self, sending: Sending) -> End:
        end: End = self._caller._run(functools.partial(self._attempt, sending), None)
        return end


class Threads(Carrier):
    """The carrier of a run in one process: a thread for each row in flight."""

    def __init__(self, send: Callable[[Sending], End]) -> None:
        self._send = send
        self._todo: queue.SimpleQueue[Sending | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def send(self, granted: list[Sending], in_flight: int) -> None:
        """Hand rows to the threads, and start those that are missing."""
        while len(self._threads) < in_flight:
            self._threads.append(threading.Thread(target=self._work, daemon=True))
            self._threads[-1].start()
        for sending in granted:
            self._todo.put(sending)
        granted.clear()

    def close(self) -> None:
        """End the threads."""
        for _ in self._threads:
            self._todo.put(None)

    def _work(self) -> None:
        while (sending := self._todo.get()) is not None:
            try:
                self._ended(sending, self._send(sending))
            except BaseException as error:  # noqa: BLE001
                self._failed(sending, error)
