"""`Bulk`: threads send the rows; the thread of the caller reads the input and gets the outcomes. `tasks.py` has `AsyncBulk`."""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import signal
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from secrets import token_hex
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from ..calls.commands import Flow
from ..calls.events import EventListener, RowEnded
from ..calls.flow import Settings
from ..calls.log import warn_of_row
from ..calls.operation import Call
from ..errors import UsageError
from ..records.change import Change
from .attempt import ONE_ATTEMPT, BulkOptions, Sending, attempt
from .candidates import Candidates, reader_of
from .claims import ClaimedRows, place_of, recover
from .engine import Carrier, Engine, Feed
from .journal import ClosedJournal, End, Journal
from .limiter import Limiter, Window
from .pace import pace_of
from .progress import Progress
from .report import BulkOutcome, BulkReport
from .scheduler import Scheduler

if TYPE_CHECKING:
    from ..client import AsyncClient, Client

BulkItem: TypeAlias = Call[Any] | Change | tuple[str, Call[Any] | Change]
"""A row of the input: a call or a change, or a pair of a key of yours and either."""

_MAX_CONNECTIONS: Final = 100  # of a transport that does not say: that of httpx
_LONGEST_WAIT: Final = 1.0  # seconds: Windows does not interrupt a wait for Ctrl+C
# The requests to end; the second one is that of a terminal that is closed. Windows has no such signals.
_ENDS: Final = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_STATUS: Final = 128  # and the number of the signal, as shells have it


def end_of(number: int) -> SystemExit:
    """Return the end of the program that a signal asks for."""
    return SystemExit(_STATUS + number)


