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

from ..second.service.app import Reply, Request
from ..second.service.rims import on_a_socket

_HOP_BY_HOP = frozenset({"connection", "transfer-encoding", "content-length", "server", "date"})
_REFUSAL = b'{"message": "No."}'


Disturb = Callable[[Request, random.Random], str | None]
"""Returns a fault (a status, `reset` before or `reset after` the service has answered), or None to pass the request on."""


def expiring(after: int) -> Disturb:
    """Refuse each token with 401 after a number of requests."""
    used: Counter[str] = Counter()

    def disturb(request: Request, dice: random.Random) -> str | None:
        token = request.headers.get("authorization", "")
        used[token] += 1
        return "401" if used[token] > after else None

    return disturb


@dataclass
class FaultyProxy:
    """An HTTP proxy with planned faults.

    Attributes:
        upstream: Base URL of the service.
        disturb: Decides about each request.
        seed: Seed of the decisions.
        received: Number of times that each request was received, by method, path, token and body.
        faults: Number of faults by name.
    """

    upstream: str
    disturb: Disturb
    seed: int
    received: Counter[tuple[str, str, str, bytes]] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self._dice = random.Random(self.seed)
        self._socket = on_a_socket(self._reply)
        self.url = self._socket.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._socket.__exit__(*error)

    def _reply(self, request: Request) -> Reply | None:
        token = request.headers.get("authorization", "")
        with self._lock:
            self.received[request.method, request.target, token, request.body] += 1
            fault = self.disturb(request, self._dice)
            if fault is not None:
                self.faults[fault] += 1
        if fault == "reset":
            return None
        if fault is not None and fault.startswith("4") and fault != "429":
            return Reply(int(fault), _REFUSAL, {"content-type": "application/json"})
        if fault is not None and fault.isdigit():
            return Reply(int(fault), b"<h1>Later</h1>", {"content-type": "text/html", "retry-after": "0"})
        reply = self._forward(request)
        return reply if fault is None else None

    def _forward(self, request: Request) -> Reply:
        with closing(http.client.HTTPConnection(urlsplit(self.upstream).netloc, timeout=30)) as upstream:
            upstream.request(request.method, request.target, request.body, request.headers)
            response = upstream.getresponse()
            content = response.read()
        headers = {name.lower(): value for name, value in response.getheaders() if name.lower() not in _HOP_BY_HOP}
        return Reply(response.status, content, headers)
