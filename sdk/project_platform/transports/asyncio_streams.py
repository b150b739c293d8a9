"""Network streams for httpcore under asyncio, implemented as an `asyncio.Protocol`.

httpcore's own streams use anyio, which enters a cancel scope and yields to the event loop for each read and each write.
A protocol receives bytes in a callback: reading buffered bytes does not yield, and a timeout is one timer.
`benchmarks/` measures it. The streams for trio are in `trio_streams.py`.
"""

from __future__ import annotations

import asyncio
import select
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import httpcore

if TYPE_CHECKING:
    import ssl

_HIGH_WATER: Final = 256 * 1024  # buffered bytes above which reading from the socket is paused
_PIECE: Final = 64 * 1024  # bytes written between checks for back-pressure; asyncio's own high-water mark
_HAPPY_EYEBALLS_DELAY: Final = 0.25  # seconds before the next address is tried as well (RFC 8305, section 5)


class AsyncioStream(httpcore.AsyncNetworkStream, asyncio.Protocol):
    """One connection. httpcore has at most one pending read and one pending write, so there is one waiter for each."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._error: Exception | None = None
        self._reading_paused = False
        self._writing_paused = False
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._transport: Any = None

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
        _wake(self._reader)

    def eof_received(self) -> None:
        """Record that the peer has closed its side."""
        # Without a true result asyncio closes its side too, so that an idle connection does not linger half closed.
        self._ended = True
        _wake(self._reader)

    def connection_lost(self, exc: Exception | None) -> None:
        """Record that the connection is closed, and the reason."""
        self._ended = True
        self._error = exc
        _wake(self._reader)
        _wake(self._writer)

    def pause_writing(self) -> None:
        """Record that the write buffer is full."""
        self._writing_paused = True

    def resume_writing(self) -> None:
        """Record that the write buffer has drained."""
        self._writing_paused = False
        _wake(self._writer)

    # Methods that httpcore calls.

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore's signature
        """Return the next bytes, at most `max_bytes`; b"" once the peer has closed its side."""
        if not self._chunks and not self._ended:
            self._reader = asyncio.get_running_loop().create_future()
            try:
                await _wait(self._reader, timeout, httpcore.ReadTimeout)
            finally:
                self._reader = None
        if not self._chunks:
            if self._error is not None:
                raise httpcore.ReadError(self._error) from self._error
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

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  # httpcore's signature
        """Write bytes, and wait while the write buffer is full; the timeout applies to each piece of 64 KiB."""
        pieces = (
            [buffer] if len(buffer) <= _PIECE else [buffer[at : at + _PIECE] for at in range(0, len(buffer), _PIECE)]
        )
        for piece in pieces:
            if self._ended or self._transport.is_closing():
                raise httpcore.WriteError(self._error or "the peer has closed the connection")
            self._transport.write(piece)
            if self._writing_paused:
                self._writer = asyncio.get_running_loop().create_future()
                try:
                    await _wait(self._writer, timeout, httpcore.WriteTimeout)
                finally:
                    self._writer = None

    async def aclose(self) -> None:
        """Close the connection. Nothing is awaited, so that it is closed even when the caller is being cancelled."""
        # close() sends the close_notify alert of TLS, abort() does not wait for the peer's.
        self._transport.close()
        self._transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # httpcore's signature
    ) -> httpcore.AsyncNetworkStream:
        """Return this same stream after the TLS handshake."""
        try:
            async with asyncio.timeout(timeout):
                self._transport = await asyncio.get_running_loop().start_tls(
                    self._transport, self, ssl_context, server_hostname=server_hostname
                )
        except TimeoutError:
            self._transport.abort()
            raise httpcore.ConnectTimeout("the TLS handshake took too long") from None
        except OSError as error:  # includes ssl.SSLError, also for an invalid certificate
            self._transport.abort()
            raise httpcore.ConnectError(error) from error
        except BaseException:
            self._transport.abort()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        """Return the value of an attribute of the connection, by httpcore's name for it."""
        if info == "is_readable":
            return bool(self._chunks) or self._ended or is_readable(self._transport.get_extra_info("socket"))
        return self._transport.get_extra_info(_NAMES.get(info, info))


# httpcore's names of attributes that have other names in asyncio.
_NAMES: Final = {"client_addr": "sockname", "server_addr": "peername"}


class AsyncioBackend(httpcore.AsyncNetworkBackend):
    """Connects under asyncio."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a connected stream."""
        loop = asyncio.get_running_loop()
        # uvloop does not have the argument, and tries one address after the other.
        delay: Any = {}
        if isinstance(loop, asyncio.BaseEventLoop):
            delay = {"happy_eyeballs_delay": _HAPPY_EYEBALLS_DELAY}
        local = None if local_address is None else (local_address, 0)
        try:
            async with asyncio.timeout(timeout):
                _, stream = await loop.create_connection(AsyncioStream, host, port, local_addr=local, **delay)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(error) from error
        except OSError as error:
            raise httpcore.ConnectError(error) from error
        for option in socket_options or ():
            stream.get_extra_info("socket").setsockopt(*option)
        return stream

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def _wake(waiter: asyncio.Future[None] | None) -> None:
    if waiter is not None and not waiter.done():
        waiter.set_result(None)


async def _wait(waiter: asyncio.Future[None], seconds: float | None, error: type[Exception]) -> None:
    if seconds is None:
        await waiter
        return
    timer = waiter.get_loop().call_later(seconds, _fail, waiter, error)
    try:
        await waiter
    finally:
        timer.cancel()


def _fail(waiter: asyncio.Future[None], error: type[Exception]) -> None:
    if not waiter.done():
        waiter.set_exception(error())


def is_readable(sock: Any) -> bool:
    """Return whether a socket has bytes or its end to read that the event loop has not delivered yet."""
    descriptor = -1 if sock is None else sock.fileno()
    if descriptor < 0:
        return True
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
