"""The default transport of a `Client`: connections on httptools, kept in a pool that threads share.

The idle connections of an origin are on a stack, and a request uses the most recently used one. Read `send` first, then
`Connection`. The transport of an `AsyncClient` is in `async_pool.py`.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..calls.headers import Headers
from ..calls.operation import Request, Response
from ..errors import NotSentError
from . import sent_proof
from .bodies import BodyDecoder, BodyDecodingError
from .deadline import Deadline
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
from .streams import Stream, TlsStream, connect, perform

if TYPE_CHECKING:
    import ssl

    from ..calls.fate import Outcome
    from .proxies import Proxy


class Connection(IdleConnection[Stream]):
    """One connection to an origin."""

    def handle_request(self, request: WireRequest) -> WireResponse:
        """Send a request, and return its response with the body unread. respx replaces this method."""
        # A generator does not show the head that it sends, and error reporters show the locals of this frame.
        exchange = self._http.exchange(request.head(self._origin), request.body)
        if self._stream is None:
            try:
                self._stream = self._connect(request.deadline.within(request.timeout.connect))
            except OSError as error:  # such as no file descriptor for a socket, or for the file of certificates
                raise NoConnectionError(error.strerror or type(error).__name__) from error
            self.check_silence()
        request.deadline.left(0)
        self.sent = True
        head = perform(exchange, self._stream, request.deadline)
        return WireResponse(head.status, head.fields, self._chunks(self._stream, request.deadline))

    def _connect(self, deadline: Deadline) -> Stream:
        origin = self._origin
        connectable = origin.connectable
        proxy = connectable.proxy
        stream: Stream
        if proxy is None:
            stream = connect(origin.host, origin.port, deadline)
        else:
            try:
                stream = connect(proxy.host, proxy.port, deadline)
            except StreamError as error:
                proxy.name_in(error)
                raise
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
        self._begin()
        _transports.add(self)

    def _begin(self) -> None:
        self._origins: Origins[Connection] = Origins(self._connectable)
        self._leases: Leases[Connection] = Leases(self.max_connections)

    def after_fork(self) -> None:
        """Begin with an empty pool. The fork may be inside of `send`, in a signal handler: its connection is closed too."""
        origins, leases = self._origins, self._leases
        origins.close()
        leases.close()
        self._begin()

    def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        deadline = Deadline.of(request.timeout)
        lease = self._leases.new()
        streaming = False
        try:
            if not lease.has_place() and not _waited(lease, deadline.within(request.timeout.pool).end):
                return NotSentError(f"no connection became free within {request.timeout.pool} s")
            origin, target = self._origins.split(request.url)
            connection = lease.connection = origin.take() or Connection(origin)
            response = connection.handle_request(WireRequest(request, origin, target, deadline))
            headers = Headers.from_raw(response.headers)
            if request.stream and 200 <= response.status < 300:  # noqa: PLR2004  # RFC 9110, section 15.3
                streaming = True
                return Response(response.status, headers, stream=_Stream(response, headers, request, lease))
            return _read(response, headers, request)
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

    def close(self) -> None:
        """Close every idle connection now, and every connection in use when its request ends."""
        self._connectable.closed = True
        self._origins.close()


def _waited(lease: Lease[Connection], ends_at: float) -> bool:
    """Wait for a place, and return whether there was one in time."""
    woken = threading.Event()
    lease.wake = woken.set
    while not lease.has_place():
        if (left := patience(ends_at)) <= 0:
            return False
        woken.wait(left)
    return True


def _read(response: WireResponse, headers: Headers, request: Request) -> Response:
    reader = BodyReader(response.status, headers, request)
    try:
        for chunk in response.stream:
            if not reader.add(chunk):
                break
        return reader.whole()
    except StreamError as error:
        return reader.cut_off(timed_out=isinstance(error, StreamTimeoutError))


class _Stream:
    """The unread body of a response. It ends with the deadline of the attempt."""

    def __init__(self, response: WireResponse, headers: Headers, request: Request, lease: Lease[Connection]) -> None:
        self._chunks: Iterator[bytes] = iter(response.stream)
        self._headers = headers
        self._request = request
        self._lease = lease

    def __iter__(self) -> Iterator[bytes]:
        try:
            decoder = BodyDecoder(self._headers.get("content-encoding", ""))
            for chunk in self._chunks:
                yield from decoder.decode(chunk)
            decoder.finish()
        except (StreamError, BodyDecodingError) as error:
            raise failure(error, self._request, sent=True) from None

    def close(self) -> None:
        self._lease.release()
