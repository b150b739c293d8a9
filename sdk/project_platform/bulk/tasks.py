"""`AsyncBulk`: same as `Bulk`, but tasks of asyncio or trio send the rows."""

# A run and its stream are one unit, of which users see no inside.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import queue
import sys
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import Executor
from math import inf
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

import anyio
import anyio.lowlevel
import anyio.to_thread
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream

from ..errors import UsageError
from .attempt import Sending
from .candidates import reader_of
from .engine import READ_AHEAD, Carrier, Engine, Event
from .journal import End
from .report import BulkOutcome, BulkReport
from .run import BulkItem, BulkRun, end_of
from .scheduler import Scheduler

_SLOW_INPUT: Final = 0.005  # seconds of a row of an input that is not asynchronous, after which tasks get as much time
_MAX_PAUSE: Final = 0.5

AsyncBulkItems: TypeAlias = Iterable[BulkItem] | AsyncIterable[BulkItem]
"""The rows of the input, as an iterable or an asynchronous iterable."""


class AsyncBulk(BulkRun):
    """Same as `Bulk`, but under asyncio or trio; use it in an `async with` statement.

    If the statement ends in an exception, also by cancellation, or after a loop over `stream` with `break`, nothing more is sent,
    and the rows in flight end before the statement does. Between a `break` and that end, rows that were read may be sent.
    """

    _stream: AsyncBulkStream | None = None
    _group: TaskGroup

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as opened:
            self._open()
            opened.callback(self._close)
            self._group = await opened.enter_async_context(anyio.create_task_group())
            opened.callback(self._group.cancel_scope.cancel)  # the reader of the input
            opened.push_async_callback(self._close_stream)
            self._opened = opened.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._opened.aclose()

    async def _close_stream(self) -> None:
        if self._stream is not None:
            await self._stream.aclose()

    async def run(
        self,
        items: AsyncBulkItems,
        *,
        executor: Executor | None = None,
        claims: str | os.PathLike[str] | None = None,
        client: Callable[[], Any] | None = None,
    ) -> BulkReport:
        """Same as `Bulk.run`; the input may be an asynchronous iterable, as one that waits has to be.

        With an executor, the default client of a worker is a `Client`.
        """
        stream = self.stream(items, executor=executor, claims=claims, client=client)
        with self._progress(items):
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
        self._open_journal()

        async def begin() -> Engine:
            wake = functools.partial(soon_in_loop(), stream.wake)
            carrier = functools.partial(self._carrier, executor, claims, client)
            if executor is None:
                return self._begin(carrier(), wake)
            return self._begin(await anyio.to_thread.run_sync(carrier), wake)  # it writes to the place of the claims

        self._stream = stream = AsyncBulkStream(items, begin, self._group)
        return stream

    def _own_carrier(self) -> Tasks:
        return Tasks(self._send, self._group)

    def _terminate(self, number: int, frame: object) -> None:
        """End the run first: an exception in the event loop would leave the rows in flight in doubt."""
        if self._engine is None or self._engine.closed_at:
            super()._terminate(number, frame)
        else:
            self._engine.stop(end_of(number))

    async def _send(self, sending: Sending) -> End:
        end: End = await self._caller._run(functools.partial(self._attempt, sending), None)
        return end


