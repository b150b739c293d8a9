"""The part of a run that `Bulk` and `AsyncBulk` share: its options, its journal, and its state at any time."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, Literal

from ..calls.commands import Flow
from ..calls.events import EventListener, RowEnded
from ..calls.flow import Settings
from ..calls.log import warn_of_row
from ..errors import UsageError
from .attempt import ONE_ATTEMPT, BulkOptions, Sending, attempt
from .claims import recover
from .engine import Carrier, Engine, Feed
from .journal import ClosedJournal, End, Entries, Journal, State
from .limiter import Limiter, Window
from .progress import Progress
from .report import BulkOutcome, BulkReport
from .scheduler import Scheduler
from .shared_pace import SharedPace, pace_of
from .storage import place_of

if TYPE_CHECKING:
    from ..client import AsyncClient, Client

_MAX_CONNECTIONS: Final = 100  # of a transport that does not say: that of httpx
SIGTERM_STATUS: Final = 143  # 128 and the number of SIGTERM, as shells have it


class BulkRun:
    """Base class of `Bulk` and `AsyncBulk`."""

    def __init__(
        self, caller: Client | AsyncClient, project_id: str, path: str | os.PathLike[str], options: BulkOptions
    ) -> None:
        self._caller: Any = caller
        self._project_id = project_id
        self._path = os.fspath(path)
        self._options = replace(options, external_id=caller.capabilities.external_id)
        self._journal: Entries | None = None
        self._limiter: Limiter | None = None
        self._on_turn: Callable[[Scheduler], object] | None = None  # shows the progress
        self._settings: tuple[Settings, Settings] | None = None
        self._engine: Engine | None = None
        self._sigterm: Any = None  # the handler of the program, while that of the run is set

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
        settle(self._path, row, applied, record_id)

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
        self._journal = self._new_journal()
        most = self._options.most or self._caller.max_connections or _MAX_CONNECTIONS
        pace = pace_of(self._caller.base_url, time.monotonic())
        self._limiter = Limiter(Window(most=float(most)), pace)
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            self._sigterm = signal.signal(signal.SIGTERM, self._terminate)

    def _terminate(self, number: int, frame: object) -> None:
        """End the run, and then the program, when SIGTERM is received."""
        raise SystemExit(SIGTERM_STATUS)

    def _new_journal(self) -> Entries:
        return Journal(self._path, f"{self._caller.base_url} {self._project_id}")

    def _close(self) -> None:
        if self._sigterm is not None:
            signal.signal(signal.SIGTERM, self._sigterm)
            self._sigterm = None
        journal, self._journal = self._journal, None
        assert journal is not None
        assert self._limiter is not None
        try:
            if self._engine is not None:
                self._engine.abandon()  # after a second Ctrl+C it is still active
            journal.close()
        finally:
            if isinstance(self._limiter.pace, SharedPace):
                self._limiter.pace.close()

    def _open_journal(self) -> Entries:
        if self._journal is None:
            raise UsageError("the run is not open; use it in a statement such as `with project.bulk(path) as job:`")
        return self._journal

    def _begin(self, carrier: Carrier, notify: Callable[[], None]) -> Engine:
        """Start the engine, which calls `notify` when there is something for the caller to do."""
        journal = self._open_journal()
        if self._engine is not None and not self._engine.closed_at:
            raise UsageError("the run already has a stream; read it to its end, or close it")
        lost = recover(journal) if isinstance(journal, Journal) else None
        assert self._limiter is not None
        if carrier.window is not None:
            self._limiter.window = carrier.window
        feed = Feed()
        scheduler = Scheduler(
            journal, self._limiter, feed.next, self._project_id, self._options, on_turn=self._on_turn, lost=lost
        )
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


def settle(path: str | os.PathLike[str], row: int, applied: str, record_id: str | None) -> None:
    """Settle a row in a journal; see `BulkRun.settle`."""
    states: dict[str, State] = {"yes": "yes", "no": "waiting"}
    if applied not in states:
        raise UsageError(f'applied is {applied!r}; give "yes", or "no" if the row was not applied and is to be sent')
    if not ClosedJournal(path).settle(row, states[applied], record_id):
        raise UsageError(
            f"row {row} is not unknown in {os.fspath(path)}; only a row of which nothing is known can be settled"
        )
