"""Origins with their idle connections, and requests as a connection takes them: what both pools share."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar

import h11

from ..calls.headers import Headers
from ..errors import ConnectionLostError, NotSentError, TimeoutError, TransportError
from .http1 import Http1
from .steps import NoConnectionError, StreamTimeoutError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterable

    from ..calls.operation import Request, Timeout
    from .deadline import Deadline
    from .proxies import Proxy

MAX_CONNECTIONS: Final = 100  # httpx's default
KEEPALIVE_EXPIRY: Final = 5.0  # seconds; httpx's default
_EXPIRY_CHECK_INTERVAL: Final = 1.0  # seconds between checks for idle connections that have expired
_MAX_KNOWN_FIELDS: Final = 64  # a small list of fields for each length of a body
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# RFC 3986, section 3.2.2, without percent-encoding: a name of the DNS, an IPv4 address, or an IPv6 address in brackets.
_AUTHORITY: Final = re.compile(
    r"(?P<host>[A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]+(?:%[\w.~-]+)?\])(?::(?P<port>[0-9]{1,5}))?"
)


class Connectable(NamedTuple):
    """How to connect to a service: the TLS context, the proxy, and how long a connection may be idle, in seconds."""

    tls_context: Callable[[], ssl.SSLContext]
    proxy: Proxy | None
    keepalive_expiry: float


class Url(NamedTuple):
    """The URL of a request in the parts that respx reads."""

    scheme: bytes
    host: bytes
    port: int
    target: bytes


class WireRequest:
    """A request as a connection takes it; the attributes have httpcore's names, because respx reads them."""

    __slots__ = ("_content", "body", "deadline", "extensions", "headers", "method", "timeout", "url")

    def __init__(self, request: Request, origin: Origin[Any], target: str, deadline: Deadline) -> None:
        self.body: bytes = request.body
        self.deadline: Deadline = deadline
        self.timeout: Timeout = request.timeout
        self.method: bytes = request.method.encode("ascii")
        self.url: Url = Url(origin.scheme.encode(), origin.host.encode(), origin.port, target.encode("ascii"))
        fields = request.headers if isinstance(request.headers, Headers) else Headers(request.headers)
        self.headers: list[tuple[bytes, bytes]] = [origin.host_field, *fields.encoded()]
        if request.body or request.method != "GET":
            self.headers.append((b"Content-Length", str(len(request.body)).encode("ascii")))
        self.extensions: dict[str, Any] = {}
        self._content: Any = None

    @property
    def stream(self) -> Any:
        """The body as a stream of httpx."""
        if self._content is None:
            import httpx

            self._content = httpx.ByteStream(self.body)
        return self._content

    @stream.setter
    def stream(self, content: Any) -> None:
        self._content = content

    def serialized_by_h11(self, origin: Origin[Any]) -> h11.Request:
        """Return the request of h11.

        Raises:
            NoConnectionError: A header field is not allowed in HTTP.
        """
        target, headers = self.url.target, self.headers
        proxy = origin.connectable.proxy
        if proxy is not None and proxy.forwards(origin.scheme):
            target = b"http://" + origin.authority + target
            headers = [*headers, *proxy.credentials]
        fields = tuple(headers)
        known = origin.known_fields.get(fields)
        try:
            request = h11.Request(method=self.method, target=target, headers=known or headers)
        except h11.LocalProtocolError as error:
            raise NoConnectionError(f"the request is not valid: {str(error).partition(':')[0]}") from None
        if known is None:
            origin.add_known_fields(fields, request)
        return request


class WireResponse(NamedTuple):
    """The head of an answer, and its body, which is read from the connection."""

    status: int
    headers: Iterable[tuple[bytes, bytes]]
    stream: Any


class Closable(Protocol):
    """A stream, for threads or for an event loop."""

    def has_unread(self) -> bool:
        """Return whether bytes, or the end of the stream, were received and not read."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


StreamT = TypeVar("StreamT", bound=Closable)


class IdleConnection(Generic[StreamT]):
    """One connection to an origin, between its exchanges.

    Attributes:
        sent: Whether a byte of the current request may have been handed to the network.
    """

    def __init__(self, origin: Origin[Any]) -> None:
        self._origin = origin
        self._http = Http1()
        self._stream: StreamT | None = None
        self._expires = 0.0
        self.sent: bool = False

    def check_silence(self) -> None:
        """Check that a new connection has received nothing: it could not be the answer to a request that was not sent.

        Over TLS, the server may have sent session tickets, and nothing in clear text.

        Raises:
            NoConnectionError: Bytes, or the end of the stream, were received.
        """
        origin, proxy = self._origin, self._origin.connectable.proxy
        if origin.scheme == "https" or (proxy is not None and proxy.scheme == "https"):
            return
        if self._stream is not None and self._stream.has_unread():
            raise NoConnectionError("the connection was closed, or bytes were received, before the request was sent")

    def end_exchange(self) -> bool:
        """Prepare for the next request and return True, or close the connection and return False."""
        if self._stream is None or not self._http.start_next():
            self.close()
            return False
        self.sent = False
        self._expires = time.monotonic() + self._origin.connectable.keepalive_expiry
        return True

    def is_reusable(self) -> bool:
        """Return whether the connection is open, has not expired, and has received nothing while it was idle."""
        return not self.has_expired() and self._stream is not None and not self._stream.has_unread()

    def has_expired(self) -> bool:
        """Return whether the connection was idle for too long."""
        return time.monotonic() >= self._expires

    def close(self) -> None:
        """Close the connection."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()


