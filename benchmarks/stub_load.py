"""A load of 64 connections from one thread, over plain sockets, so that little of what is measured is the client."""

from __future__ import annotations

import re
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

CONNECTIONS = 64
_PATIENCE = 30.0  # Seconds without any answer after which a server counts as stuck.
_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)", re.IGNORECASE)
_CLOSE = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A whole request, the status of its answer, and what the answer's body must hold."""

    request: bytes
    expected: bytes
    status: int = 200


Ask = Callable[[int], Exchange]
"""Gives the next exchange of a connection, by the connection's number."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a load got.

    Attributes:
        seconds: How long it took.
        answers: How many answers came.
        latencies: Seconds that each took, but for the first on each connection: it waits until all are open.
    """

    seconds: float
    answers: int
    latencies: list[float]

    def percentile(self, share: float) -> float:
        """Return the milliseconds within which such a share of the answers came."""
        return sorted(self.latencies)[int(share * (len(self.latencies) - 1))] * 1e3


def request(method: str, target: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """Return the bytes of a request."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def load(address: Address, ask: Ask, seconds: float, connections: int = CONNECTIONS) -> Load:
    """Ask on every connection at once, again as soon as an answer is there, and look at each answer."""
    answers, latencies = 0, []
    with selectors.DefaultSelector() as selector:
        began = time.perf_counter()
        until = began + seconds
        for number in range(connections):
            connection = _Connection(address, number)
            connection.send(ask(number))
            selector.register(connection.socket, selectors.EVENT_READ, connection)
        while selector.get_map():
            ready = selector.select(_PATIENCE)
            if not ready:
                raise RuntimeError(f"{address[0]}:{address[1]} has not answered for {_PATIENCE:.0f} seconds.")
            for key, _ in ready:
                connection = key.data
                latency = connection.receive()
                if latency is None:
                    continue
                answers += 1
                if connection.asked > 1:
                    latencies.append(latency)
                over = time.perf_counter() >= until
                if over or connection.ended:
                    selector.unregister(connection.socket)
                    connection.socket.close()
                if over:
                    continue
                connection.send(ask(connection.number))
                if connection.ended:
                    connection.ended = False
                    selector.register(connection.socket, selectors.EVENT_READ, connection)
        return Load(time.perf_counter() - began, answers, latencies)


def once(address: Address, exchange: Exchange) -> None:
    """Make one exchange on a connection of its own; raise if the answer is not the one that is expected."""
    load(address, lambda _: exchange, seconds=0, connections=1)


class _Connection:
    """One connection, with one request under way. `asked` counts them; `ended` says that the server closes after the answer."""

    def __init__(self, address: Address, number: int) -> None:
        self.number = number
        self.ended = False
        self.asked = 0
        self._address = address
        self.socket = self._connected()

    def _connected(self) -> socket.socket:
        connected = socket.create_connection(self._address, _PATIENCE)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connected

    def send(self, exchange: Exchange) -> None:
        """Send a request; on a new connection if the server has ended the old one, which is part of what it costs."""
        self.asked += 1
        self._exchange = exchange
        self._read = b""
        self._sent = time.perf_counter()
        if self.ended:
            self.socket = self._connected()
        self.socket.sendall(exchange.request)

    def receive(self) -> float | None:
        """Read what is there; return the seconds since the request once the answer is whole and as expected."""
        data = self.socket.recv(65536)
        self._read += data
        head, blank, body = self._read.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not data or (blank and length is None):
            raise RuntimeError(f"The answer is cut off, or does not tell its length: {self._read!r}")
        if not blank or length is None or len(body) < int(length[1]):
            return None
        latency = time.perf_counter() - self._sent
        expected = self._exchange
        if int(head[9:12]) != expected.status or expected.expected not in body:
            raise RuntimeError(
                f"Expected a {expected.status} with {expected.expected!r}, got {self._read!r} for {expected.request!r}"
            )
        self.ended = _CLOSE.search(head) is not None
        return latency