class BulkRun:
    """The part of a run that `Bulk` and `AsyncBulk` share: its options, its journal, and its state at any time."""

    _limiter: Limiter  # set by `_open`, as the next one
    _close: Callable[[], object]

    def __init__(
        self, caller: Client | AsyncClient, project_id: str, path: str | os.PathLike[str], options: BulkOptions
    ) -> None:
        self._caller: Any = caller
        self._project_id = project_id
        try:
            self._path = os.fspath(path)
        except TypeError:
            raise UsageError(
                f"path is of type {type(path).__name__}; give the path of the journal, and the rows to `run` or `stream`"
            ) from None
        self._options = replace(options, external_id=caller.capabilities.external_id)
        self._journal: Journal | ClaimedRows | None = None
        self._on_turn: Callable[[Scheduler], object] | None = None  # shows the progress
        self._settings: tuple[Settings, Settings] | None = None
        self._engine: Engine | None = None

    def settle(self, row: int, applied: Literal["yes", "no"], *, record_id: str | None = None) -> None:
        """Write down the outcome of a row that is unknown, after you looked.

        Args:
            row: Position of the row in the input, from 0.
            applied: "yes" if it was applied; "no" if it was not, and the next run is to send it.
            record_id: Identifier of the record that it created.

        Raises:
            UsageError: The row is not unknown.
            JournalError: The journal cannot be written.
        """
        self._open_journal()
        ClosedJournal(self._path).settle(row, applied, record_id)

    def report(self) -> BulkReport:
        """Return a report of all rows that the journal has now."""
        self._open_journal()
        if (engine := self._engine) is None:
            return BulkReport(self._path)
        seconds = (engine.closed_at or time.monotonic()) - engine.began_at
        return BulkReport(self._path, seconds=seconds, sent=engine.scheduler.sent, refused=engine.scheduler.refused)

    def _open(self) -> None:
        if self._journal is not None:
            raise UsageError("the run is already open; use it in one `with` statement")
        with contextlib.ExitStack() as opened:
            pace = pace_of(self._caller.base_url, time.monotonic())
            opened.callback(pace.close)
            most = self._options.most or self._caller.max_connections or _MAX_CONNECTIONS
            self._limiter = Limiter(Window(most=float(most)), pace)
            self._journal = self._new_journal()
            opened.callback(self._close_journal)
            if threading.current_thread() is threading.main_thread():
                for number in _ENDS:
                    # One that the program handles, or ignores as under nohup, stays as it is.
                    if signal.getsignal(number) is signal.SIG_DFL:
                        opened.callback(signal.signal, number, signal.SIG_DFL)
                        signal.signal(number, self._terminate)
            self._close = opened.pop_all().close

    def _terminate(self, number: int, frame: object) -> None:
        """End the run, and then the program, when SIGTERM or SIGHUP is received."""
        raise end_of(number)

    def _new_journal(self) -> Journal | ClaimedRows:
        return Journal(self._path, f"{self._caller.base_url} {self._project_id}")

    def _close_journal(self) -> None:
        journal, self._journal = self._open_journal(), None
        complete = None
        if self._engine is not None:
            self._engine.abandon()  # after a second Ctrl+C it is still active
            complete = self._engine.scheduler.candidates.complete
        journal.close(complete=complete)

    def _open_journal(self) -> Journal | ClaimedRows:
        if self._journal is None:
            raise UsageError("the run is not open; use it in a statement such as `with project.bulk(path) as job:`")
        return self._journal

    def _begin(self, carrier: Carrier, notify: Callable[[], None]) -> Engine:
        """Start the engine, which calls `notify` when there is something for the caller to do."""
        journal = self._open_journal()
        if self._engine is not None and not self._engine.closed_at:
            raise UsageError("the run already has a stream; read it to its end, or close it")
        known = journal if isinstance(journal, Journal) else None
        lost = () if known is None else recover(known)
        if carrier.window is not None:
            self._limiter.window = carrier.window
        feed = Feed()
        candidates = Candidates(known, journal.row_with, feed.next, self._project_id, self._options)
        scheduler = Scheduler(journal, self._limiter, candidates, self._options, on_turn=self._on_turn, lost=lost)
        self._engine = Engine(scheduler, feed, carrier, notify, self._row_reporter())
        return self._engine

    def _own_carrier(self) -> Carrier:
        """Return the carrier of a run without an executor."""
        raise NotImplementedError

    def _carrier(
        self, executor: Executor | None, claims: str | os.PathLike[str] | None, client: Callable[[], Any] | None
    ) -> Carrier:
        if executor is None:
            if claims is not None or client is not None:
                raise UsageError("claims and client are for workers; give executor as well, or leave them out")
            return self._own_carrier()
        from .executors import Batch, Batches, new_client  # most runs have none

        caller = self._caller
        template = Batch(
            run=token_hex(8),
            base_url=caller.base_url,
            project_id=self._project_id,
            capabilities=caller.capabilities,
            settle=self._options.settle,
            client=client or functools.partial(new_client, caller.base_url),
            claims=place_of(claims or f"{self._path}.claims"),
        )
        return Batches(executor, template, self._options.most)

    def _row_reporter(self) -> Callable[[BulkOutcome], None]:
        """Return a function that reports the end of a row to the listeners of the client, and warns if it is unknown."""
        listeners: tuple[EventListener, ...] = self._caller._settings_for(None).listeners

        def report(outcome: BulkOutcome) -> None:
            cause = type(outcome.cause).__name__ if outcome.cause is not None else None
            for listener in listeners:
                listener(RowEnded(outcome.row, outcome.applied, cause))
            if outcome.applied == "unknown":
                warn_of_row(outcome.row, cause)

        return report

    @contextlib.contextmanager
    def _progress(self, items: object) -> Generator[None]:
        """Show the progress of the run that begins in the `with` statement."""
        progress = Progress(self._options.progress, items)
        self._on_turn = progress.update
        try:
            yield
        finally:
            self._on_turn = None
            if self._engine is not None:
                progress.update(self._engine.scheduler, ended=True)

    def _attempt(self, sending: Sending, settings: Settings) -> Flow[End]:
        if self._settings is None or self._settings[0] is not settings:
            self._settings = settings, replace(settings, retry=ONE_ATTEMPT)
        return attempt(sending, self._project_id, self._settings[1], settle=self._options.settle)


class Bulk(BulkRun):
    """Calls in any number, at the rate that the service admits. `project.bulk` returns it; use it in a `with` statement.

    If the statement ends in an exception, or a loop over `stream` with `break`, nothing more is sent, and the rows in
    flight end before the statement does. With Ctrl+C, SIGTERM and SIGHUP too; a second one leaves them in doubt.
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
