"""Where requests go, and the connections there that are free: what `connections.py` and its asynchronous twin share."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final, Generic, Self, TypeVar

import httpcore

from ..calls.operation import Request

MAX_CONNECTIONS: Final = 100  # httpx's default
KEEPALIVE_EXPIRY: Final = 5.0  # seconds; httpx's default
_LOOK_EVERY: Final = 1.0  # seconds between looks for idle connections that have expired
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

FAILURES: Final = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)
"""What httpcore raises for what the network does."""


class _Body:
    """The body of a request, for once: in one piece, or in none, where httpcore makes a piece of nothing as well.

    It is no generator, since one that is left before its end is a warning under trio.
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
    """A scheme, host and port that requests go to, and the connections to it that are free, the warmest last."""

    __slots__ = ("_looked", "free", "host", "name", "value")

    def __init__(self, scheme: str, netloc: str) -> None:
        if scheme not in _DEFAULT_PORTS:
            raise httpcore.UnsupportedProtocol(f"{scheme}: is neither http: nor https:")
        name, port = _host_and_port(netloc)
        try:
            # The resolver encodes it so, and refuses what is no host with an error of another kind.
            name.encode("idna")
        except UnicodeError as error:
            raise httpcore.ConnectError(f"no host can be called that: {error}") from None
        self.name: str = name
        self.host: bytes = netloc.encode("ascii")
        port = port or _DEFAULT_PORTS[scheme]
        self.value: httpcore.Origin = httpcore.Origin(scheme.encode("ascii"), name.encode("ascii"), port)
        self.free: list[ConnectionT] = []
        self._looked = time.monotonic()

    def request(self, request: Request, target: str) -> httpcore.Request:
        """Return a request as httpcore sends it."""
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
        """Put a connection back, and return those to close because they have been idle for too long."""
        self.free.append(connection)
        now = time.monotonic()
        # To look at one asks its socket; while warmer ones are in use, the coldest are the first to expire.
        if now - self._looked < _LOOK_EVERY:
            return []
        self._looked = now
        expired: list[ConnectionT] = []
        try:
            while len(self.free) > 1 and self.free[0].has_expired():
                expired.append(self.free.pop(0))
        except IndexError:  # another thread was faster
            pass
        return expired


def has_leftovers(connection: httpcore.HTTPConnection | httpcore.AsyncHTTPConnection) -> bool:
    """Return whether more came than the answer that was asked for: a body where none may be, or an answer too many.

    On a connection that is used again, it would be read as the answer to the next request.
    """
    # httpcore looks at the socket of an idle connection, and not at what it has already read from it.
    state = getattr(getattr(connection, "_connection", None), "_h11_state", None)
    return state is not None and bool(state.trailing_data[0])


def _host_and_port(netloc: str) -> tuple[str, int | None]:
    host, _, port = netloc.rpartition(":")
    if host and port.isdigit():
        return host.strip("[]"), int(port)
    return netloc.strip("[]"), None


class Origins(dict[str, Origin[ConnectionT]]):
    """The origins by the part of a URL that names them."""

    def split(self, url: str) -> tuple[Origin[ConnectionT], str]:
        """Return the origin of an absolute URL, and the target that its server is asked for."""
        scheme, _, netloc, *rest = url.split("/", 3)
        key = f"{scheme}//{netloc}"
        origin = self.get(key)
        if origin is None:
            origin = self[key] = Origin(scheme[:-1], netloc)
        return origin, "/" + rest[0] if rest else "/"
