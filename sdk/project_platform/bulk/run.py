"""The part of a run that `Bulk` and `AsyncBulk` share: its options, its journal, and what is known of it at any time."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Protocol

from ..calls.capabilities import Capabilities
from ..calls.commands import Flow
from ..calls.events import EventListener, RowEnded
from ..calls.flow import Settings
from ..calls.log import warn_of_row
from ..errors import UsageError
from ..records.options import check_flag
from .attempt import ONE_ATTEMPT, AttemptEnd, Sending, attempt
from .engine import Carrier, Engine, Feed, Inbox
from .journal import ClosedJournal, Journal, RunJournal, State
from .limiter import Limiter, Window
from .progress import Progress
from .report import BulkOutcome, BulkReport
from .scheduler import Scheduler
from .shared_pace import SharedPace, pace_of
from .verdicts import Rules

_MAX_CONNECTIONS: Final = 100  # of a transport that does not say: that of httpx
_SIGTERM_STATUS: Final = 143  # 128 and the number of SIGTERM, as shells have it


class BulkCaller(Protocol):
    """What a run needs of a client."""

    @property
    def base_url(self) -> str:
        """URL of the service."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """The facts known about the deployment."""
        ...

    @property
    def max_connections(self) -> int | None:
        """Maximum number of connections in use at the same time."""
        ...


@dataclass(frozen=True, slots=True)
class BulkOptions:
    """The options of a run, as `project.bulk` documents them."""

    settle: bool = False
    retry_failed: bool = False
    allow_duplicates: bool = False
    max_failures: int | None = 100
    most: int | None = None
    progress: bool | None = None
    stop_on_invalid: bool = False

    def __post_init__(self) -> None:
        check_flag("settle", self.settle)
        check_flag("retry_failed", self.retry_failed)
        check_flag("allow_duplicates", self.allow_duplicates)
        check_flag("stop_on_invalid", self.stop_on_invalid)
        if self.progress is not None:
            check_flag("progress", self.progress)
        for name, what in (("max_failures", "for no limit"), ("most", "for as many as the transport has connections")):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise UsageError(f"{name} is {value!r}; give 1 or more, or None {what}")


class BulkRun:
    """Base class of `Bulk` and `AsyncBulk`."""

    def __init__(self, caller: BulkCaller, project_id: str, path: str | os.PathLike[str], options: BulkOptions) -> None:
        self._caller: Any = caller
        self._project_id = project_id
        self._path = os.fspath(path)
        self._options = options
        self._journal: RunJournal | None = None
        self._scheduler: Scheduler | None = None
        self._limiter: Limiter | None = None
        self._on_turn: Callable[[Scheduler], object] | None = None  # shows the progress
        self._began = self._ended = 0.0
        self._unread = False  # whether a stream was made and not begun
        self._settings: tuple[Settings, Settings] | None = None
        self._engine: Engine | None = None
        self._sigterm: Any = None  # the handler of the program, while that of the run is set

    def settle(self, row: int, applied: Literal["yes", "no"], *, record_id: str | None = None) -> None:
        """Write down what became of a row that is unknown, after you looked.

        Args:
            row: Position of the row in the input, from 0.
            applied: "yes" if it was applied; "no" if it was not, and the next run is to send it.
            record_id: Identifier of the record that it created.

        Raises:
            UsageError: The row is not unknown.
            JournalError: The journal cannot be written.
        """
        journal = self._open_journal()
        assert isinstance(journal, Journal)
        settle(journal, row, applied, record_id)

    def report(self) -> BulkReport:
        """Return a report of all rows that the journal has now."""
        self._open_journal()
        scheduler = self._scheduler
        if scheduler is None:
            return BulkReport(self._path)
        seconds = (self._ended or time.monotonic()) - self._began
        return BulkReport(self._path, seconds=seconds, sent=scheduler.sent, refused=scheduler.refused)

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
        raise SystemExit(_SIGTERM_STATUS)

    def _new_journal(self) -> RunJournal:
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
        if self._unread:
            warnings.warn(
                "the stream of a bulk run was not read, so nothing was sent; iterate over it, or use run", stacklevel=3
            )

    def _open_journal(self) -> RunJournal:
        if self._journal is None:
            raise UsageError("the run is not open; use it in a statement such as `with project.bulk(path) as job:`")
        return self._journal

    def _begin(self, carrier: Carrier, notify: Callable[[], None]) -> Engine:
        """Start the engine, which calls `notify` when there is something for the caller to do."""
        journal = self._open_journal()
        if self._scheduler is not None and not self._ended:
            raise UsageError("the run already has a stream; read it to its end, or close it")
        owned = None
        if isinstance(journal, Journal) and (batches := journal.open_batches()):
            from .recovery import recover  # most runs have no executor

            owned = recover(journal, batches)
        assert self._limiter is not None
        if carrier.window is not None:
            self._limiter.window = carrier.window
        self._unread = False
        inbox = Inbox()
        feed = Feed(inbox.put)
        self._scheduler = Scheduler(
            journal, self._limiter, feed, self._project_id, self._rules(), on_turn=self._on_turn, owned=owned
        )
        self._began, self._ended = time.monotonic(), 0.0
        self._engine = Engine(self._scheduler, feed, carrier, inbox, notify)
        return self._engine

    def _rules(self) -> Rules:
        options = self._options
        return Rules(
            external_id=self._caller.capabilities.external_id,
            settle=options.settle,
            retry_failed=options.retry_failed,
            allow_duplicates=options.allow_duplicates,
            max_failures=options.max_failures,
            stop_on_invalid=options.stop_on_invalid,
        )

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

    def _end(self) -> None:
        self._ended = time.monotonic()

    @contextlib.contextmanager
    def _progress(self, items: object) -> Generator[None]:
        """Show the progress of the run that begins in the `with` statement."""
        progress = Progress(self._options.progress, items)
        self._on_turn = progress.update
        try:
            yield
        finally:
            self._on_turn = None
            if self._scheduler is not None:
                progress.update(self._scheduler, ended=True)

    def _attempt(self, sending: Sending, settings: Settings) -> Flow[AttemptEnd]:
        if self._settings is None or self._settings[0] is not settings:
            self._settings = settings, replace(settings, retry=ONE_ATTEMPT)
        return attempt(sending, self._project_id, self._settings[1], settle=self._options.settle)


def check_workers(claims: object, client: object) -> None:
    """Check the arguments of a run without an executor.

    Raises:
        UsageError: One of them is for the workers of an executor.
    """
    if claims is not None or client is not None:
        raise UsageError("claims and client are for workers; give executor as well, or leave them out")


def settle(journal: Journal | ClosedJournal, row: int, applied: str, record_id: str | None) -> None:
    """Settle a row in a `Journal` or a `ClosedJournal`.

    Raises:
        UsageError: The row is not unknown, or `applied` is neither "yes" nor "no".
    """
    states: dict[str, State] = {"yes": "yes", "no": "waiting"}
    if applied not in states:
        raise UsageError(f'applied is {applied!r}; give "yes", or "no" if the row was not applied and is to be sent')
    if not journal.settle(row, states[applied], record_id):
        raise UsageError(
            f"row {row} is not unknown in {journal.path}; only a row of which nothing is known can be settled"
        )
