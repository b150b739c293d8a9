"""Load from 64 connections in one thread, over plain sockets, so that the client adds little to the measured values."""

from __future__ import annotations

import re
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

CONNECTIONS = 64
_TIMEOUT = 30.0  # Seconds without any response after which a server counts as stuck.
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_CLOSE = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A complete request, the expected status, and bytes that the body of the response must contain."""

    request: bytes
    expected: bytes
    status: int = 200


NextExchange = Callable[[int], Exchange]
"""Returns the next exchange of a connection, by the connection's number."""


@dataclass(frozen=True, slots=True)
class Load:
    """The result of a load.

    Attributes:
        seconds: Its duration.
        responses: The number of responses.
        latencies: Seconds per response, without the first on each connection, which waits until all are open.
    """

    seconds: float
    responses: int
    latencies: list[float]

    def percentile(self, share: float) -> float:
        """Return the milliseconds within which `share` of the responses arrived."""
        return sorted(self.latencies)[int(share * (len(self.latencies) - 1))] * 1e3


def request(method: str, target: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """Return the bytes of an HTTP request."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def load(address: Address, exchanges: NextExchange, seconds: float, connections: int = CONNECTIONS) -> Load:
    """Send on every connection, the next request as soon as the response has arrived, and check each response."""
    responses, latencies = 0, []
    with selectors.DefaultSelector() as selector:
        began = time.perf_counter()
        until = began + seconds
        for number in range(connections):
            connection = _Connection(address, number)
            connection.send(exchanges(number))
            selector.register(connection.socket, selectors.EVENT_READ, connection)
        while selector.get_map():
            ready = selector.select(_TIMEOUT)
            if not ready:
                raise RuntimeError(f"{address[0]}:{address[1]} has not responded for {_TIMEOUT:.0f} seconds.")
            for key, _ in ready:
                connection = key.data
                latency = connection.receive()
                if latency is None:
                    continue
                responses += 1
                if connection.sent > 1:
                    latencies.append(latency)
                over = time.perf_counter() >= until
                if over or connection.ended:
                    selector.unregister(connection.socket)
                    connection.socket.close()
                if over:
                    continue
                connection.send(exchanges(connection.number))
                if connection.ended:
                    connection.ended = False
                    selector.register(connection.socket, selectors.EVENT_READ, connection)
        return Load(time.perf_counter() - began, responses, latencies)


def once(address: Address, exchange: Exchange) -> None:
    """Make one exchange on a new connection; raise if the response is not the expected one."""
    load(address, lambda _: exchange, seconds=0, connections=1)


class _Connection:
    """A connection with one request in progress.

    `sent` is the number of requests; `ended` is true if the server closes the connection after the current response.
    """

    def __init__(self, address: Address, number: int) -> None:
        self.number = number
        self.ended = False
        self.sent = 0
        self._address = address
        self.socket = self._connected()

    def _connected(self) -> socket.socket:
        connected = socket.create_connection(self._address, _TIMEOUT)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connected

    def send(self, exchange: Exchange) -> None:
        """Send a request; reconnect if the server has closed the connection, which counts towards its cost."""
        self.sent += 1
        self._exchange = exchange
        self._read = b""
        self._sent_at = time.perf_counter()
        if self.ended:
            self.socket = self._connected()
        self.socket.sendall(exchange.request)

    def receive(self) -> float | None:
        """Read available data; return the seconds since the request once the response is complete and as expected."""
        data = self.socket.recv(65536)
        self._read += data
        head, blank, body = self._read.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not data or (blank and length is None):
            raise RuntimeError(f"The response is truncated, or has no Content-Length: {self._read!r}")
        if not blank or length is None or len(body) < int(length[1]):
            return None
        latency = time.perf_counter() - self._sent_at
        expected = self._exchange
        if int(head[9:12]) != expected.status or expected.expected not in body:
            raise RuntimeError(
                f"Expected a {expected.status} with {expected.expected!r}, got {self._read!r} for {expected.request!r}"
            )
        self.ended = _CLOSE.search(head) is not None
        return latency
