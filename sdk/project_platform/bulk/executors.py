"""The rows of a run that are sent by other processes or machines, through any `concurrent.futures.Executor`.

This process is the coordinator (`Batches`): it has the only journal and the only limiter, and hands out batches, which are in the
journal before. A worker (`send_batch`) claims its batch. No token travels to it, since a scheduler keeps and logs its tasks.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final

from ..calls.capabilities import Capabilities
from ..calls.flow import Settings
from ..errors import BulkWorkerError, JournalError, PlatformError, UsageError
from .attempt import ONE_ATTEMPT, Sending, attempt
from .claims import Claim, Claims
from .engine import Carrier
from .journal import End, OpenBatch
from .limiter import Window
from .scheduler import Scheduler

_BATCH_ROWS: Final = 64  # the death of a worker leaves at most so many rows in doubt
_MAX_BATCHES: Final = 64
_MAX_GIVEN_UP: Final = 8  # batches in a row that the engine gave up
_LANES: Final = 16  # requests that a batch has in flight
_STOPPING: Final = frozenset({"refused", "not sent", "stop"})  # the rest of the batch would end the same way


class Batches(Carrier):
    """The carrier of a run with an executor. Its batches are copies of `template`, with a name and rows."""

    ahead: int = 2 * _MAX_BATCHES * _BATCH_ROWS
    pause: float = 0.05  # otherwise each row that a rate grants would be a batch

    def __init__(self, executor: Executor, template: Batch, most: int | None) -> None:
        self._executor, self._template = executor, template
        self._claims = Claims(template.claims, create=True)
        self._claims.open_run(template.run)
        self._batch_rows = min(_BATCH_ROWS, most or _BATCH_ROWS)
        self.window: Window | None = Window(size=2 * _BATCH_ROWS, most=float(most or _MAX_BATCHES * _BATCH_ROWS))
        self._number = 0
        self._begun: list[Batch] = []  # in the journal, and not sent
        self._given_up = 0

    def batches(self, granted: list[Sending]) -> list[OpenBatch]:
        """Return the batches in which the executor gets the rows."""
        self._begun.clear()
        for first in range(0, len(granted), self._batch_rows):
            self._number += 1
            rows = tuple(granted[first : first + self._batch_rows])
            self._begun.append(replace(self._template, name=f"{self._template.run}/{self._number:07}", rows=rows))
        return [batch.open(batch.rows) for batch in self._begun]

    def send(self, granted: list[Sending], in_flight: int) -> None:
        """Submit the batches of the turn."""
        for batch in self._begun:
            future: Future[dict[int, End]]
            try:
                future = self._executor.submit(send_batch, batch)
            except Exception as error:  # noqa: BLE001  # such as that of a pool whose process was killed
                future = Future()
                future.set_exception(error)
            del granted[: len(batch.rows)]
            future.add_done_callback(functools.partial(self._done, batch))

    def _done(self, batch: Batch, future: Future[dict[int, End]]) -> None:
        self._inbox.put(functools.partial(self._take, batch, future))

    def _take(self, batch: Batch, future: Future[dict[int, End]], scheduler: Scheduler) -> None:
        """Take the end of a task."""
        try:
            ends = future.result()
            self._given_up = 0
        except BaseException as error:  # noqa: BLE001  # the engine gave the task up: another run of it may be active
            ends = self._given_up_ends(scheduler, batch, error)
        now, rows = time.monotonic(), {sending.row: sending for sending in batch.rows}
        # Refusals last: the limiter derives the rate from what was granted before them.
        for row, end in sorted(ends.items(), key=lambda item: item[1].kind == "refused"):
            scheduler.ended(rows.pop(row), end, now)
        scheduler.end_batch(batch.open(rows.values()), rows.values())

    def _given_up_ends(self, scheduler: Scheduler, batch: Batch, error: BaseException) -> dict[int, End]:
        """Return the ends of the rows of a task that ended with an error. If its batch has no owner, no row of it is ever sent."""
        self._given_up += 1
        if isinstance(error, BulkWorkerError | UsageError | JournalError):
            scheduler.stop(error)
        elif self._given_up >= _MAX_GIVEN_UP:
            stopped = BulkWorkerError(
                f"the executor gave up {self._given_up} tasks, the last one with: {type(error).__name__}: {error}"
            )
            stopped.__cause__ = error
            scheduler.stop(stopped)
        try:
            return self._claims.take_over(batch.name, [sending.row for sending in batch.rows])
        except JournalError as unreadable:
            scheduler.stop(unreadable)
            return {}


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to send, with the name of the batch among the claims, which begins with that of the run; and how to send them."""

    run: str
    base_url: str
    project_id: str
    capabilities: Capabilities
    settle: bool
    client: Callable[[], Any]
    claims: str
    name: str = ""
    rows: tuple[Sending, ...] = ()

    def open(self, rows: Iterable[Sending]) -> OpenBatch:
        """Return the entries of the journal for some of the rows."""
        return OpenBatch(self.name, self.claims, tuple((sending.row, sending.doubt) for sending in rows))


