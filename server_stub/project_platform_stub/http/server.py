"""The service on a socket: uvicorn in a background thread, with access to the connection and with strict framing.

The parser refuses most requests that two servers could parse differently. `_Protocol` refuses the few that it accepts: a
transfer coding other than plain `chunked`, a missing or second `Host`, a body that follows a request for an upgrade.
uvicorn answers a refused request with a 400 and closes the connection. It limits neither the time nor the size of a
request's head, so the stub is for trusted machines only.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Literal, Self, TypeAlias

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .messages import MAX_BODY_BYTES, Handler, Request, framed, join_headers

# The names of the ASGI specification (version 3.0, "HTTP connection scope").
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_TRANSPORT = "project_platform_stub.transport"  # the ASGI extension that holds the connection
# A `struct linger` has two shorts on Windows.
_RESET = struct.pack(
    "hh" if sys.platform == "win32" else "ii", 1, 0
)  # SO_LINGER with a timeout of 0: closing drops everything and sends an RST.
_SETTLE = 0.05  # Seconds until sent data has reached a client on the same machine.
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
            _build_app(handler),
            http=_Protocol,
            ws="none",
            lifespan="off",
            loop=loop,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,  # each response has that of its world
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


def _build_app(handler: Handler) -> ASGIApp:
    """Return an application that hands every request to the handler.

    There is no ASGI router, because a router decodes paths and answers some requests itself.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        if body is None:
            return  # The client has disconnected, and an incomplete request is not handled.
        request = Request(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query=scope["query_string"],
            headers=join_headers(scope["headers"]),
            body=body,
        )
        if handler.takes_long(request):
            response = await asyncio.to_thread(handler.handle, request)
        else:  # In the event loop: a hand-over to a thread would take longer than the request.
            response = handler.handle(request)
        if response.delay and await _disconnected(receive, within=response.delay):
            return
        fields, content = framed(response, request.method)
        cut = response.cut
        if cut is None or cut.after is not None:
            await send({"type": "http.response.start", "status": response.status, "headers": fields})
            part = content if cut is None else content[: cut.after]
            await send({"type": "http.response.body", "body": part, "more_body": cut is not None})
        if cut is not None:
            # After the complete body a reset adds nothing to a close, and it could discard a part of the body.
            is_complete = cut.after is not None and cut.after >= len(content)
            await _end(scope["extensions"][_TRANSPORT], "close" if is_complete else cut.how, receive)

    return app


async def _body(receive: Receive) -> bytes | None:
    """Return the body, or None if the client disconnected before it was complete.

    A body over the limit is cut off one byte after the limit. The rest is read and dropped, so that the client can read
    the response.
    """
    message = await receive()
    body = bytearray()
    while message["type"] == "http.request":
        body += message["body"][: MAX_BODY_BYTES + 1 - len(body)]
        if not message["more_body"]:
            return bytes(body)
        message = await receive()
    return None


async def _disconnected(receive: Receive, within: float | None) -> bool:
    """Wait, and return whether the client disconnected in that time; None waits until it disconnects."""
    try:
        async with asyncio.timeout(within):
            while (await receive())["type"] != "http.disconnect":
                pass
    except TimeoutError:
        return False
    return True


async def _end(transport: asyncio.Transport, how: Literal["close", "reset"], receive: Receive) -> None:
    """End the connection with a FIN (`close`) or with a RST (`reset`), before the response is complete."""
    if how == "reset":
        # A reset discards data that is not sent yet, and on some systems data that the client has not read yet.
        is_sent = False
        while not is_sent:
            is_sent = _is_sent(transport)
            if await _disconnected(receive, within=_SETTLE):
                return
    if how == "reset" and not transport.is_closing():
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        transport.abort()
    else:
        transport.close()
    # uvicorn logs an error if an application returns without a complete response, unless the client disconnected.
    await _disconnected(receive, within=None)


def _is_sent(transport: asyncio.Transport) -> bool:
    """Return whether the operating system of the client has acknowledged all data; only Linux reports that."""
    unacknowledged = b""
    if sys.platform == "linux":
        import fcntl
        import termios

        unacknowledged = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
    return transport.get_write_buffer_size() == 0 and not any(unacknowledged)


class _Protocol(HttpToolsProtocol):
    """One HTTP connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the base class
        """Accept bytes after the last request, as newer versions of uvicorn do."""
        super().connection_made(transport)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)

    def on_message_begin(self) -> None:
        """Pass the connection to the application."""
        super().on_message_begin()
        self.scope["extensions"] = {_TRANSPORT: self.transport}  # type: ignore[dict-item]  # a server may define its own

    def on_headers_complete(self) -> None:
        """Start a request whose framing is clear."""
        self._check_framing()
        super().on_headers_complete()
        if self.parser.should_upgrade() or not self.parser.should_keep_alive():
            self.cycle.keep_alive = False  # After an upgrade the parser stops, and no other protocol is supported.
        self.headers = []  # Trailers must not be read as header fields (RFC 9110 section 6.5.1).

    def shutdown(self) -> None:
        """Close the connection, after the response to a request under way."""
        super().shutdown()
        if not getattr(self.cycle, "response_complete", True):
            # Older versions of uvicorn announce the end only to clients that have asked for it.
            self.cycle.scope["headers"] = [*self.cycle.scope["headers"], (b"connection", b"close")]

    def _check_framing(self) -> None:
        version = self.parser.get_http_version()
        names = [name for name, _ in self.headers]
        hosts = names.count(b"host")
        if version not in {"1.0", "1.1"}:
            raise ValueError(f"version {version}")
        if hosts > 1 or (hosts == 0 and version == "1.1"):  # RFC 9112 section 3.2
            raise ValueError(f"{hosts} Host fields")
        if b"transfer-encoding" in names:
            codings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
            if codings != [b"chunked"] or version == "1.0":  # RFC 9112 section 6.1
                raise ValueError("a Transfer-Encoding that is not just chunked, or not in HTTP/1.1")
        if self.parser.should_upgrade() and (b"content-length" in names or b"transfer-encoding" in names):
            raise ValueError("a body after a request for an upgrade")
