"""A server on a raw socket whose responses never end, are too large or are missing."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
AGENTS = json.dumps({"agents": [], "pagination": {"limit": 1, "offset": 0, "hasMore": False}}).encode()
MEGABYTE = b"a" * (1 << 20)

Behaviour = Callable[[socket.socket], None]


def endless_body(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"\r\n")
    while True:
        connection.sendall(MEGABYTE)


def ten_gigabytes(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Length: 10000000000\r\n\r\n")
    while True:
        connection.sendall(MEGABYTE)


def a_byte_a_second(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(1)


def a_header_byte_a_second(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"X-Slow: ")
    while True:
        connection.sendall(b"a")
        time.sleep(1)


def endless_header(connection: socket.socket) -> None:
    connection.sendall(HEAD)
    while True:
        connection.sendall(b"X-Name: " + b"a" * 1000 + b"\r\n")


def endless_interim_responses(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000)


def _bomb() -> bytes:
    """Return a gigabyte of zeros, compressed to a megabyte; each block is the same, so it takes no time."""
    compressor = zlib.compressobj(9, wbits=31)  # gzip
    first, later = (compressor.compress(bytes(1 << 20)) + compressor.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + later * 1023


BOMB = _bomb()


def gzip_bomb(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB) + BOMB)


def never_answers(connection: socket.socket) -> None:
    time.sleep(3600)


def closes_at_once(connection: socket.socket) -> None:
    connection.close()


def large_response(connection: socket.socket) -> None:
    """Send a complete response of 8 MiB, whose last member is a long word."""
    body = AGENTS.removesuffix(b"}") + b', "word": "' + MEGABYTE * 8 + b'"}'
    connection.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


@dataclass
class HostileServer:
    """Answers some requests well, and then every other with a behaviour.

    Attributes:
        behaviour: Writes to a connection whose request has been read.
        good: Number of requests that are answered well before.
        requests: Number of requests that were received.
    """

    behaviour: Behaviour
    good: int = 0
    requests: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def serve(self) -> Iterator[str]:
        """Listen in a thread, and yield the base URL."""
        with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
            threading.Thread(target=self._accept, args=[listener], daemon=True).start()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the listener is closed at the end
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=self._answer, args=[connection], daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):  # the client has closed
            while self._read_request(connection):
                with self._lock:
                    self.requests += 1
                    is_good = self.requests <= self.good
                if not is_good:
                    self.behaviour(connection)
                    return
                connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(AGENTS) + AGENTS)

    def _read_request(self, connection: socket.socket) -> bool:
        received = b""
        while b"\r\n\r\n" not in received:
            data = connection.recv(65536)
            if not data:
                return False
            received += data
        return True  # all requests are GETs
