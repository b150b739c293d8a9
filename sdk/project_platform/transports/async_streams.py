"""Streams for asyncio and trio: a socket, and TLS on any stream."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Protocol

from .steps import Steps, StreamBrokenError, StreamTimeoutError, T
from .streams import is_readable
from .tls import Tls

if TYPE_CHECKING:
    import ssl

    import trio

    from .deadline import Deadline

_HIGH_WATER: Final = 256 * 1024  # buffered bytes above which reading from the socket is paused
_PIECE: Final = 64 * 1024  # bytes written between checks for back-pressure; asyncio's own high-water mark


class AsyncStream(Protocol):
    """Same as `streams.Stream`, but awaited."""

    async def read(self, max_bytes: int, deadline: Deadline) -> bytes:
        """Return the next bytes; b"" once the peer has closed its side."""
        ...

    async def write(self, data: memoryview, deadline: Deadline) -> None:
        """Write all bytes."""
        ...

    def has_unread(self) -> bool:
        """Return whether bytes, or the end of the stream, were received and not read."""
        ...

    def close(self) -> None:
        """Close the connection at once."""
        ...


async def perform(steps: Steps[T], stream: AsyncStream, deadline: Deadline) -> T:
    """Same as `streams.perform`, but awaited."""
    try:
        step = next(steps)
        while True:
            try:
                if isinstance(step, int):
                    data = await stream.read(step, deadline)
                else:
                    await stream.write(step, deadline)
                    data = b""
            except StreamBrokenError as error:
                step = steps.throw(error)
            else:
                step = steps.send(data)
    except StopIteration as done:
        result: T = done.value
        return result


class AsyncioStream(asyncio.Protocol):
    """A connected socket under asyncio or uvloop.

    A protocol is given bytes in a callback: bytes that are there are read without a turn of the event loop, and a wait is
    one future; all waits share one timer. A connection reads or writes, never both at a time, so there is one waiter.
    """

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._reading_paused = False
        self._writing_paused = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._wait_ends = 0.0
        self._late = ""
        self._transport: Any = None
        self._loop = asyncio.get_running_loop()

    # Callbacks of asyncio.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Buffer bytes until they are read, and pause reading from the socket if the buffer is full."""
        self._chunks.append(data)
        self._size += len(data)
        if self._size > _HIGH_WATER and not self._reading_paused:
            self._reading_paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        """Record that the peer has closed its side."""
        # Without a true result asyncio closes its side too, so that an idle connection does not linger half closed.
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Record that the connection is closed, and the reason."""
        self._ended, self._error = True, exc
        if self._timer is not None:
            self._timer.cancel()
        self._wake()

    def pause_writing(self) -> None:
        """Record that the write buffer is full."""
        self._writing_paused = True

    def resume_writing(self) -> None:
        """Record that the write buffer has drained."""
        self._writing_paused = False
        self._wake()

    # A stream.

    async def read(self, max_bytes: int, deadline: Deadline) -> bytes:
        """Return the next bytes; b"" once the peer has closed its side."""
        seconds = deadline.left(deadline.read)
        if not self._chunks and not self._ended:
            await self._wait(seconds, "no response in time")
        if not self._chunks:
            if self._error is not None:
                raise self._broken()
            return b""
        chunk = self._chunks.popleft()
        if len(chunk) > max_bytes:
            self._chunks.appendleft(chunk[max_bytes:])
            chunk = chunk[:max_bytes]
        self._size -= len(chunk)
        if self._reading_paused and self._size <= _HIGH_WATER // 2:
            self._reading_paused = False
            self._transport.resume_reading()
        return chunk

    async def write(self, data: memoryview, deadline: Deadline) -> None:
        """Write all bytes; at the end at most a buffer of the event loop is not yet sent."""
        for start in range(0, len(data), _PIECE):
            seconds = deadline.left(deadline.write)
            if self._ended or self._transport.is_closing():
                raise self._broken()
            self._transport.write(data[start : start + _PIECE] if len(data) > _PIECE else data)
            while self._writing_paused and not self._ended:
                await self._wait(seconds, "the request could not be written in time")

    def _broken(self) -> StreamBrokenError:
        strerror = getattr(self._error, "strerror", None)
        return StreamBrokenError(strerror or "the peer has closed it")

    async def _wait(self, seconds: float, late: str) -> None:
        waiter = self._waiter = self._loop.create_future()
        self._wait_ends, self._late = self._loop.time() + seconds, late
        if self._timer is None or self._timer.when() > self._wait_ends:
            self._set_timer()
        try:
            await waiter
        finally:
            self._waiter = None

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._wait_ends, self._time_out)

    def _time_out(self) -> None:
        # A timer that was set for an earlier wait is not cancelled, because most waits end long before: it is set again.
        self._timer = None
        waiter = self._waiter
        if waiter is None or waiter.done():
            return
        if self._loop.time() < self._wait_ends:
            self._set_timer()
        else:
            waiter.set_exception(StreamTimeoutError(self._late))

    def _wake(self) -> None:
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def has_unread(self) -> bool:
        """Return whether bytes, or the end of the stream, were received and not read."""
        # The socket is looked at as well: the event loop may not have had a turn since.
        return bool(self._chunks) or self._ended or is_readable(self._transport.get_extra_info("socket"))

    def close(self) -> None:
        """Close the connection at once."""
        self._transport.abort()


class TrioStream:
    """A connected socket under trio."""

    def __init__(self, stream: trio.SocketStream) -> None:
        import trio

        self._stream = stream
        self._move_on_after = trio.move_on_after
        self._failures = (trio.BrokenResourceError, trio.ClosedResourceError)

    async def read(self, max_bytes: int, deadline: Deadline) -> bytes:
        """Return the next bytes; b"" once the peer has closed its side."""
        with self._move_on_after(deadline.left(deadline.read)):
            try:
                return bytes(await self._stream.receive_some(max_bytes))
            except self._failures as error:
                raise _broken(error) from None
        raise StreamTimeoutError("no response in time")

    async def write(self, data: memoryview, deadline: Deadline) -> None:
        """Write all bytes."""
        with self._move_on_after(deadline.left(deadline.write)):
            try:
                return await self._stream.send_all(data)
            except self._failures as error:
                raise _broken(error) from None
        raise StreamTimeoutError("the request could not be written in time")

    def has_unread(self) -> bool:
        """Return whether bytes, or the end of the stream, were received and not read."""
        return is_readable(self._stream.socket)

    def close(self) -> None:
        """Close the socket."""
        self._stream.socket.close()


def _broken(error: Exception) -> StreamBrokenError:
    return StreamBrokenError(getattr(error.__cause__, "strerror", None) or "the peer has closed it")


class AsyncTlsStream:
    """Same as `streams.TlsStream`, but awaited."""

    __slots__ = ("_inner", "_tls")

    def __init__(self, inner: AsyncStream, context: ssl.SSLContext, host: str) -> None:
        self._inner, self._tls = inner, Tls(context, host)

    async def handshake(self, deadline: Deadline) -> None:
        """Agree on keys, and check the certificate."""
        await perform(self._tls.handshake(), self._inner, deadline)

    async def read(self, max_bytes: int, deadline: Deadline) -> bytes:
        """Return the next bytes; b"" once the peer has closed its side."""
        return await perform(self._tls.read(max_bytes), self._inner, deadline)

    async def write(self, data: memoryview, deadline: Deadline) -> None:
        """Write all bytes."""
        await perform(self._tls.write(data), self._inner, deadline)

    def has_unread(self) -> bool:
        """Return whether bytes, or the end of the stream, were received and not read."""
        return self._tls.has_unread() or self._inner.has_unread()

    def close(self) -> None:
        """Close the connection, without the alert that ends TLS."""
        self._inner.close()
