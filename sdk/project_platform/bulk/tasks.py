"""`AsyncBulk`: same as `Bulk`, but tasks of asyncio or trio send the rows."""

from __future__ import annotations

import functools
import os
import time
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import Executor
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from ..errors import UsageError
from .async_input import InputReader
from .attempt import AttemptEnd, Sending
from .limiter import Window
from .report import BulkOutcome, BulkReport
from .run import MAX_WAIT, BulkRun, check_workers, turn_wait
from .scheduler import Scheduler
from .threads import BulkItem

if TYPE_CHECKING:
    from .executors import Batches

_MAX_THREAD_WAIT: Final = 0.5  # seconds after which a cancellation is noticed while an executor has rows

AsyncBulkItems: TypeAlias = Iterable[BulkItem] | AsyncIterable[BulkItem]
"""The rows of the input, as an iterable or an asynchronous iterable."""


class AsyncBulk(BulkRun):
    """Same as `Bulk`, but under asyncio or trio; use it in an `async with` statement.

    If the statement ends in an exception, also by cancellation, or a loop over `stream` with `break`, nothing more is sent,
    and the rows in flight end before the statement does.
    """

    _stream: AsyncBulkStream | None = None
    _group: TaskGroup

    async def __aenter__(self) -> Self:
        self._open()
        try:
            self._group = await anyio.create_task_group().__aenter__()
        except BaseException:
            self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            if self._stream is not None and not self._unread:
                await self._stream.aclose()
        finally:
            if error is not None:
                self._unread = False  # the exception is the reason
            try:
                self._group.cancel_scope.cancel()  # the reader of the input
                await self._group.__aexit__(None, None, None)
            finally:
                self._close()

    async def run(
        self,
        items: AsyncBulkItems,
        *,
        executor: Executor | None = None,
        claims: str | os.PathLike[str] | None = None,
        client: Callable[[], Any] | None = None,
    ) -> BulkReport:
        """Same as `Bulk.run`; the input may be an asynchronous iterable.

        With an executor, a thread waits for its tasks, and the default client of a worker is a `Client`.
        """
        stream = self._new_stream(items, executor, claims, client)
        with self._progress():
            try:
                async for _ in stream:
                    pass
            finally:
                await stream.aclose()
        return self.report()

    def stream(
        self,
        items: AsyncBulkItems,
        *,
        executor: Executor | None = None,
        claims: str | os.PathLike[str] | None = None,
        client: Callable[[], Any] | None = None,
    ) -> AsyncBulkStream:
        """Same as `Bulk.stream`; the input may be an asynchronous iterable. After a `break`, close it with `aclose`.

        The end of the `async with` statement closes it, too.
        """
        stream = self._new_stream(items, executor, claims, client)
        self._unread = True
        return stream

    def _new_stream(
        self,
        items: AsyncBulkItems,
        executor: Executor | None,
        claims: str | os.PathLike[str] | None,
        client: Callable[[], Any] | None,
    ) -> AsyncBulkStream:
        self._open_journal()
        batches: Callable[[], Batches] | None = None
        if executor is None:
            check_workers(claims, client)
        else:
            from .executors import Workers  # most runs have none

            batches = functools.partial(
                Workers(executor, claims, client).batches,
                self._caller,
                self._project_id,
                self._options,
                self._path,
                max_wait=_MAX_THREAD_WAIT,
            )
        self._stream = AsyncBulkStream(items, self._begin, self._send, self._end, self._group, batches=batches)
        return self._stream

    async def _send(self, sending: Sending) -> AttemptEnd:
        end: AttemptEnd = await self._caller._run(functools.partial(self._attempt, sending), None)
        return end