def new_client(base_url: str) -> Any:
    """Return a client that is configured by the environment of a worker."""
    return import_module("project_platform").Client(base_url)  # by its name, because clients import this package


def send_batch(batch: Batch) -> dict[int, End]:
    """Claim a batch, send its rows and return how they ended; or what its owner has written. It runs on a worker.

    After a `BulkWorkerError` or a `JournalError`, nothing was sent.
    """
    # Before the claim, since it takes long: a worker that is killed meanwhile leaves the batch free.
    with _CLIENTS.of(batch) as client:
        claims = Claims(batch.claims)
        if not claims.sees(batch.run):
            raise BulkWorkerError(
                f"a worker does not see the claims in {batch.claims}; give a folder or an object store that all workers share"
            )
        claim = claims.claim(batch.name)
        if claim is None:
            return claims.ends(batch.name)
        return _Sender(batch, client, claim, claims.interval).send()


class _Sender:
    """Sends the rows of a batch in threads, and writes their outcomes from time to time."""

    def __init__(self, batch: Batch, client: Any, claim: Claim, interval: float) -> None:
        self._batch, self._client, self._claim, self._interval = batch, client, claim, interval
        self._ends: list[tuple[int, End]] = []
        self._written = 0
        self._stopped = False

    def send(self) -> dict[int, End]:
        """Send the rows, and return how they ended."""
        with ThreadPoolExecutor(_LANES) as lanes:
            sent = [lanes.submit(self._send, sending) for sending in self._batch.rows]
            while wait(sent, self._interval).not_done:
                self._write()
        self._write()
        return dict(self._ends)

    def _send(self, sending: Sending) -> None:
        """Send a row, unless another one ended so that the rest of the batch would end the same way."""
        end = End("unsent")
        if not self._stopped:
            try:
                end = self._client._run(functools.partial(self._attempt, sending), None)
            except BaseException as error:  # noqa: BLE001  # nothing may be lost, whatever a defect raises
                end = End("lost" if sending.sent else "stop", error=error)
            end = _portable(end)
            if end.kind in _STOPPING:  # assigned only, since other threads may assign it at the same time
                self._stopped = True
        self._ends.append((sending.row, end))

    def _attempt(self, sending: Sending, settings: Settings) -> Any:
        batch = self._batch
        settings = replace(settings, retry=ONE_ATTEMPT, capabilities=batch.capabilities)
        return attempt(sending, batch.project_id, settings, settle=batch.settle)

    def _write(self) -> None:
        """Write the outcomes that are not written yet. If that fails, they are in the result of the task."""
        if ends := self._ends[self._written :]:
            with contextlib.suppress(JournalError):
                self._claim.write(ends)
                self._written += len(ends)


def _portable(end: End) -> End:
    """Return an end whose error every process can read: an exception of the user may not be picklable, and may have a secret."""
    if end.error is None or isinstance(end.error, PlatformError):
        return end
    return replace(
        end, error=BulkWorkerError(f"{type(end.error).__name__} on a worker, before or while a row was sent")
    )


class _Clients:
    """The clients of this process, one for each run. A run's client is closed when another run begins and none uses it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the clients, as in a forked child."""
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self._users: Counter[str] = Counter()  # batches that use the client of a run

    @contextlib.contextmanager
    def of(self, batch: Batch) -> Generator[Any]:
        """Use the client for a batch."""
        with self._lock:
            if batch.run not in self._clients:
                for run in [run for run in self._clients if not self._users[run]]:
                    self._clients.pop(run).close()
                self._clients[batch.run] = _client_for(batch)
            self._users[batch.run] += 1
        try:
            yield self._clients[batch.run]
        finally:
            with self._lock:
                self._users[batch.run] -= 1


def _client_for(batch: Batch) -> Any:
    """Return a new client of the service of a batch."""
    try:
        client = batch.client()
    except Exception as error:  # noqa: BLE001  # of the user's function
        reason = str(error) if isinstance(error, PlatformError) else type(error).__name__
        raise BulkWorkerError(
            f"a worker has no client: {reason}; set its environment, or give client=, a function that returns one"
        ) from None
    if (found := getattr(client, "base_url", None)) != batch.base_url:
        raise BulkWorkerError(
            f"the client of a worker is of {found or type(client).__name__}, and the run is on {batch.base_url}"
        )
    return client


_CLIENTS: Final = _Clients()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_CLIENTS.reset)
