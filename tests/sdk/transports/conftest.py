"""The transports of the SDK over real sockets, each under its event loops."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from project_platform.transports.async_pool import AsyncConnectionTransport
from project_platform.transports.pool import ConnectionTransport
from project_platform.transports.tls import tls_context

from ...truth.wire.certificates import Certificates
from .carrier import Carrier
from .server import Line, Server, serve_ok

KINDS: dict[str, Any] = {
    "sync": ConnectionTransport,
    "asyncio": AsyncConnectionTransport,
    "uvloop": AsyncConnectionTransport,
    "trio": AsyncConnectionTransport,
}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    """The transport and its event loop."""
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    return request.param


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    with ExitStack() as stack:

        def serve(script: Callable[[Line], None] = serve_ok, **options: Any) -> Server:
            server = Server(script, **options)
            stack.callback(server.stop)
            return server

        yield serve


@pytest.fixture
def make(kind: str) -> Iterator[Callable[..., Carrier]]:
    with ExitStack() as stack:
        portal = None
        if kind != "sync":
            options = {"use_uvloop": True} if kind == "uvloop" else {}
            backend = "trio" if kind == "trio" else "asyncio"
            portal = stack.enter_context(start_blocking_portal(backend, options))

        def make(tls: ssl.SSLContext | None = None, **options: Any) -> Carrier:
            transport: Any = KINDS[kind](lambda: tls or tls_context(verify=True), **options)
            carrier = Carrier(transport, portal)
            stack.callback(carrier.close)
            return carrier

        yield make


@pytest.fixture
def carrier(make: Callable[..., Carrier]) -> Carrier:
    return make()


@pytest.fixture(scope="module")
def certificates() -> Certificates:
    """A certificate authority for the tests of a module."""
    return Certificates()
