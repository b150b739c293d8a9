"""The default transport of an `AsyncClient`: the same as `pool.py`, for asyncio and trio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel

from ..calls.headers import Headers
from ..calls.operation import Request, Response
from ..errors import NotSentError
from . import sent_proof
from .async_connect import connect
from .async_streams import AsyncStream, AsyncTlsStream, perform
from .bodies import BodyDecoder, BodyDecodingError
from .deadline import Deadline
from .http1 import Http1
from .leases import Lease, Leases, patience
from .origins import (
    KEEPALIVE_EXPIRY,
    MAX_CONNECTIONS,
    Connectable,
    IdleConnection,
    Origins,
    WireRequest,
    WireResponse,
    failure,
)
from .responses import BodyReader
from .steps import NoConnectionError, StreamError, StreamTimeoutError

if TYPE_CHECKING:
    import ssl

    from ..calls.fate import Outcome
    from .proxies import Proxy


class AsyncConnection(IdleConnection[AsyncStream]):
    """Same as `Connection`, but for asyncio and trio."""

    async def handle_async_request(self, request: WireRequest) -> WireResponse:
        """Send a request, and return its response with the body unread. respx replaces this method."""
        # A generator does not show the head that it sends, and error reporters show the locals of this frame.
        exchange = self._http.exchange(request.head(self._origin), request.body)
        if self._stream is None:
            try:
                self._stream = await self._connect(request.deadline.within(request.timeout.connect))
            except OSError as error:  # such as no file descriptor for a socket, or for the file of certificates
                raise NoConnectionError(error.strerror or type(error).__name__) from error
            self.check_silence()
        request.deadline.left(0)
        self.sent = True
        head = await perform(exchange, self._stream, request.deadline)
        return WireResponse(head.status, head.fields, _Chunks(self._http, self._stream, request.deadline))

    async def _connect(self, deadline: Deadline) -> AsyncStream:
        origin = self._origin
        connectable = origin.connectable
        proxy = connectable.proxy
        stream: AsyncStream
        if proxy is None:
            stream = await connect(origin.host, origin.port, deadline)
        else:
            try:
                stream = await connect(proxy.host, proxy.port, deadline)
            except StreamError as error:
                proxy.name_in(error)
                raise
        try:
            if proxy is not None:
                if proxy.scheme == "https":
                    stream = AsyncTlsStream(stream, connectable.tls_context(), proxy.host)
                    await stream.handshake(deadline)
                if not proxy.forwards(origin.scheme):
                    await perform(proxy.tunnel(origin.host, origin.port), stream, deadline)
            if origin.scheme == "https":
                stream = AsyncTlsStream(stream, connectable.tls_context(), origin.host)
                await stream.handshake(deadline)
        except BaseException:
            stream.close()
            raise
        return stream


class _Chunks:
    """The chunks of a body. It is not a generator: trio warns about generators that are not exhausted."""

    __slots__ = ("_deadline", "_http", "_stream")

    def __init__(self, http: Http1, stream: AsyncStream, deadline: Deadline) -> None:
        self._http, self._stream, self._deadline = http, stream, deadline

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        chunk = self._http.received_chunk()
        if chunk == b"":
            chunk = await perform(self._http.next_chunk(), self._stream, self._deadline)
        if chunk is None:
            raise StopAsyncIteration
        return chunk


class _LoopPool:
    """The connections of one event loop, which are closed with it."""

    def __init__(self, token: object, connectable: Connectable, max_connections: int) -> None:
        self.token = token
        self.origins: Origins[AsyncConnection] = Origins(connectable)
        self.leases: Leases[AsyncConnection] = Leases(max_connections)
        self.end: AsyncGenerator[None]

    async def close_at_loop_end(self, pools: dict[object, _LoopPool]) -> AsyncGenerator[None]:
        """Close the idle connections at the end of the event loop, which then closes its asynchronous generators."""
        try:
            yield
        finally:
            pools.pop(self.token, None)
            self.origins.close()


class AsyncConnectionTransport:
    """Same as `ConnectionTransport`, but for asyncio and trio.

    Event loops do not share connections, so a forked process, which runs its own event loops, opens new ones. The maximum
    number of connections is per event loop.
    """

    def __init__(
        self,
        tls_context: Callable[[], ssl.SSLContext],
        *,
        proxy: Proxy | None = None,
        max_connections: int = MAX_CONNECTIONS,
        keepalive_expiry: float = KEEPALIVE_EXPIRY,
    ) -> None:
        self._connectable = Connectable(tls_context, proxy, keepalive_expiry)
        self.max_connections = max_connections
        self._pools: dict[object, _LoopPool] = {}
        self._last: _LoopPool | None = None

    async def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        pool = self._last
        token = anyio.lowlevel.current_token()
        if pool is None or pool.token != token:
            pool = await self._pool_of(token)
        deadline = Deadline.of(request.timeout)
        lease = pool.leases.new()
        streaming = False
        try:
            if not lease.has_place() and not await _waited(lease, deadline.within(request.timeout.pool).end):
                return NotSentError(f"no connection became free within {request.timeout.pool} s")
            origin, target = pool.origins.split(request.url)
            connection = lease.connection = origin.take() or AsyncConnection(origin)
            response = await connection.handle_async_request(WireRequest(request, origin, target, deadline))
            headers = Headers.from_raw(response.headers)
            if request.stream and 200 <= response.status < 300:  # noqa: PLR2004  # RFC 9110, section 15.3
                streaming = True
                return Response(response.status, headers, stream=_AsyncStream(response, headers, request, lease))
            return await _read(response, headers, request)
        except StreamError as error:
            return failure(error, request, sent=lease.sent)
        except Exception as error:
            if sent_proof.httpx_of(error) is None:
                raise
            # A mock of respx raises it in the place of the connection, which has sent nothing.
            return sent_proof.failure(error, request, not_sent=not sent_proof.is_after_sending(error))
        finally:
            if not streaming:
                lease.release()

    async def _pool_of(self, token: object) -> _LoopPool:
        """Return the pool of the running event loop; one client may be used in several, in turn or at the same time."""
        pool = self._pools.get(token)
        if pool is None:
            pool = self._pools[token] = _LoopPool(token, self._connectable, self.max_connections)
            pool.end = pool.close_at_loop_end(self._pools)
            await anext(pool.end)
        self._last = pool
        return pool

    async def aclose(self) -> None:
        """Close every idle connection of this event loop now, and every connection in use when its request ends."""
        self._connectable.closed = True
        pool = self._pools.get(anyio.lowlevel.current_token())
        if pool is not None:
            await pool.end.aclose()


async def _waited(lease: Lease[AsyncConnection], ends_at: float) -> bool:
    """Wait for a place, and return whether there was one in time."""
    while not lease.has_place():
        woken = anyio.Event()
        lease.wake = woken.set
        if (left := patience(ends_at)) <= 0:
            return False
        with anyio.move_on_after(left):
            await woken.wait()
    return True


async def _read(response: WireResponse, headers: Headers, request: Request) -> Response:
    reader = BodyReader(response.status, headers, request)
    try:
        async for chunk in response.stream:
            if not reader.add(chunk):
                break
        return reader.whole()
    except StreamError as error:
        return reader.cut_off(timed_out=isinstance(error, StreamTimeoutError))


class _AsyncStream:
    """The unread body of a response. It ends with the deadline of the attempt."""

    def __init__(
        self, response: WireResponse, headers: Headers, request: Request, lease: Lease[AsyncConnection]
    ) -> None:
        self._chunks = aiter(response.stream)
        self._headers = headers
        self._request = request
        self._lease = lease
        self._decoder: BodyDecoder | None = None
        self._pieces: Iterator[bytes] = iter(())

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            decoder = self._decoder = self._decoder or BodyDecoder(self._headers.get("content-encoding", ""))
            while (piece := next(self._pieces, None)) is None:
                chunk = await anext(self._chunks, None)
                if chunk is None:
                    decoder.finish()
                    raise StopAsyncIteration
                self._pieces = decoder.decode(chunk)
        except (StreamError, BodyDecodingError) as error:
            raise failure(error, self._request, sent=True) from None
        return piece

    async def aclose(self) -> None:
        self._lease.release()
