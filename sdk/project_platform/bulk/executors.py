"""The `Carrier` of a run over many processes or machines: any `concurrent.futures.Executor`.

This process is the coordinator: it reads the input, has the only journal and the only limiter, and hands out batches. What an
engine does to a task (run it twice, at once or one after the other) does not matter: see `claims.py`. The batches are in the
journal before they are handed out, so that the next process can find out what became of them (`lost_batches.py`).
"""

from __future__ import annotations

import functools
import time
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from ..errors import BulkWorkerError, JournalError, UsageError
from .attempt import AttemptEnd, Sending
from .batch import Batch, send_batch
from .claims import Claims
from .engine import Carrier
from .journal import OpenBatch
from .limiter import Window

if TYPE_CHECKING:
    from .scheduler import Scheduler

_BATCH_ROWS: Final = 64  # the death of a worker leaves at most so many rows in doubt
_MAX_BATCHES: Final = 64
_MAX_GIVEN_UP: Final = 8  # batches in a row that the engine gave up

Ends: TypeAlias = dict[int, AttemptEnd]
"""The ends of rows, by their positions."""


class Batches(Carrier):
    """The carrier of a run with an executor.

    Args:
        executor: The executor.
        template: A batch without a name and without rows.
        most: Maximum number of requests in flight; None for as many as bring more responses.
    """

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
            future: Future[Ends]
            try:
                future = self._executor.submit(send_batch, batch)
            except Exception as error:  # noqa: BLE001  # such as that of a pool whose process was killed
                future = Future()
                future.set_exception(error)
            del granted[: len(batch.rows)]
            future.add_done_callback(functools.partial(self._done, batch))

    def _done(self, batch: Batch, future: Future[Ends]) -> None:
        self._inbox.put(functools.partial(self._take, batch, future))

    def _take(self, batch: Batch, future: Future[Ends], scheduler: Scheduler) -> None:
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
        if rows:
            scheduler.lose(batch.open(rows.values()), rows.values())
        else:
            scheduler.end_batch(batch.name)

    def _given_up_ends(self, scheduler: Scheduler, batch: Batch, error: BaseException) -> Ends:
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
            if self._claims.claim(batch.name) is not None:
                return {sending.row: AttemptEnd("unsent") for sending in batch.rows}
            return self._claims.ends(batch.name)
        except JournalError as unreadable:
            scheduler.stop(unreadable)
            return {}
