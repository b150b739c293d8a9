"""The `Carrier` of a run over many processes or machines: any `concurrent.futures.Executor`.

This process is the coordinator: it reads the input, has the only journal and the only limiter, and hands out batches. What an
engine does to a task (run it twice, at once or one after the other) does not matter: see `claims.py`. The batches are in the
journal before they are handed out, so that the next process can find out what became of them (`recovery.py`).
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, replace
from importlib import import_module
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, cast

from ..errors import BulkWorkerError, JournalError, UsageError
from .attempt import AttemptEnd, Sending
from .batch import Batch, BatchResult, send_batch
from .claims import Claims
from .engine import MAX_WAIT, Inbox
from .journal import OpenBatch
from .limiter import Window
from .run import BulkCaller, BulkOptions
from .storage import place_of

if TYPE_CHECKING:
    from .report import BulkOutcome
    from .scheduler import Scheduler

_BATCH_ROWS: Final = 64  # the death of a worker leaves at most so many rows in doubt
_MAX_BATCHES: Final = 64
_TURN: Final = 0.05  # seconds of a turn of a run with a rate
_MAX_GIVEN_UP: Final = 8  # batches in a row that the engine gave up


@dataclass(frozen=True, slots=True)
class Workers:
    """The executor of a run, with the arguments for its workers as `Bulk.run` documents them."""

    executor: Executor
    claims: str | os.PathLike[str] | None
    client: Callable[[], Any] | None

    def batches(
        self,
        caller: BulkCaller,
        project_id: str,
        options: BulkOptions,
        path: str,
        *,
        client_type: Callable[[str], Any] | None = None,
    ) -> Batches:
        """Return what sends the rows of a run with a journal at `path`."""
        template = Batch(
            run=token_hex(8),
            base_url=caller.base_url,
            project_id=project_id,
            capabilities=caller.capabilities,
            settle=options.settle,
            client=self.client or functools.partial(client_type or _new_client, caller.base_url),
            claims=place_of(self.claims or f"{path}.claims"),
        )
        return Batches(self.executor, template, options.most)


def _new_client(base_url: str) -> Any:
    return import_module("project_platform").Client(base_url)  # by its name, because clients import this package


@dataclass(slots=True)
class _Task:
    """A batch that an executor has, with the rows that have no end yet."""

    name: str
    rows: dict[int, Sending]


class Batches:
    """The `Carrier` of a run with an executor.

    Args:
        executor: The executor.
        template: A batch without a name and without rows.
        most: Maximum number of requests in flight; None for as many as bring more answers.
    """

    ahead: int = 2 * _MAX_BATCHES * _BATCH_ROWS

    def __init__(self, executor: Executor, template: Batch, most: int | None) -> None:
        self._executor, self._template = executor, template
        self._claims = Claims(template.claims, create=True)
        self._claims.open_run(template.run)
        self._batch_rows = min(_BATCH_ROWS, most or _BATCH_ROWS)
        self.window: Window = Window(size=2 * _BATCH_ROWS, most=float(most or _MAX_BATCHES * _BATCH_ROWS))
        self._number = 0
        self._names: list[tuple[str, int]] = []  # of the batches that are committed and not sent, with their sizes
        self._tasks: dict[Future[BatchResult], _Task] = {}
        self._lost: list[_Task] = []  # whose owner may still write outcomes
        self._finished: list[str] = []
        self._given_up = 0
        self._inbox: Inbox = Inbox()

    def begin(self, inbox: Inbox) -> None:
        """Take the inbox of the engine."""
        self._inbox = inbox

    def commit(self, scheduler: Scheduler, granted: list[Sending]) -> list[BulkOutcome]:
        """Write the turn and its batches to the journal, and return its outcomes."""
        self._names.clear()
        begun: list[OpenBatch] = []
        for first in range(0, len(granted), self._batch_rows):
            rows = granted[first : first + self._batch_rows]
            self._number += 1
            name = f"{self._template.run}/{self._number:07}"
            begun.append(OpenBatch(name, self._claims.place, tuple((s.row, s.doubt) for s in rows)))
            self._names.append((name, len(rows)))
        outcomes = scheduler.commit(begun, self._finished)
        self._finished.clear()
        return outcomes

    def send(self, granted: list[Sending]) -> None:
        """Submit the batches of the turn."""
        for name, size in self._names:
            rows = granted[:size]
            batch = replace(self._template, name=name, rows=tuple(rows))
            task = _Task(name, {sending.row: sending for sending in rows})
            future: Future[BatchResult]
            try:
                future = self._executor.submit(send_batch, batch)
            except Exception as error:  # noqa: BLE001  # such as that of a pool whose process was killed
                future = Future()
                future.set_exception(error)
            self._tasks[future] = task
            del granted[:size]
            future.add_done_callback(self._inbox.put)

    def take(self, scheduler: Scheduler, wait: float) -> None:
        """Wait for the end of a task, and record all that are there."""
        if not self._tasks and self._lost and wait >= MAX_WAIT:  # nothing else can end
            self._look_up_lost(scheduler)
            return
        happened = self._inbox.wait(wait)
        if None in happened or (self._tasks and wait < MAX_WAIT):
            # Rows that arrive, and those that a rate grants, are sent together: otherwise each would be a batch.
            time.sleep(_TURN)
            happened += self._inbox.wait(0)
        for event in happened:
            if isinstance(event, Future):
                self._take(scheduler, cast("Future[BatchResult]", event))
            elif event is not None:
                scheduler.stop(event)

    def close(self) -> None:
        """Do nothing: the executor is the user's."""

    def _take(self, scheduler: Scheduler, future: Future[BatchResult]) -> None:
        task = self._tasks.pop(future)
        try:
            result = future.result()
        except BaseException as error:  # noqa: BLE001  # the engine gave the task up: another run of it may be active
            result = self._given_up_result(scheduler, task, error)
        else:
            self._given_up = 0
        now = time.monotonic()
        # Refusals last: the limiter derives the rate from what was granted before them.
        for row, end in sorted(result.ends.items(), key=lambda item: item[1].kind == "refused"):
            scheduler.ended(task.rows.pop(row), end, now)
        if result.owned or not task.rows:
            self._finished.append(task.name)
            return
        for sending in list(task.rows.values()):
            if not scheduler.abandoned(sending, _lost(task.name)):
                del task.rows[sending.row]
        self._lost.append(task)

    def _given_up_result(self, scheduler: Scheduler, task: _Task, error: BaseException) -> BatchResult:
        """Return what is known of a task that ended with an error. If its batch has no owner, no row of it is ever sent."""
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
            if self._claims.claim(task.name) is not None:
                return BatchResult(owned=True, ends={row: AttemptEnd("unsent") for row in task.rows})
            return BatchResult(owned=False, ends=self._claims.ends(task.name))
        except JournalError as unreadable:
            scheduler.stop(unreadable)
            return BatchResult(owned=False, ends={})

    def _look_up_lost(self, scheduler: Scheduler) -> None:
        """Read once more what became of batches whose workers were lost: an owner may have been alive."""
        for task in self._lost:
            try:
                ends = self._claims.ends(task.name)
            except JournalError as error:
                scheduler.stop(error)
                ends = {}
            for row, sending in task.rows.items():
                scheduler.ended(sending, ends.get(row) or _lost(task.name), time.monotonic())
            self._finished.append(task.name)
        self._lost.clear()


def _lost(name: str) -> AttemptEnd:
    return AttemptEnd("lost", note=f"the worker of batch {name} was lost")
