"""The default transport of a `Client`: a pool of httpcore connections.

httpcore's own pool checks all connections and all waiting requests whenever a request begins or ends, which is
quadratic under load. This pool keeps the idle connections of an origin on a stack, and a request uses the most recently
used one. httpcore does the rest: connecting, TLS, timeouts, HTTP/1.1 and keep-alive expiry. `benchmarks/` measures it.

The idle connections are in `connection_pool.py`; the transport of an `AsyncClient` is in `async_connections.py`.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

import httpcore

from ..calls.headers import Headers
from ..calls.operation import Request, Response
from ..errors import NotSentError
from .connection_pool import FAILURES, KEEPALIVE_EXPIRY, MAX_CONNECTIONS, Origin, Origins, has_leftovers
from .transport import Limit, failure

if TYPE_CHECKING:
    import ssl

    import httpx

    from ..calls.fate import Outcome


class ConnectionTransport:
    """Sends requests over a connection pool that threads may share.

    Args:
        tls_context: Returns the TLS context; called for each new https connection.
        max_connections: Maximum number of connections in use; a request waits for one up to its pool timeout.
        keepalive_expiry: Seconds after which an idle connection is not reused.
    """

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
        self._closed = False
        self._begin()

    def _begin(self) -> None:
        """Start with an empty pool, also in a forked process: it must not use the connections of its parent."""
        self._process = os.getpid()
        self._origins: Origins[httpcore.HTTPConnection] = Origins()
        self._slots = threading.Semaphore(self._max_connections)

    def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        if os.getpid() != self._process:
            self._begin()
        if not self._slots.acquire(timeout=request.timeout.pool):
            return NotSentError(f"no connection became free within {request.timeout.pool} s")
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
        except FAILURES as error:
            return failure(error, request)
        finally:
            if not streaming:
                self._release(origin, connection)

    def _take(self, origin: Origin[httpcore.HTTPConnection]) -> httpcore.HTTPConnection:
        while origin.free:
            try:
                connection = origin.free.pop()
            except IndexError:  # another thread was faster
                break
            if not connection.has_expired():
                return connection
            connection.close()
        context = self._tls_context() if origin.value.scheme == b"https" else None
        return httpcore.HTTPConnection(origin.value, ssl_context=context, keepalive_expiry=self._keepalive_expiry)

    def _release(
        self, origin: Origin[httpcore.HTTPConnection] | None, connection: httpcore.HTTPConnection | None
    ) -> None:
        try:
            if origin is None or connection is None:
                return
            if not connection.is_available() or self._closed or has_leftovers(connection):
                connection.close()
                return
            for expired in origin.keep(connection):
                expired.close()
        finally:
            # Only after the connection is in the pool: the next caller reuses it and does not open another one.
            self._slots.release()

    def close(self) -> None:
        """Close every idle connection now, and every connection in use when its request ends."""
        self._closed = True
        for origin in self._origins.values():
            while origin.free:
                origin.free.pop().close()


def _read(answer: httpcore.Response, request: Request) -> Response:
    chunks: list[bytes] = []
    limit = Limit(request.timeout.total)
    complete = True
    try:
        for chunk in cast("Iterable[bytes]", answer.stream):
            chunks.append(chunk)
            if limit.passed:
                complete = False
                break
    except FAILURES:
        complete = False
    finally:
        answer.close()
    return response(answer, b"".join(chunks), complete=complete)


def response(answer: httpcore.Response, body: bytes, *, complete: bool) -> Response:
    """Return the response for one of httpcore, with its body decompressed."""
    if complete and body and is_compressed(answer):
        import httpx

        try:
            body = decompressed(answer, body).content
        except httpx.DecodingError:
            complete = False
    return Response(answer.status, Headers.from_raw(answer.headers), body, complete)


def is_compressed(answer: httpcore.Response) -> bool:
    """Return whether the body has a content encoding, such as gzip."""
    return any(name.lower() == b"content-encoding" for name, _ in answer.headers)


def decompressed(answer: httpcore.Response, content: Any) -> httpx.Response:
    """Return an httpx response with a body or its chunks, which httpx decodes by the headers of the response."""
    import httpx

    return httpx.Response(answer.status, headers=answer.headers, content=content)


class _Stream:
    """The unread body of a response."""

    def __init__(self, answer: httpcore.Response, request: Request, release: Callable[[], None]) -> None:
        self._answer = answer
        self._request = request
        self._release: Callable[[], None] | None = release

    def __iter__(self) -> Iterator[bytes]:
        chunks: Iterable[bytes] = self._answer.iter_stream()
        failures: tuple[type[Exception], ...] = FAILURES
        if is_compressed(self._answer):
            import httpx

            chunks, failures = decompressed(self._answer, chunks).iter_bytes(), (*FAILURES, httpx.DecodingError)
        try:
            yield from chunks
        except failures as error:
            raise failure(error, self._request) from None

    def close(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            try:
                self._answer.close()
            finally:
                release()
