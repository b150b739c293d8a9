"""A server on a raw socket whose responses never end, are too large or are missing."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
AGENTS = json.dumps({"agents": [], "pagination": {"limit": 1, "offset": 0, "hasMore": False}}).encode()
MEGABYTE = b"a" * (1 << 20)

Behaviour = Callable[[Callable[[bytes], object]], None]
"""Writes to a connection whose request has been read; the connection is closed afterwards."""


def endless(start: bytes, part: bytes, pause: float = 0.0) -> Behaviour:
    """Write a beginning, and then the same part again and again."""

    def behaviour(write: Callable[[bytes], object]) -> None:
        write(start)
        while True:
            write(part)
            time.sleep(pause)

    return behaviour


def once(response: bytes) -> Behaviour:
    return lambda write: write(response)


def _bomb() -> bytes:
    """Return a gigabyte of zeros, compressed to a megabyte; each block is the same, so it takes no time."""
    compressor = zlib.compressobj(9, wbits=31)  # gzip
    first, later = (compressor.compress(bytes(1 << 20)) + compressor.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + later * 1023


def _response(body: bytes, more: bytes = b"") -> bytes:
    return HEAD + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


endless_body = endless(HEAD + b"\r\n", MEGABYTE)
ten_gigabytes = endless(HEAD + b"Content-Length: 10000000000\r\n\r\n", MEGABYTE)
a_byte_a_second = endless(HEAD + b"Content-Length: 1000\r\n\r\n", b" ", 1.0)
a_header_byte_a_second = endless(HEAD + b"X-Slow: ", b"a", 1.0)
endless_header = endless(HEAD, b"X-Name: " + b"a" * 1000 + b"\r\n")
endless_interim_responses = endless(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000)
never_answers = endless(b"", b"", 3600.0)
closes_at_once = once(b"")
gzip_bomb = once(_response(_bomb(), b"Content-Encoding: gzip\r\n"))
# Complete, with 8 MiB, and its last member is a long word.
large_response = once(
    _response(AGENTS.removesuffix(b"}") + b', "word": "' + MEGABYTE * 8 + b'"}', b"Connection: close\r\n")
)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64


@dataclass
class HostileServer:
    """Answers some requests well, and then every other with a behaviour.

    Attributes:
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
        hostile = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError):  # the client has closed
                    hostile.respond(self.rfile, self.wfile.write)

        with _Server(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
            yield f"http://127.0.0.1:{server.server_address[1]}"
            server.shutdown()

    def respond(self, requests: BinaryIO, write: Callable[[bytes], object]) -> None:
        """Respond to the requests of a connection, which are GETs."""
        while requests.readline():
            while requests.readline().strip():
                continue
            with self._lock:
                self.requests += 1
                is_good = self.requests <= self.good
            if not is_good:
                self.behaviour(write)
                return
            write(_response(AGENTS))
