"""Sockets under asyncio, for httpcore: an `asyncio.Protocol` that httpcore reads from and writes to.

httpcore reaches asyncio through anyio's streams, which enter a cancel scope and go once round the event loop for each
read and each write. A protocol is told of bytes when they come: reading what is there already costs nothing, and a
timeout is a timer. `benchmarks/` measures it. Under trio httpcore's own streams are used.
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

_HIGH_WATER: Final = 256 * 1024  # bytes that came and were not asked for, before the peer is made to wait
_PIECE: Final = 64 * 1024  # bytes written before looking whether the peer keeps up; asyncio's own high-water mark
_HAPPY_EYEBALLS_DELAY: Final = 0.25  # seconds before the next address is tried as well (RFC 8305, section 5)


class AsyncioStream(httpcore.AsyncNetworkStream, asyncio.Protocol):
    """One connection. httpcore reads and writes one thing at a time, so one waiter each is enough."""

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._error: Exception | None = None
        self._held = False
        self._full = False
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self._transport: Any = None

    # What asyncio tells us.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what bytes are written to."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep bytes until they are asked for, and make the peer wait if they are many."""
        self._chunks.append(data)
        self._size += len(data)
        if self._size > _HIGH_WATER and not self._held:
            self._held = True
            self._transport.pause_reading()
        _wake(self._reader)

    def eof_received(self) -> None:
        """Note that the peer has ended."""
        # Without a true result asyncio closes its side too, so that an idle connection does not linger half closed.
        self._ended = True
        _wake(self._reader)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is gone, and why."""
        self._ended = True
        self._error = exc
        _wake(self._reader)
        _wake(self._writer)

    def pause_writing(self) -> None:
        """Note that the peer does not keep up."""
        self._full = True

    def resume_writing(self) -> None:
        """Note that the peer keeps up again."""
        self._full = False
        _wake(self._writer)

    # What httpcore asks for.

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109  # httpcore's signature
        """Return what came, up to so many bytes; nothing once the peer has ended."""
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
        if self._held and self._size <= _HIGH_WATER // 2:
            self._held = False
            self._transport.resume_reading()
        return chunk

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109  # httpcore's signature
        """Write bytes, and wait while the peer does not keep up; the timeout is for each piece of them."""
        pieces = (
            [buffer] if len(buffer) <= _PIECE else [buffer[at : at + _PIECE] for at in range(0, len(buffer), _PIECE)]
        )
        for piece in pieces:
            if self._ended or self._transport.is_closing():
                raise httpcore.WriteError(self._error or "the peer has closed the connection")
            self._transport.write(piece)
            if self._full:
                self._writer = asyncio.get_running_loop().create_future()
                try:
                    await _wait(self._writer, timeout, httpcore.WriteTimeout)
                finally:
                    self._writer = None

    async def aclose(self) -> None:
        """Close the connection. Nothing is awaited, so that it is closed even when the caller is being cancelled."""
        # Closing says goodbye where TLS asks for it, aborting does not wait for the peer's goodbye.
        self._transport.close()
        self._transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # httpcore's signature
    ) -> httpcore.AsyncNetworkStream:
        """Go on with TLS, on this same stream."""
        try:
            async with asyncio.timeout(timeout):
                self._transport = await asyncio.get_running_loop().start_tls(
                    self._transport, self, ssl_context, server_hostname=server_hostname
                )
        except TimeoutError:
            self._transport.abort()
            raise httpcore.ConnectTimeout("the TLS handshake took too long") from None
        except OSError as error:  # ssl.SSLError is one, a certificate that does not fit another
            self._transport.abort()
            raise httpcore.ConnectError(error) from error
        except BaseException:
            self._transport.abort()
            raise
        return self

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore wants to know."""
        if info == "is_readable":
            return bool(self._chunks) or self._ended or is_readable(self._transport.get_extra_info("socket"))
        return self._transport.get_extra_info(_NAMES.get(info, info))


# httpcore's names of what asyncio names otherwise.
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
        """Return a stream to a host."""
        loop = asyncio.get_running_loop()
        # asyncio's own loops try several addresses at a time; uvloop does not know the argument and tries one by one.
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
    """Return whether a socket has news that the event loop has not told of yet, as after a long computation."""
    descriptor = -1 if sock is None else sock.fileno()
    if descriptor < 0:
        return True
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select([descriptor], [], [], 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))