ConnectionT = TypeVar("ConnectionT", bound=IdleConnection[Any])


class Origin(Generic[ConnectionT]):
    """A scheme, host and port with its idle connections, the most recently used last.

    Raises:
        NoConnectionError: The scheme is neither http nor https, or the host has characters that a host cannot have.
    """

    __slots__ = ("_checked", "authority", "connectable", "host", "host_field", "idle", "known_fields", "port", "scheme")

    def __init__(self, scheme: str, authority: str, connectable: Connectable) -> None:
        match = _AUTHORITY.fullmatch(authority)
        if scheme not in _DEFAULT_PORTS or match is None:
            raise NoConnectionError("the URL has another scheme than http and https, or its host is not valid")
        self.scheme: str = scheme
        self.host: str = match["host"].strip("[]")
        self.port: int = int(match["port"] or _DEFAULT_PORTS[scheme])
        self.authority: bytes = authority.encode("ascii")
        self.host_field: tuple[bytes, bytes] = (b"Host", self.authority)
        # The header fields of earlier requests as h11 has checked and normalised them, which takes as long as the rest of
        # a request.
        self.known_fields: dict[tuple[tuple[bytes, bytes], ...], Any] = {}
        self.connectable: Connectable = connectable
        self.idle: list[ConnectionT] = []
        self._checked = time.monotonic()

    def add_known_fields(self, fields: tuple[tuple[bytes, bytes], ...], request: h11.Request) -> None:
        """Add the header fields of a request; there are more than a few if bodies have many lengths."""
        if len(self.known_fields) >= _MAX_KNOWN_FIELDS:
            self.known_fields.clear()
        self.known_fields[fields] = request.headers

    def take(self) -> ConnectionT | None:
        """Return the most recently used connection that can be used again, or None."""
        while self.idle:
            try:
                connection = self.idle.pop()
            except IndexError:  # another thread was faster
                break
            if connection.is_reusable():
                return connection
            connection.close()
        return None

    def put_back(self, connection: ConnectionT) -> None:
        """Return a connection to the idle ones, and close those that have expired."""
        self.idle.append(connection)
        now = time.monotonic()
        if now - self._checked < _EXPIRY_CHECK_INTERVAL:
            return
        self._checked = now
        try:
            while len(self.idle) > 1 and self.idle[0].has_expired():
                self.idle.pop(0).close()
        except IndexError:  # another thread was faster
            pass

    def close(self) -> None:
        """Close the idle connections."""
        while self.idle:
            try:
                self.idle.pop().close()
            except IndexError:  # another thread was faster
                break


class Origins(dict[str, Origin[ConnectionT]]):
    """The origins, by scheme and authority of a URL."""

    def __init__(self, connectable: Connectable) -> None:
        super().__init__()
        self._connectable = connectable

    def split(self, url: str) -> tuple[Origin[ConnectionT], str]:
        """Return the origin of an absolute URL, and the request target."""
        scheme, _, authority, *rest = url.split("/", 3)
        key = f"{scheme}//{authority}"
        origin = self.get(key)
        if origin is None:
            origin = self[key] = Origin(scheme[:-1], authority, self._connectable)
        return origin, "/" + rest[0] if rest else "/"

    def close(self) -> None:
        """Close the idle connections."""
        for origin in list(self.values()):
            origin.close()


def failure(error: Exception, request: Request, *, sent: bool) -> TransportError:
    """Return what a failed attempt says about its request.

    Args:
        error: The failure.
        request: The request.
        sent: Whether a byte of the request may have been handed to the network.
    """
    origin = "/".join(request.url.split("/", 3)[:3])
    if not sent:
        return NotSentError(f"no connection to {origin}: {error}")
    if isinstance(error, StreamTimeoutError):
        return TimeoutError(f"{error} ({origin})")
    return ConnectionLostError(f"the connection to {origin} broke: {error}")
