"""A proxy in front of a healthy service, which disturbs requests with a fixed seed: gateway errors, resets, limits."""

from __future__ import annotations

import http.client
import random
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

from ..second.service import app
from ..second.service.app import Reply
from ..second.service.rims import on_a_socket

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
        received: Number of times that each request was received.
        faults: Number of faults by name.
    """

    upstream: str
    disturb: Disturb
    seed: int
    received: Counter[Request] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self._dice = random.Random(self.seed)
        self._socket = on_a_socket(self._reply)
        self.url = self._socket.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._socket.__exit__(*error)

    def _fault(self, request: Request) -> str | None:
        with self._lock:
            self.received[request] += 1
            fault = self.disturb(request, self._dice)
            if fault is not None:
                self.faults[fault] += 1
            return fault

    def _reply(self, received: app.Request) -> Reply | None:
        token = received.headers.get("authorization", "")
        fault = self._fault(Request(received.method, received.target, received.body, token))
        if fault == "reset":
            return None
        if fault is not None and fault.startswith("4") and fault != "429":
            return Reply(int(fault), _REFUSAL, {"content-type": "application/json"})
        if fault is not None and fault.isdigit():
            return Reply(int(fault), b"<h1>Later</h1>", {"content-type": "text/html", "retry-after": "0"})
        reply = self._forward(received)
        return reply if fault is None else None

    def _forward(self, received: app.Request) -> Reply:
        with closing(http.client.HTTPConnection(urlsplit(self.upstream).netloc, timeout=30)) as upstream:
            upstream.request(received.method, received.target, received.body, received.headers)
            response = upstream.getresponse()
            content = response.read()
        headers = {name.lower(): value for name, value in response.getheaders() if name.lower() not in _HOP_BY_HOP}
        return Reply(response.status, content, headers)
