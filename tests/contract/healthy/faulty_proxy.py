"""A proxy in front of a healthy service, which disturbs requests with a fixed seed: gateway errors, resets, limits."""

from __future__ import annotations

import http.client
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Self
from urllib.parse import urlsplit

_HOP_BY_HOP = frozenset({"connection", "transfer-encoding", "content-length", "server", "date"})
_REFUSAL = b'{"message": "No."}'


@dataclass(frozen=True)
class Request:
    """A request that the proxy received."""

    method: str
    path: str
    body: bytes
    token: str


Disturb = Callable[[Request, random.Random], str | None]
"""Returns a fault (a status, `reset` before or `reset after` the service has answered), or None to pass the request on."""


def gateway(share: float, *, status: int = 503) -> Disturb:
    """Answer a share of the requests with an error in HTML; a 429 has a `Retry-After` of zero seconds."""
    return lambda request, dice: str(status) if dice.random() < share else None


def resets(share: float) -> Disturb:
    """Reset the connection of a share of the requests, half of them after the service has applied the request."""
    return lambda request, dice: dice.choice(["reset", "reset after"]) if dice.random() < share else None


def either(first: Disturb, second: Disturb) -> Disturb:
    """Disturb a request in the first way, or else in the second."""
    return lambda request, dice: first(request, dice) or second(request, dice)


def expiring(after: int) -> Disturb:
    """Refuse each token with 401 after a number of requests."""
    used: Counter[str] = Counter()

    def disturb(request: Request, dice: random.Random) -> str | None:
        used[request.token] += 1
        return "401" if used[request.token] > after else None

    return disturb


@dataclass
class FaultyProxy:
    """An HTTP proxy with planned faults.

    Attributes:
        upstream: Base URL of the service.
        disturb: Decides about each request.
        seed: Seed of the decisions.
        alter: Returns the body to send instead of a JSON body of the service.
        received: Number of times that each request was received.
        faults: Number of faults by name.
    """

    upstream: str
    disturb: Disturb
    seed: int
    alter: Callable[[bytes], bytes] = lambda body: body
    received: Counter[Request] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def __enter__(self) -> Self:
        self._dice = random.Random(self.seed)
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Base URL of the proxy."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def fault(self, request: Request) -> str | None:
        """Return the fault of a request."""
        with self._lock:
            self.received[request] += 1
            fault = self.disturb(request, self._dice)
            if fault is not None:
                self.faults[fault] += 1
            return fault

    def forward(self, request: Request, headers: dict[str, str]) -> tuple[int, list[tuple[str, str]], bytes]:
        """Send a request to the service, and return status, headers and body of the response."""
        target = urlsplit(self.upstream)
        assert target.hostname
        upstream = http.client.HTTPConnection(target.hostname, target.port, timeout=30)
        upstream.request(request.method, request.path, request.body, headers)
        response = upstream.getresponse()
        content = response.read()
        upstream.close()
        if response.getheader("Content-Type") == "application/json":
            content = self.alter(content)
        return response.status, response.getheaders(), content


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    proxy: FaultyProxy

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients whose connection was reset."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version: ClassVar[str] = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each response waits for a delayed acknowledgement
    server: _Server

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self.command, self.path, body, self.headers.get("Authorization") or "")
        fault = self.server.proxy.fault(request)
        if fault == "reset":
            self._reset()
        elif fault is not None and fault.startswith("4") and fault != "429":
            self._send(int(fault), [("Content-Type", "application/json")], _REFUSAL)
        elif fault is not None and fault.isdigit():
            self._send(int(fault), [("Content-Type", "text/html"), ("Retry-After", "0")], b"<h1>Later</h1>")
        else:
            response = self.server.proxy.forward(request, dict(self.headers))
            if fault is None:
                self._send(*response)
            else:
                self._reset()

    do_GET = do_POST = do_PUT = do_PATCH = _respond  # noqa: N815  # names of http.server

    def _send(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _reset(self) -> None:
        # Closing with a linger time of zero sends RST instead of FIN.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""
