"""The service on a socket: uvicorn in a background thread."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Literal, Self

import uvicorn

from .app import StubProtocol, build_app
from .messages import Handler

_BACKLOG = 2048  # uvicorn's default
_KEEP_ALIVE = 20  # Seconds; longer than httpx (5) and aiohttp (15), so that the client closes idle connections.
_MAX_CONNECTIONS = 2000  # Open connections; over this number, requests are answered 503.
_THREAD_TIMEOUT = 10.0  # Seconds to wait for a thread to start or to end.


class StubServer:
    """The stub on a socket, as `stub.serve()` returns it. It listens from the start, and answers inside a `with` statement.

    When the server is closed, it refuses new connections, closes idle ones, and answers the requests under way.

    Attributes:
        host: Address that the server listens on.
        base_url: Base URL for a client on the same machine.

    Args:
        handler: The handler of the requests.
        host: Address to listen on; `0.0.0.0` is every IPv4 address of the machine, `::` every address.
        port: Port to listen on; 0 chooses a free one.
        grace: Seconds that a closing server waits for requests under way; connections of longer ones are cut off.
        loop: Event loop to run on; `auto` is uvloop if that is installed.

    Raises:
        OSError: The address cannot be used, for instance because the port is taken.
    """

    def __init__(
        self,
        handler: Handler,
        host: str,
        port: int,
        *,
        grace: float = 10.0,  # as long as `docker stop` waits
        loop: Literal["auto", "asyncio", "uvloop"] = "auto",
    ) -> None:
        self._socket = _listening(host, port)
        self.host = host
        self.base_url = f"http://{_reachable(self._socket)}:{self._socket.getsockname()[1]}"
        self._grace = grace
        config = uvicorn.Config(
            build_app(handler),
            http=StubProtocol,
            ws="none",
            lifespan="off",
            loop=loop,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=_BACKLOG,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE,
        )
        self._server = _Server(config, grace)
        self._thread = threading.Thread(
            target=self._server.run, args=([self._socket],), name="project-platform-stub", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._server.ready.wait(_THREAD_TIMEOUT):
            raise RuntimeError("The stub server did not start.")
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join(self._grace + _THREAD_TIMEOUT)
        self._socket.close()


def _listening(host: str, port: int) -> socket.socket:
    if ":" not in host:
        return socket.create_server((host, port), backlog=_BACKLOG)
    both = host == "::" and socket.has_dualstack_ipv6()
    return socket.create_server((host, port), family=socket.AF_INET6, backlog=_BACKLOG, dualstack_ipv6=both)


def _reachable(listening: socket.socket) -> str:
    """Return the address for a client: loopback for a wildcard address, which is not an address to connect to."""
    address = listening.getsockname()[0]
    if address == "0.0.0.0":  # noqa: S104  # compared with, not listened on
        return "127.0.0.1"
    if address == "::":
        only = listening.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
        return "[::1]" if only else "127.0.0.1"
    return f"[{address}]" if ":" in address else address


class _Server(uvicorn.Server):
    """A server that signals when it is ready, and that limits the wait for requests under way when it stops."""

    def __init__(self, config: uvicorn.Config, grace: float) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self._grace = grace

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        timer = asyncio.get_running_loop().call_later(self._grace, self._cut_off)
        await super().shutdown(sockets)
        timer.cancel()

    def _cut_off(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()
