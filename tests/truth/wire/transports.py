"""The transports that a user can choose, each as a lane of trials: how the client is made, and what it connects to."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final
from unittest import mock
from urllib.parse import quote

import httpx
import httpx2

from .certificates import HOST, contexts
from .proxies import PASSWORD, USER, Proxy
from .server import Listener, Serve, Server

HOWS: Final = ("sync", "asyncio", "trio", "uvloop")
PROXIES: Final = {"http proxy": "serve_http", "https proxy": "serve_https", "socks5 proxy": "serve_socks5"}
TRANSPORTS: Final = ("default", *PROXIES, "httpx", "httpx http2", "httpx2", "httpx by name", "third party")
VARIABLES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@dataclass(frozen=True)
class Lane:
    """A transport, how it is called, and whether the service has TLS.

    Attributes:
        transport: One of `TRANSPORTS`.
        how: One of `HOWS`.
        tls: Whether the service has TLS.
    """

    transport: str
    how: str
    tls: bool

    @property
    def notices_surplus(self) -> bool:
        """Whether the promise includes surplus bytes: a client of the user's own reads them before the SDK can."""
        return self.transport == "default" or self.transport in PROXIES

    def __str__(self) -> str:
        return f"{self.transport}, {self.how}, {'TLS' if self.tls else 'plain'}"


def lanes() -> list[Lane]:
    """Return all lanes. HTTP/2 is negotiated by TLS, so it has no plain one; uvloop runs connections of the SDK itself."""
    return [
        Lane(transport, how, tls)
        for transport in TRANSPORTS
        for how in HOWS
        for tls in (False, True)
        if (tls or transport != "httpx http2") and (how != "uvloop" or transport == "default" or transport in PROXIES)
    ]


class _Misnaming:
    """What both transports of a third party have in common: every failure is a `ConnectError`.

    Args:
        repeats: Whether a request is sent twice after a failure.
        traces: Whether httpx's extension `trace` is supported.

    Attributes:
        hidden: The nonces of the requests that it has sent twice without a trace. The SDK cannot know of the first one.
    """

    def __init__(self, *, repeats: bool, traces: bool) -> None:
        super().__init__(**_options())
        self._repeats, self._traces = repeats, traces
        self.hidden: set[str] = set()

    @contextlib.contextmanager
    def _misnamed(self, request: httpx.Request) -> Iterator[None]:
        if not self._traces:
            request.extensions = {name: value for name, value in request.extensions.items() if name != "trace"}
        try:
            yield
        except httpx.TransportError as error:
            raise httpx.ConnectError(str(error), request=request) from error

    def _is_repeated(self, request: httpx.Request) -> bool:
        if self._repeats and not self._traces:
            self.hidden.add(request.headers["x-nonce"])
        return self._repeats


class Misnaming(_Misnaming, httpx.HTTPTransport):
    """A third-party transport."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._misnamed(request):
            try:
                return super().handle_request(request)
            except httpx.TransportError:
                if not self._is_repeated(request):
                    raise
                return super().handle_request(request)


class AsyncMisnaming(_Misnaming, httpx.AsyncHTTPTransport):
    """Same as `Misnaming`, but asynchronous."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        with self._misnamed(request):
            try:
                return await super().handle_async_request(request)
            except httpx.TransportError:
                if not self._is_repeated(request):
                    raise
                return await super().handle_async_request(request)


def _options() -> dict[str, Any]:
    return {"verify": contexts().client, "trust_env": False}


@dataclass
class Connection:
    """The arguments of the client of a run.

    Attributes:
        base_url: URL of the service.
        transport: The argument `transport` of the client.
        listener: The port that the client connects to first.
        environment: The variables that name a proxy.
    """

    base_url: str
    listener: Listener
    transport: Any = None
    environment: dict[str, str] = field(default_factory=dict)

    def variables(self) -> AbstractContextManager[Any]:
        """Set the variables that name a proxy in a `with` statement, and no other such variable."""
        others = {name: value for name, value in os.environ.items() if name.upper() not in VARIABLES}
        return mock.patch.dict(os.environ, {**others, **self.environment}, clear=True)

    def close(self) -> None:
        """Close the transport at the end; the client under test does not."""
        if hasattr(self.transport, "close"):
            self.transport.close()

    async def aclose(self) -> None:
        """Same as `close`, but for an asynchronous transport."""
        if hasattr(self.transport, "aclose"):
            await self.transport.aclose()


class Endpoint:
    """The ports of a lane, and the connections of its runs."""

    def __init__(self, lane: Lane, server: Server, make_transport: Callable[[], Any] | None = None) -> None:
        self._lane, self._server, self._make_transport = lane, server, make_transport
        self._serve = self._server_of_lane()
        self._listener = server.listen(self._serve)

    def connection(self, rng: random.Random, *, calm: bool) -> Connection:
        """Return what the client of a run is made with; sometimes nothing listens yet, unless it is calm."""
        listener = self._listener
        if rng.random() < 0.06 and not calm:
            listener = self._server.listen(self._serve, opened=False)
            self._server.note("connection refused")
        scheme = "https" if self._lane.tls else "http"
        if self._lane.transport not in PROXIES:
            return Connection(f"{scheme}://127.0.0.1:{listener.port}", listener, self._transport(rng))
        credentials = rng.choice(("", f"{USER}:{quote(PASSWORD)}@"))
        kind = {"http proxy": "http", "https proxy": "https", "socks5 proxy": "socks5"}[self._lane.transport]
        name = rng.choice(("ALL_PROXY", f"{scheme.upper()}_PROXY"))
        proxy = f"{kind}://{credentials}127.0.0.1:{listener.port}"
        return Connection(f"{scheme}://{HOST}", listener, environment={name: proxy})

    def release(self, connection: Connection) -> None:
        """Close the port of a run that did not use the port of the lane."""
        if connection.listener is not self._listener:
            self._server.forget(connection.listener)

    def _server_of_lane(self) -> Serve:
        server, lane = self._server, self._lane
        if lane.transport == "httpx http2":
            return server.serve_http2
        origin = server.serve_tls if lane.tls else server.serve_plain
        if lane.transport in PROXIES:
            return getattr(Proxy(server, origin), PROXIES[lane.transport])
        return origin

    def _transport(self, rng: random.Random) -> Any:
        if self._make_transport is not None:
            return self._make_transport()
        sync = self._lane.how == "sync"
        match self._lane.transport:
            case "httpx":
                return rng.choice(_HTTPX[sync])(**_options())
            case "httpx http2":
                return _HTTPX[sync][0](**_options(), http2=True)
            case "httpx2":
                return rng.choice(_HTTPX2[sync])(**_options())
            case "httpx by name":
                return "httpx"
            case "third party":
                kind = Misnaming if sync else AsyncMisnaming
                return kind(repeats=rng.random() < 0.3, traces=rng.random() < 0.6)
        return None


_HTTPX: Final[dict[bool, tuple[Any, ...]]] = {
    True: (httpx.Client, httpx.HTTPTransport),
    False: (httpx.AsyncClient, httpx.AsyncHTTPTransport),
}
_HTTPX2: Final[dict[bool, tuple[Any, ...]]] = {
    True: (httpx2.Client, httpx2.HTTPTransport),
    False: (httpx2.AsyncClient, httpx2.AsyncHTTPTransport),
}
