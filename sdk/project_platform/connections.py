"""The connections that a client uses by default: httpcore's, kept on a free list.

httpcore's own pool looks through all its connections and all waiting requests whenever a request begins or ends, which
is quadratic under load. Here a connection that becomes free goes onto a stack, and the next request takes the one on
top: the warmest. Connecting, TLS, timeouts, HTTP/1.1 and keep-alive expiry stay httpcore's. `benchmarks/` measures it.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.lowlevel
import httpcore

from .errors import NotSentError
from .headers import Headers
from .operation import Request, Response
from .transport import Limit, failure

if TYPE_CHECKING:
    import ssl

    from .fate import Outcome

MAX_CONNECTIONS: Final = 100  # httpx's default
KEEPALIVE_EXPIRY: Final = 5.0  # seconds; httpx's default
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_FAILURES: Final = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)


class _Origin:
    """A scheme, host and port that requests go to, and the connections to it that are free, the warmest last."""

    __slots__ = ("free", "host", "value")

    def __init__(self, scheme: str, netloc: str) -> None:
        if scheme not in _DEFAULT_PORTS:
            raise httpcore.UnsupportedProtocol(f"{scheme}: is neither http: nor https:")
        host, port = _host_and_port(netloc)
        self.host = netloc.encode("ascii")
        self.value = httpcore.Origin(scheme.encode("ascii"), host.encode("ascii"), port or _DEFAULT_PORTS[scheme])
        self.free: list[Any] = []

    def request(self, request: Request, target: str) -> httpcore.Request:
        headers = [(b"host", self.host)]
        headers += [(name.encode("ascii"), value.encode("latin-1")) for name, value in request.headers.items()]
        if request.body or request.method != "GET":
            headers.append((b"content-length", str(len(request.body)).encode("ascii")))
        limits = request.timeout
        origin = self.value
        return httpcore.Request(
            request.method.encode("ascii"),
            httpcore.URL(scheme=origin.scheme, host=origin.host, port=origin.port, target=target.encode("ascii")),
            headers=headers,
            content=request.body,
            extensions={"timeout": {"connect": limits.connect, "read": limits.read, "write": limits.write}},
        )

    def keep(self, connection: Any) -> Any | None:
        """Put a connection back, and return the coldest one if it has been idle for too long."""
        self.free.append(connection)
        # Only the coldest can have expired while warmer ones are in use; one look a request keeps the stack clean.
        if len(self.free) > 1 and self.free[0].has_expired():
            return self.free.pop(0)
        return None


def _host_and_port(netloc: str) -> tuple[str, int | None]:
    host, _, port = netloc.rpartition(":")
    if host and port.isdigit():
        return host.strip("[]"), int(port)
    return netloc.strip("[]"), None


class _Origins(dict[str, _Origin]):
    """The origins by the part of a URL that names them."""

    def split(self, url: str) -> tuple[_Origin, str]:
        """Return the origin of an absolute URL, and the target that its server is asked for."""
        scheme, _, netloc, *rest = url.split("/", 3)
        key = f"{scheme}//{netloc}"
        origin = self.get(key)
        if origin is None:
            origin = self[key] = _Origin(scheme[:-1], netloc)
        return origin, "/" + rest[0] if rest else "/"


class ConnectionTransport:
    """Sends over connections of its own, at most `MAX_CONNECTIONS` at once. Threads may share it."""

    def __init__(self, ssl_context: Callable[[], ssl.SSLContext]) -> None:
        self._ssl_context = ssl_context
        self._origins = _Origins()
        self._slots = threading.Semaphore(MAX_CONNECTIONS)
        self._closed = False

    def send(self, request: Request, /) -> Outcome:
        """Return the answer, or the reason there is none."""
        if not self._slots.acquire(timeout=request.timeout.pool):
            return NotSentError(f"no connection came free within {request.timeout.pool} s")
        origin = connection = None
        streaming = False
        try:
            origin, target = self._origins.split(request.url)
            connection = self._take(origin)
            answer = connection.handle_request(origin.request(request, target))
            if request.stream and 200 <= answer.status < 300:  # noqa: PLR2004  # RFC 9110, section 15.3
                streaming = True
                stream = _Stream(answer, request, functools.partial(self._release, origin, connection))
                return Response(answer.status, Headers.from_raw(answer.headers), stream=stream)
            return _read(answer, request)
        except _FAILURES as error:
            return failure(error, request)
        finally:
            if not streaming:
                self._release(origin, connection)

    def _take(self, origin: _Origin) -> httpcore.HTTPConnection:
        while origin.free:
            try:
                connection: httpcore.HTTPConnection = origin.free.pop()
            except IndexError:  # another thread was faster
                break
            if not connection.has_expired():
                return connection
            connection.close()
        context = self._ssl_context() if origin.value.scheme == b"https" else None
        return httpcore.HTTPConnection(origin.value, ssl_context=context, keepalive_expiry=KEEPALIVE_EXPIRY)

    def _release(self, origin: _Origin | None, connection: httpcore.HTTPConnection | None) -> None:
        self._slots.release()
        if origin is None or connection is None:
            return
        if not connection.is_available() or self._closed:
            connection.close()
            return
        expired = origin.keep(connection)
        if expired is not None:
            expired.close()

    def close(self) -> None:
        """Close every connection that is free, and those in use when they become free."""
        self._closed = True
        for origin in self._origins.values():
            while origin.free:
                origin.free.pop().close()


class AsyncConnectionTransport:
    """Same as `ConnectionTransport`, but for asyncio and trio."""

    def __init__(self, ssl_context: Callable[[], ssl.SSLContext]) -> None:
        self._ssl_context = ssl_context
        self._origins = _Origins()
        self._slots = anyio.Semaphore(MAX_CONNECTIONS, fast_acquire=True)
        self._loop: object = None
        self._closed = False

    async def send(self, request: Request, /) -> Outcome:
        """Return the answer, or the reason there is none."""
        self._enter_loop()
        slots = self._slots
        try:
            slots.acquire_nowait()
        except anyio.WouldBlock:
            with anyio.move_on_after(request.timeout.pool) as scope:
                await slots.acquire()
            if scope.cancelled_caught:
                return NotSentError(f"no connection came free within {request.timeout.pool} s")
        origin = connection = None
        streaming = False
        try:
            origin, target = self._origins.split(request.url)
            connection = await self._take(origin)
            answer = await connection.handle_async_request(origin.request(request, target))
            if request.stream and 200 <= answer.status < 300:  # noqa: PLR2004  # RFC 9110, section 15.3
                streaming = True
                stream = _AsyncStream(answer, request, functools.partial(self._release, slots, origin, connection))
                return Response(answer.status, Headers.from_raw(answer.headers), stream=stream)
            return await _read_async(answer, request)
        except _FAILURES as error:
            return failure(error, request)
        finally:
            if not streaming:
                await self._release(slots, origin, connection)

    def _enter_loop(self) -> None:
        """Forget the connections of an event loop that is over: `asyncio.run` once more, a notebook restarted."""
        loop = anyio.lowlevel.current_token()
        if loop != self._loop:
            self._loop = loop
            self._origins = _Origins()
            self._slots = anyio.Semaphore(MAX_CONNECTIONS, fast_acquire=True)

    async def _take(self, origin: _Origin) -> httpcore.AsyncHTTPConnection:
        while origin.free:
            connection: httpcore.AsyncHTTPConnection = origin.free.pop()
            if not connection.has_expired():
                return connection
            await connection.aclose()
        context = self._ssl_context() if origin.value.scheme == b"https" else None
        return httpcore.AsyncHTTPConnection(origin.value, ssl_context=context, keepalive_expiry=KEEPALIVE_EXPIRY)

    async def _release(
        self, slots: anyio.Semaphore, origin: _Origin | None, connection: httpcore.AsyncHTTPConnection | None
    ) -> None:
        slots.release()
        if origin is None or connection is None:
            return
        ended: httpcore.AsyncHTTPConnection | None = connection
        if connection.is_available() and not self._closed:
            ended = origin.keep(connection)
        if ended is not None:
            # Also when the caller was cancelled: a socket left open would be the next caller's trouble.
            with anyio.CancelScope(shield=True):
                await ended.aclose()

    async def aclose(self) -> None:
        """Close every connection that is free, and those in use when they become free."""
        self._enter_loop()
        self._closed = True
        for origin in self._origins.values():
            while origin.free:
                await origin.free.pop().aclose()


def _read(answer: httpcore.Response, request: Request) -> Response:
    chunks: list[bytes] = []
    limit = Limit(request.timeout.total)
    complete = True
    try:
        for chunk in answer.iter_stream():
            chunks.append(chunk)
            if limit.passed:
                complete = False
                break
    except _FAILURES:
        complete = False
    finally:
        answer.close()
    return _response(answer, b"".join(chunks), complete=complete)


async def _read_async(answer: httpcore.Response, request: Request) -> Response:
    chunks: list[bytes] = []
    limit = Limit(request.timeout.total)
    complete = True
    try:
        async for chunk in answer.aiter_stream():
            chunks.append(chunk)
            if limit.passed:
                complete = False
                break
    except _FAILURES:
        complete = False
    finally:
        await answer.aclose()
    return _response(answer, b"".join(chunks), complete=complete)


def _response(answer: httpcore.Response, body: bytes, *, complete: bool) -> Response:
    headers = Headers.from_raw(answer.headers)
    if complete and body and "content-encoding" in headers:
        import httpx

        try:
            body = httpx.Response(answer.status, headers=answer.headers, content=body).content
        except httpx.DecodingError:
            complete = False
    return Response(answer.status, headers, body, complete)


class _Stream:
    """The body of an answer that is still on its connection."""

    def __init__(self, answer: httpcore.Response, request: Request, release: Callable[[], None]) -> None:
        self._answer = answer
        self._request = request
        self._release: Callable[[], None] | None = release

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._answer.iter_stream()
        except _FAILURES as error:
            raise failure(error, self._request) from None

    def close(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            self._answer.close()
            release()


class _AsyncStream:
    """Same as `_Stream`, but to be iterated with `async for`."""

    def __init__(self, answer: httpcore.Response, request: Request, release: Callable[[], Awaitable[None]]) -> None:
        self._answer = answer
        self._request = request
        self._release: Callable[[], Awaitable[None]] | None = release

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._answer.aiter_stream():
                yield chunk
        except _FAILURES as error:
            raise failure(error, self._request) from None

    async def aclose(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            await self._answer.aclose()
            await release()
