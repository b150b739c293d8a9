"""The default transport of an `AsyncClient`: the same as `connections.py`, for asyncio and trio."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias, cast

import anyio
import anyio.lowlevel
import httpcore

from ..calls.headers import Headers
from ..calls.operation import Request, Response
from ..errors import NotSentError
from .asyncio_streams import AsyncioBackend
from .connection_pool import FAILURES, KEEPALIVE_EXPIRY, MAX_CONNECTIONS, Origin, Origins, has_leftovers
from .connections import decompressed, is_compressed, response
from .transport import Limit, failure
from .trio_streams import TrioBackend

if TYPE_CHECKING:
    import ssl

    from ..calls.fate import Outcome

# Using its inner HTTP/1.1 connection would avoid a lock, but respx mocks the methods of this class.
Connection: TypeAlias = httpcore.AsyncHTTPConnection


class AsyncConnectionTransport:
    """Same as `ConnectionTransport`, but for asyncio and trio."""

    def __init__(
        self,
        tls_context: Callable[[], ssl.SSLContext],
        *,
        max_connections: int = MAX_CONNECTIONS,
        keepalive_expiry: float = KEEPALIVE_EXPIRY,
    ) -> None:
        self._tls_context = tls_context
        self._max_connections = max_connections
        self._keepalive_expiry = keepalive_expiry
        self._loop: object = None
        self._closed = False

    async def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        if anyio.lowlevel.current_token() != self._loop:
            await self._enter_loop()
        slots = self._slots
        try:
            slots.acquire_nowait()
        except anyio.WouldBlock:
            with anyio.move_on_after(request.timeout.pool) as scope:
                await slots.acquire()
            if scope.cancelled_caught:
                return NotSentError(f"no connection became free within {request.timeout.pool} s")
        origin = connection = None
        streaming = False
        try:
            origin, target = self._origins.split(request.url)
            connection = await self._take(origin)
            answer = await connection.handle_async_request(origin.request(request, target))
            if request.stream and 200 <= answer.status < 300:  # noqa: PLR2004  # RFC 9110, section 15.3
                streaming = True
                release = functools.partial(self._release, slots, origin, connection)
                stream = _AsyncStream(answer, request, connection, release)
                return Response(answer.status, Headers.from_raw(answer.headers), stream=stream)
            return await _read(answer, request, connection)
        except FAILURES as error:
            return failure(error, request)
        finally:
            if not streaming:
                await self._release(slots, origin, connection)

    async def _enter_loop(self) -> None:
        """Start with an empty pool in a new event loop, as after a second `asyncio.run`."""
        token = anyio.lowlevel.current_token()
        self._loop = token
        # Up to anyio 4.10 the token is the event loop itself.
        loop = getattr(token, "native_token", token)
        under_asyncio = isinstance(loop, asyncio.AbstractEventLoop)
        self._backend = AsyncioBackend() if under_asyncio else TrioBackend()
        self._slots = anyio.Semaphore(self._max_connections, fast_acquire=True)
        self._origins: Origins[Connection] = Origins()
        # An event loop closes its asynchronous generators when it ends, and this generator closes the connections.
        self._end = _close_at_loop_end(self._origins)
        await anext(self._end)

    async def _take(self, origin: Origin[Connection]) -> Connection:
        while origin.free:
            connection = origin.free.pop()
            if not connection.has_expired():
                return connection
            await connection.aclose()
        return Connection(
            origin.value,
            ssl_context=self._tls_context() if origin.value.scheme == b"https" else None,
            keepalive_expiry=self._keepalive_expiry,
            network_backend=self._backend,
        )

    async def _release(
        self, slots: anyio.Semaphore, origin: Origin[Connection] | None, connection: Connection | None
    ) -> None:
        try:
            if origin is None or connection is None:
                return
            to_close = [connection]
            if connection.is_available() and not self._closed and not has_leftovers(connection):
                to_close = origin.keep(connection)
            for unusable in to_close:
                # Shielded, so that a cancelled caller does not leave a socket open.
                with anyio.CancelScope(shield=True):
                    await unusable.aclose()
        finally:
            # Only after the connection is in the pool: the next caller reuses it and does not open another one.
            slots.release()

    async def aclose(self) -> None:
        """Close every idle connection now, and every connection in use when its request ends."""
        self._closed = True
        if self._loop == anyio.lowlevel.current_token():
            await self._end.aclose()


async def _close_at_loop_end(origins: Origins[Connection]) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        for origin in origins.values():
            while origin.free:
                await origin.free.pop().aclose()


async def _read(answer: httpcore.Response, request: Request, connection: Connection) -> Response:
    chunks: list[bytes] = []
    limit = Limit(request.timeout.total)
    complete = True
    try:
        async for chunk in cast("AsyncIterable[bytes]", answer.stream):
            chunks.append(chunk)
            if limit.passed:
                complete = False
                # No `break`: it would leave httpcore's generators unfinished, and trio warns about that.
                await connection.aclose()
    except FAILURES:
        complete = False
    finally:
        await answer.aclose()
    return response(answer, b"".join(chunks), complete=complete)


class _AsyncStream:
    """The unread body of a response."""

    def __init__(
        self,
        answer: httpcore.Response,
        request: Request,
        connection: Connection,
        release: Callable[[], Awaitable[None]],
    ) -> None:
        self._answer = answer
        self._request = request
        self._connection = connection
        self._release: Callable[[], Awaitable[None]] | None = release
        self._chunks = aiter(cast("AsyncIterable[bytes]", answer.stream))
        self._failures: tuple[type[Exception], ...] = FAILURES
        self._ended = False
        if is_compressed(answer):
            import httpx

            self._chunks = decompressed(answer, self._chunks).aiter_bytes()
            self._failures = (*FAILURES, httpx.DecodingError)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            return await anext(self._chunks)
        except self._failures as error:
            self._ended = True
            raise failure(error, self._request) from None
        except BaseException:
            self._ended = True
            raise

    async def aclose(self) -> None:
        release, self._release = self._release, None
        if release is None:
            return
        try:
            if not self._ended:
                await self._abort()
            await self._answer.aclose()
        finally:
            await release()

    async def _abort(self) -> None:
        """Close the connection, and exhaust httpcore's generators: trio warns about unfinished ones."""
        with anyio.CancelScope(shield=True):
            await self._connection.aclose()
            with contextlib.suppress(*self._failures):
                async for _ in self._chunks:
                    pass
