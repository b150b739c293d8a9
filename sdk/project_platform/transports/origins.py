"""The parts that both pools share: origins with their idle connections, and requests as a connection takes them."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeVar

from ..calls.headers import Headers, lines_of
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
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# RFC 3986, section 3.2.2, without percent-encoding: a name of the DNS, an IPv4 address, or an IPv6 address in brackets.
_AUTHORITY: Final = re.compile(
    r"(?P<host>[A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]+(?:%[\w.~-]+)?\])(?::(?P<port>[0-9]{1,5}))?", re.ASCII
)
# RFC 9110, section 5.6.2, and RFC 9112, section 3.2: neither has a space or a line end.
_REQUEST: Final = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+")
_INVALID_TARGET: Final = "the request is not valid: its method or target has characters that are not allowed in HTTP"


class Connectable:
    """The way to connect to a service: the TLS context, the proxy, and the seconds that a connection may be idle.

    `closed` says that the transport was closed, so that no connection is kept any more.
    """

    def __init__(self, tls_context: Callable[[], ssl.SSLContext], proxy: Proxy | None, keepalive_expiry: float) -> None:
        self.tls_context: Callable[[], ssl.SSLContext] = tls_context
        self.proxy: Proxy | None = proxy
        self.keepalive_expiry: float = keepalive_expiry
        self.closed: bool = False


class Url(NamedTuple):
    """The URL of a request in the parts that respx reads."""

    scheme: bytes
    host: bytes
    port: int
    target: bytes


class WireRequest:
    """A request as a connection takes it; the attributes have httpcore's names, because respx reads them."""

    __slots__ = ("_content", "_fields", "_own_fields", "body", "deadline", "extensions", "method", "timeout", "url")

    def __init__(self, request: Request, origin: Origin[Any], target: str, deadline: Deadline) -> None:
        self.body: bytes = request.body
        self.deadline: Deadline = deadline
        self.timeout: Timeout = request.timeout
        try:
            self.method: bytes = request.method.encode("ascii")
            self.url: Url = Url(origin.scheme.encode(), origin.host.encode(), origin.port, target.encode("ascii"))
        except UnicodeEncodeError:
            raise NoConnectionError(_INVALID_TARGET) from None
        self._fields = request.headers if isinstance(request.headers, Headers) else Headers(request.headers)
        self._own_fields = [origin.host_field]
        if request.body or request.method != "GET":
            self._own_fields.append((b"Content-Length", b"%d" % len(request.body)))
        self.extensions: dict[str, Any] = {}
        self._content: Any = None

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        """The header fields."""
        return [*self._own_fields, *self._fields.encoded()]

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

    def head(self, origin: Origin[Any]) -> memoryview:
        """Return the bytes of the request before its body; a memoryview does not show the token in a traceback.

        Raises:
            NoConnectionError: The method, the target or a header field is not allowed in HTTP.
        """
        target, own_fields = self.url.target, self._own_fields
        proxy = origin.connectable.proxy
        if proxy is not None and proxy.forwards(origin.scheme):
            target = b"http://" + origin.authority + target
            own_fields = [*own_fields, *proxy.credentials]
        start = b"%b %b" % (self.method, target)
        if _REQUEST.fullmatch(start) is None:
            raise NoConnectionError(_INVALID_TARGET)
        if (lines := self._fields.lines()) is None:
            raise NoConnectionError("the request is not valid: a header field is not allowed in HTTP")
        return memoryview(b"%b HTTP/1.1\r\n%b%b\r\n" % (start, lines_of(own_fields), lines))


class WireResponse(NamedTuple):
    """The head of a response, and its body, which is read from the connection."""

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
        """Check that a new connection has received nothing: it could not be the response to a request that was not sent.

        Over TLS, the server may have sent session tickets, and nothing in clear text.

        Raises:
            NoConnectionError: Bytes, or the end of the stream, were received.
        """
        origin, proxy = self._origin, self._origin.connectable.proxy
        if origin.scheme == "https" or (proxy is not None and proxy.scheme == "https"):
            return
        if self._stream is not None and self._stream.has_unread():
            raise NoConnectionError("the connection was closed, or bytes were received, before the request was sent")

    def end_exchange(self) -> None:
        """Return to the idle connections of the origin, or close the connection if it cannot carry another request."""
        if self._stream is None or not self._http.start_next():
            self.close()
            return
        self.sent = False
        self._expires = time.monotonic() + self._origin.connectable.keepalive_expiry
        self._origin.put_back(self)

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

    __slots__ = ("_checked", "authority", "connectable", "host", "host_field", "idle", "port", "scheme")

    def __init__(self, scheme: str, authority: str, connectable: Connectable) -> None:
        match = _AUTHORITY.fullmatch(authority)
        if scheme not in _DEFAULT_PORTS or match is None:
            raise NoConnectionError("the URL has another scheme than http and https, or its host is not valid")
        self.scheme: str = scheme
        self.host: str = match["host"].strip("[]")
        self.port: int = int(match["port"] or _DEFAULT_PORTS[scheme])
        self.authority: bytes = authority.encode("ascii")
        self.host_field: tuple[bytes, bytes] = (b"Host", self.authority)
        self.connectable: Connectable = connectable
        self.idle: list[ConnectionT] = []
        self._checked = time.monotonic()

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
        """Add a connection to the idle ones, and close those that have expired; all of them if the transport is closed."""
        self.idle.append(connection)
        if self.connectable.closed:
            self.close()
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
            # In one step: of threads that send the first requests at once, one would close the connections of its origin only.
            origin = self.setdefault(key, Origin(scheme[:-1], authority, self._connectable))
        return origin, "/" + rest[0] if rest else "/"

    def close(self) -> None:
        """Close the idle connections."""
        for origin in list(self.values()):
            origin.close()


def failure(error: Exception, request: Request, *, sent: bool) -> TransportError:
    """Return the error of a failed attempt, which says whether its request was sent.

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
