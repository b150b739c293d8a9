"""Origins and their idle connections: the part that `connections.py` and `async_connections.py` share."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final, Generic, Self, TypeVar

import httpcore

from ..calls.operation import Request

MAX_CONNECTIONS: Final = 100  # httpx's default
KEEPALIVE_EXPIRY: Final = 5.0  # seconds; httpx's default
_EXPIRY_CHECK_INTERVAL: Final = 1.0  # seconds between checks for idle connections that have expired
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

FAILURES: Final = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)
"""The exceptions of httpcore for failures of the network."""


class _Body:
    """The body of a request as an iterator of one piece, or of none if it is empty.

    It is not a generator: trio warns about generators that are not exhausted.
    """

    __slots__ = ("_pieces",)

    def __init__(self, content: bytes) -> None:
        self._pieces = [content] if content else []

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if not self._pieces:
            raise StopAsyncIteration
        return self._pieces.pop()


ConnectionT = TypeVar("ConnectionT", bound=httpcore.HTTPConnection | httpcore.AsyncHTTPConnection)


class Origin(Generic[ConnectionT]):
    """A scheme, host and port with its idle connections, the most recently used last."""

    __slots__ = ("_checked", "free", "host", "name", "value")

    def __init__(self, scheme: str, netloc: str) -> None:
        if scheme not in _DEFAULT_PORTS:
            raise httpcore.UnsupportedProtocol(f"{scheme}: is neither http: nor https:")
        name, port = _host_and_port(netloc)
        try:
            # The resolver encodes the name in this way, and raises an error of another type if that fails.
            name.encode("idna")
        except UnicodeError as error:
            raise httpcore.ConnectError(f"the host name is invalid: {error}") from None
        self.name: str = name
        self.host: bytes = netloc.encode("ascii")
        port = port or _DEFAULT_PORTS[scheme]
        self.value: httpcore.Origin = httpcore.Origin(scheme.encode("ascii"), name.encode("ascii"), port)
        self.free: list[ConnectionT] = []
        self._checked = time.monotonic()

    def request(self, request: Request, target: str) -> httpcore.Request:
        """Return the request of httpcore for a request."""
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
            content=_Body(request.body),
            extensions={"timeout": {"connect": limits.connect, "read": limits.read, "write": limits.write}},
        )

    def keep(self, connection: ConnectionT) -> list[ConnectionT]:
        """Return a connection to the pool, and return the connections to close because they have expired."""
        self.free.append(connection)
        now = time.monotonic()
        # Checking a connection polls its socket, so only the least recently used ones are checked.
        if now - self._checked < _EXPIRY_CHECK_INTERVAL:
            return []
        self._checked = now
        expired: list[ConnectionT] = []
        try:
            while len(self.free) > 1 and self.free[0].has_expired():
                expired.append(self.free.pop(0))
        except IndexError:  # another thread was faster
            pass
        return expired


def has_leftovers(connection: httpcore.HTTPConnection | httpcore.AsyncHTTPConnection) -> bool:
    """Return whether the server sent bytes after the answer, such as a body that is not allowed or a second answer.

    If the connection were used again, they would be read as the answer to the next request.
    """
    # httpcore checks the socket of an idle connection, but not the bytes that it has already read from it.
    state = getattr(getattr(connection, "_connection", None), "_h11_state", None)
    return state is not None and bool(state.trailing_data[0])


def _host_and_port(netloc: str) -> tuple[str, int | None]:
    host, _, port = netloc.rpartition(":")
    if host and port.isdigit():
        return host.strip("[]"), int(port)
    return netloc.strip("[]"), None


class Origins(dict[str, Origin[ConnectionT]]):
    """The origins, by scheme and authority of a URL."""

    def split(self, url: str) -> tuple[Origin[ConnectionT], str]:
        """Return the origin of an absolute URL, and the request target."""
        scheme, _, netloc, *rest = url.split("/", 3)
        key = f"{scheme}//{netloc}"
        origin = self.get(key)
        if origin is None:
            origin = self[key] = Origin(scheme[:-1], netloc)
        return origin, "/" + rest[0] if rest else "/"
