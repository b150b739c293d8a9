"""The default transport of a `Client`: connections on httptools, kept in a pool that threads share.

The idle connections of an origin are on a stack, and a request uses the most recently used one. Read `send` first, then
`Connection`. The transport of an `AsyncClient` is in `async_pool.py`.
"""

from __future__ import annotations

import functools
import os
import queue
import time
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..calls.headers import Headers
from ..calls.operation import Request, Response
from ..errors import NotSentError
from . import sent_proof
from .bodies import Body, BodyDecoder, BodyDecodingError, BodyTooLargeError
from .deadline import Deadline
from .origins import (
    KEEPALIVE_EXPIRY,
    MAX_CONNECTIONS,
    Connectable,
    IdleConnection,
    Origin,
    Origins,
    WireRequest,
    WireResponse,
    failure,
)
from .steps import StreamError, StreamTimeoutError
from .streams import Stream, TlsStream, connect, perform

if TYPE_CHECKING:
    import ssl

    from ..calls.fate import Outcome
    from .proxies import Proxy


class Connection(IdleConnection[Stream]):
    """One connection to an origin."""

    def handle_request(self, request: WireRequest) -> WireResponse:
        """Send a request, and return its answer with the body unread. respx replaces this method."""
        # A generator does not show the head that it sends, and error reporters show the locals of this frame.
        exchange = self._http.exchange(request.head(self._origin), request.body)
        if self._stream is None:
            self._stream = self._connect(request.deadline.within(request.timeout.connect))
            self.check_silence()
        request.deadline.left(0)
        self.sent = True
        head = perform(exchange, self._stream, request.deadline)
        return WireResponse(head.status, head.fields, self._chunks(self._stream, request.deadline))

    def _connect(self, deadline: Deadline) -> Stream:
        origin = self._origin
        _, proxy, _ = connectable = origin.connectable
        stream: Stream
        if proxy is None:
            stream = connect(origin.host, origin.port, deadline)
        else:
            stream = connect(proxy.host, proxy.port, deadline)
        try:
            if proxy is not None:
                if proxy.scheme == "https":
                    stream = TlsStream(stream, connectable.tls_context(), proxy.host, deadline)
                if not proxy.forwards(origin.scheme):
                    perform(proxy.tunnel(origin.host, origin.port), stream, deadline)
            if origin.scheme == "https":
                stream = TlsStream(stream, connectable.tls_context(), origin.host, deadline)
        except BaseException:
            stream.close()
            raise
        return stream

    def _chunks(self, stream: Stream, deadline: Deadline) -> Iterator[bytes]:
        http = self._http
        while True:
            chunk = http.received_chunk()
            if chunk == b"":
                chunk = perform(http.next_chunk(), stream, deadline)
            if chunk is None:
                return
            yield chunk


_transports: weakref.WeakSet[ConnectionTransport] = weakref.WeakSet()


def _after_fork() -> None:
    """Separate a forked process from its parent. Called before any other code runs in the child, which has one thread."""
    for transport in list(_transports):
        transport.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class ConnectionTransport:
    """Sends requests over a connection pool that threads may share. A forked process opens new connections.

    Args:
        tls_context: Returns the TLS context; called for each new https connection.
        proxy: The proxy to connect through.
        max_connections: Maximum number of connections in use; a request waits for one up to its pool timeout.
        keepalive_expiry: Seconds after which an idle connection is not reused.
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
        self._closed = False
        self._begin()
        _transports.add(self)

    def _begin(self) -> None:
        self._origins: Origins[Connection] = Origins(self._connectable)
        # A queue instead of a semaphore, because it is written in C.
        self._slots: queue.SimpleQueue[None] = queue.SimpleQueue()
        for _ in range(self.max_connections):
            self._slots.put(None)
        self._in_use: set[Connection] = set()

    def after_fork(self) -> None:
        """Begin with an empty pool. The fork may be inside of `send`, in a signal handler: its connection is closed too."""
        origins, in_use = self._origins, self._in_use
        origins.close()
        for connection in in_use:
            connection.close()
        self._begin()

    def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        deadline = Deadline.of(request.timeout)
        slots, in_use = self._slots, self._in_use
        if not _acquired(slots, request, deadline):
            return NotSentError(f"no connection became free within {request.timeout.pool} s")
        origin = connection = None
        streaming = False
        try:
            origin, target = self._origins.split(request.url)
            connection = origin.take() or Connection(origin)
            in_use.add(connection)
            answer = connection.handle_request(WireRequest(request, origin, target, deadline))
            headers = Headers.from_raw(answer.headers)
            if request.stream and 200 <= answer.status < 300:  # noqa: PLR2004  # RFC 9110, section 15.3
                streaming = True
                release = functools.partial(self._release, slots, in_use, origin, connection)
                return Response(answer.status, headers, stream=_Stream(answer, headers, request, release))
            return _read(answer, headers, request)
        except StreamError as error:
            return failure(error, request, sent=connection is not None and connection.sent)
        except Exception as error:
            if sent_proof.httpx_of(error) is None:
                raise
            # A mock of respx raises it in the place of the connection, which has sent nothing.
            return sent_proof.failure(error, request, not_sent=not sent_proof.is_after_sending(error))
        finally:
            if not streaming:
                self._release(slots, in_use, origin, connection)

    def _release(
        self,
        slots: queue.SimpleQueue[None],
        in_use: set[Connection],
        origin: Origin[Connection] | None,
        connection: Connection | None,
    ) -> None:
        try:
            if origin is None or connection is None:
                return
            in_use.discard(connection)
            if not connection.end_exchange():
                return
            if self._closed:
                connection.close()
            else:
                origin.put_back(connection)
        finally:
            # Only after the connection is in the pool: the next caller reuses it and does not open another one.
            slots.put(None)

    def close(self) -> None:
        """Close every idle connection now, and every connection in use when its request ends."""
        self._closed = True
        self._origins.close()


def _acquired(slots: queue.SimpleQueue[None], request: Request, deadline: Deadline) -> bool:
    try:
        slots.get_nowait()
    except queue.Empty:
        try:
            slots.get(timeout=max(0.0, min(request.timeout.pool, deadline.end - time.monotonic())))
        except queue.Empty:
            return False
    return True


def _read(answer: WireResponse, headers: Headers, request: Request) -> Response:
    try:
        body = Body(headers.get("content-encoding", ""), request.limit(answer.status))
    except BodyDecodingError:
        return Response(answer.status, headers, complete=False)
    try:
        for chunk in answer.stream:
            body.add(chunk)
        return Response(answer.status, headers, body.finish())
    except BodyTooLargeError:
        return Response(answer.status, headers, body.partial(), complete=False, too_large=True)
    except (StreamError, BodyDecodingError) as error:
        late = isinstance(error, StreamTimeoutError)
        return Response(answer.status, headers, body.partial(), complete=False, timed_out=late)


class _Stream:
    """The unread body of a response. It ends with the deadline of the attempt."""

    def __init__(self, answer: WireResponse, headers: Headers, request: Request, release: Callable[[], None]) -> None:
        self._chunks: Iterator[bytes] = iter(answer.stream)
        self._headers = headers
        self._request = request
        self._release: Callable[[], None] | None = release

    def __iter__(self) -> Iterator[bytes]:
        try:
            decoder = BodyDecoder(self._headers.get("content-encoding", ""))
            for chunk in self._chunks:
                yield from decoder.decode(chunk)
            decoder.finish()
        except (StreamError, BodyDecodingError) as error:
            raise failure(error, self._request, sent=True) from None

    def close(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()