class AsyncBulkStream(AsyncIterator[BulkOutcome]):
    """The outcomes of an asynchronous run, each when it is in the journal. `AsyncBulk.stream` returns it.

    An iterator class, not an asynchronous generator: after a `break`, nothing awaits a generator's cleanup.
    """

    def __init__(self, items: AsyncBulkItems, begin: Callable[[], Awaitable[Engine]], group: TaskGroup) -> None:
        self._items, self._begin_run, self._group = items, begin, group
        self._read: Callable[[], Any] | None = None  # of an input that is not asynchronous
        self._engine: Engine | None = None
        self._event = anyio.Event()
        self._wanted = anyio.Event()
        self._closed = False
        self._taking = False  # whether a task waits for an outcome

    async def __anext__(self) -> BulkOutcome:
        if self._taking:
            raise UsageError("another task reads this stream; read it in one task, and hand the outcomes to others")
        self._taking = True
        try:
            if self._engine is None:
                if self._closed:
                    raise StopAsyncIteration
                self._engine = await self._begin()
            return await self._next(self._engine)
        finally:
            self._taking = False

    async def _begin(self) -> Engine:
        if not isinstance(self._items, AsyncIterable):
            self._read = reader_of(self._items)
        engine = await self._begin_run()
        if isinstance(self._items, AsyncIterable):
            self._group.start_soon(self._read_all, self._items, engine)
        return engine

    async def _next(self, engine: Engine) -> BulkOutcome:
        while not engine.ended or engine.outcomes:
            if engine.outcomes:
                self._wanted.set()
                return engine.take()
            began = time.monotonic()
            if self._read is not None and engine.feed.wants:
                engine.feed.read(self._read)
                if (took := time.monotonic() - began) > _SLOW_INPUT:  # no task ran meanwhile
                    with anyio.move_on_after(min(took, _MAX_PAUSE)):
                        await self._event.wait()
                elif not self._event.is_set() and engine.feed.wants:
                    continue
            else:
                await self._event.wait()
            self._event = anyio.Event()
            await anyio.lowlevel.checkpoint()
        await self.aclose()
        if engine.error is not None:
            raise engine.error
        raise StopAsyncIteration

    def wake(self) -> None:
        """Look again what happened."""
        self._event.set()
        self._wanted.set()

    async def _read_all(self, items: AsyncIterable[Any], engine: Engine) -> None:
        """Read an asynchronous input, one row at a time when one is wanted, and not faster than the outcomes are."""
        feed = engine.feed
        end: BaseException = StopIteration()
        try:
            async for item in items:
                feed.add(item)
                while not feed.wants or len(engine.outcomes) > READ_AHEAD:
                    self._wanted = anyio.Event()  # `wake` sets it, which runs in this event loop after what happened
                    await self._wanted.wait()
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException as error:  # noqa: BLE001  # it is raised where the outcomes are read, after the rows in flight
            end = error
        finally:
            feed.end(end)

    async def aclose(self) -> None:
        """Send nothing more, and wait until the rows in flight have ended."""
        closed, self._closed = self._closed, True
        if closed or (engine := self._engine) is None:
            return
        engine.stop()
        with anyio.CancelScope(shield=True):
            while not engine.ended:
                self._event = anyio.Event()
                await self._event.wait()
        engine.close()


class Tasks(Carrier):
    """The carrier of an asynchronous run in one process: a task for each row in flight."""

    def __init__(self, send: Callable[[Sending], Awaitable[End]], group: TaskGroup) -> None:
        self._send, self._group = send, group
        self._idle = 0  # tasks without a row
        self._soon = soon_in_loop()

    def begin(self, inbox: queue.SimpleQueue[Event]) -> None:
        """Take the inbox of the engine, and start the first task."""
        super().begin(inbox)
        self._giver, self._taker = anyio.create_memory_object_stream[Sending](inf)
        self._start()

    def send(self, granted: list[Sending], in_flight: int) -> None:
        """Hand rows to the tasks."""
        self._soon(functools.partial(self._give, [*granted]))
        granted.clear()

    def _give(self, granted: list[Sending]) -> None:
        for sending in granted:
            self._giver.send_nowait(sending)

    def close(self) -> None:
        """End the tasks."""
        self._soon(self._giver.close)
        self._soon(self._taker.close)

    def _start(self) -> None:
        self._idle += 1
        self._group.start_soon(self._work, self._taker.clone())

    async def _work(self, taker: MemoryObjectReceiveStream[Sending]) -> None:
        # Calls in flight end, whatever is cancelled around them; `close` ends the tasks.
        with anyio.CancelScope(shield=True), taker:
            async for sending in taker:
                # A task takes a row, then starts its successor if none is idle, and only then sends. So one is idle whenever a row is
                # handed over, and no wake-up is lost. The engine cannot start a task: a callback of the event loop is outside of all
                # tasks, where anyio knows no event loop unless `anyio.run` started it.
                self._idle -= 1
                if not self._idle:
                    self._start()
                await self._attempt(sending)
                self._idle += 1

    async def _attempt(self, sending: Sending) -> None:
        try:
            end = await self._send(sending)
        except BaseException as error:  # nothing may be lost, whatever a defect raises
            if not isinstance(error, Exception):
                # Ctrl+C may arrive in any task, and the end of an event loop in all.
                self._inbox.put(functools.partial(Scheduler.stop, error=error))
            self._failed(sending, error)
            if isinstance(error, anyio.get_cancelled_exc_class()):
                raise
        else:
            self._ended(sending, end)


def soon_in_loop() -> Callable[[Callable[[], object]], None]:
    """Return a function that any thread may call, which lets this event loop call a function soon."""
    schedule: Callable[[Callable[[], object]], object]
    try:
        schedule = asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:  # this is trio
        schedule = sys.modules["trio"].lowlevel.current_trio_token().run_sync_soon

    def soon(call: Callable[[], object]) -> None:
        with contextlib.suppress(RuntimeError):  # the event loop has ended
            schedule(call)

    return soon