class AsyncBulkStream(AsyncIterator[BulkOutcome]):
    """The outcomes of an asynchronous run, each when it is in the journal. `AsyncBulk.stream` returns it.

    It is no asynchronous generator, whose end nothing would wait for after a `break`.
    """

    def __init__(
        self,
        items: AsyncBulkItems,
        begin: Callable[[Callable[[], Any], Window | None], Scheduler],
        send: Callable[[Sending], Awaitable[AttemptEnd]],
        end: Callable[[], None],
        group: TaskGroup,
        *,
        batches: Callable[[], Batches] | None,
    ) -> None:
        self._items = items
        self._new_batches = batches
        self._batches: Batches | None = None  # sends the rows instead of the tasks here
        self._begin_run, self._send, self._end_run = begin, send, end
        self._group = group
        self._outcomes: deque[BulkOutcome] = deque()
        self._ends: deque[tuple[Sending, AttemptEnd]] = deque()
        self._todo: deque[Sending] = deque()
        self._granted: list[Sending] = []
        self._event = anyio.Event()
        self._woken = False
        self._idle: deque[anyio.Event] = deque()
        self._workers = 0
        self._wait = 0.0
        self._closed = False
        self._begun = False
        self._taking = False  # whether a task waits for an outcome
        self._scheduler: Scheduler

    async def __anext__(self) -> BulkOutcome:
        if self._outcomes:
            return self._outcomes.popleft()
        if self._taking:
            raise UsageError("another task reads this stream; read it in one task, and hand the outcomes to others")
        self._taking = True
        try:
            if not self._begun:
                await self._begin()
            while not self._outcomes:
                if self._closed:
                    raise StopAsyncIteration
                if self._scheduler.finished:
                    await self.aclose()
                    if self._scheduler.error is not None:
                        raise self._scheduler.error
                else:
                    await self._turn()
        finally:
            self._taking = False
        return self._outcomes.popleft()

    async def _begin(self) -> None:
        items, window = self._items, None
        if self._new_batches is not None:
            self._batches = await anyio.to_thread.run_sync(self._new_batches)
            window = self._batches.window
        if isinstance(items, AsyncIterable):
            reader = InputReader(items, self._wake)
            self._scheduler = self._begin_run(reader.next_item, window)
            self._group.start_soon(reader.read)
        else:
            self._scheduler = self._begin_run(iter(items).__next__, window)
        self._begun = True

    async def _turn(self) -> None:
        """Take the ends of attempts, and send the rows that may be sent now."""
        scheduler = self._scheduler
        if scheduler.in_flight or self._wait:
            await self._take(turn_wait(scheduler, self._wait))
        else:
            await anyio.lowlevel.checkpoint()
        self._granted, self._wait = scheduler.grant(time.monotonic())
        if self._batches is not None:
            self._outcomes.extend(self._batches.commit(scheduler, self._granted))
            await anyio.to_thread.run_sync(self._batches.send, self._granted)
            return
        self._outcomes.extend(scheduler.commit())
        self._todo.extend(self._granted)
        self._granted.clear()
        for _ in range(min(len(self._todo), len(self._idle))):
            self._idle.popleft().set()
        while self._workers < scheduler.in_flight:
            self._workers += 1
            self._group.start_soon(self._work)

    async def _take(self, wait: float) -> None:
        """Wait for the end of an attempt, and record all that are there."""
        if self._batches is not None:
            # No other task uses the scheduler meanwhile. The claims are read in the thread, too.
            await anyio.to_thread.run_sync(self._batches.take, self._scheduler, wait)
            return
        if not self._ends and not self._woken:
            self._event = anyio.Event()
            with anyio.move_on_after(min(wait, MAX_WAIT)):
                await self._event.wait()
        else:
            await anyio.lowlevel.checkpoint()
        self._woken = False
        now = time.monotonic()
        while self._ends:
            self._scheduler.ended(*self._ends.popleft(), now)

    def _wake(self) -> None:
        self._woken = True
        self._event.set()
        if self._batches is not None:
            self._batches.wake()

    async def _work(self) -> None:
        # What is in flight ends, whatever is cancelled around it; `aclose` ends the workers.
        with anyio.CancelScope(shield=True):
            while True:
                while not self._todo:
                    if self._closed:
                        return
                    event = anyio.Event()
                    self._idle.append(event)
                    await event.wait()
                await self._send_next(self._todo.popleft())

    async def _send_next(self, sending: Sending) -> None:
        try:
            end = await self._send(sending)
        except BaseException as error:  # nothing may be lost, whatever a defect raises
            end = AttemptEnd("lost" if sending.sent else "stop", error=error)
            if not isinstance(error, Exception):
                self._scheduler.stop(error)  # Ctrl+C may arrive in any task, and the end of an event loop in all
            if isinstance(error, anyio.get_cancelled_exc_class()):
                self._record(sending, end)
                raise
        self._record(sending, end)

    def _record(self, sending: Sending, end: AttemptEnd) -> None:
        self._ends.append((sending, end))
        self._event.set()

    async def aclose(self) -> None:
        """Send nothing more, and wait until the rows in flight have ended."""
        if self._closed or not self._begun:
            self._closed = True
            return
        self._closed = True
        scheduler = self._scheduler
        try:
            scheduler.unsent([*self._granted, *self._todo])
            self._todo.clear()
            with anyio.CancelScope(shield=True):
                while scheduler.in_flight:
                    await self._take(MAX_WAIT)
            if self._batches is not None:
                self._batches.commit(scheduler, [])
            else:
                scheduler.commit()
        finally:
            self._end_run()
            while self._idle:
                self._idle.popleft().set()
