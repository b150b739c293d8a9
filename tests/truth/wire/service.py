"""A service written from the specification alone, and the ledger of what happened to each call.

Every call of a trial has a unique nonce, which it sends in the header `X-Nonce` and in its data. Every response has the
nonce of its request in its data, or in the message of an error.
"""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

WRITES = {"POST", "PATCH", "PUT"}


@dataclass
class Request:
    """A request whose head was read; `body` is complete when `whole` is true."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes = b""
    whole: bool = False

    @classmethod
    def of(cls, method: str, target: str, headers: dict[str, str]) -> Request:
        """Return the request of this target, in origin form or, for a proxy, in absolute form."""
        parts = urlsplit(target)
        return cls(method, parts.path, parse_qs(parts.query), headers)

    @property
    def nonce(self) -> str:
        """The nonce of the call, from the header; empty if there is none."""
        return self.headers.get("x-nonce", "")

    @property
    def probe(self) -> bool:
        """Whether the request is an update that changes nothing."""
        return self.method == "PATCH" and b'"data":{}' in self.body.replace(b" ", b"")


@dataclass
class Response:
    """The response to a request, before it is framed."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Arrival:
    """A write that arrived complete.

    Attributes:
        body: The bytes of the request.
        permits_resending: Whether the head of a response that refuses it for now (401, 429) was sent.
    """

    body: bytes
    permits_resending: bool = False


@dataclass
class Ledger:
    """The events, by nonce.

    Attributes:
        arrivals: The writes that arrived complete, in order; probes excluded.
        landed: How often a write was applied.
        states: The states that a record has had, the first included.
        leaks: Secrets that were sent to someone else.
        log: The events of the run.
    """

    arrivals: defaultdict[str, list[Arrival]] = field(default_factory=lambda: defaultdict(list))
    landed: Counter[str] = field(default_factory=Counter)
    states: defaultdict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    leaks: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)


class Service:
    """The state of the service during one run."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.late: list[Request] = []
        self._lock = threading.Lock()

    def add_record(self, nonce: str, data: dict[str, Any]) -> dict[str, Any]:
        """Create the record of a call, and return it."""
        self.ledger.states[nonce].append(dict(data))
        return self._record(nonce)

    def write_by_another(self, nonce: str, key: str, value: Any) -> None:
        """Change a record on behalf of another client."""
        with self._lock:
            self.ledger.states[nonce].append({**self.ledger.states[nonce][-1], key: value})

    def perform(self, request: Request) -> Response:
        """Carry out a request, as one atomic step."""
        with self._lock:
            try:
                response = self._perform(request)
            except (KeyError, ValueError, IndexError) as error:
                response = _error(400, request.nonce, repr(error))
            self.ledger.log.append(f"    {request.method} {request.path} is responded to with {response.status}")
            return response

    def land_late_requests(self) -> None:
        """Carry out the requests that were delayed."""
        while self.late:
            self.ledger.log.append("    a delayed request is carried out")
            self.perform(self.late.pop(0))

    def _perform(self, request: Request) -> Response:
        nonce = request.nonce
        body = json.loads(request.body) if request.body else {}
        segments = [unquote(segment) for segment in request.path.strip("/").split("/")]
        if segments[0] == "moved":
            segments = segments[1:]
        match request.method, segments:
            case "POST", ["projects", _, "calendar", "provider", "events"]:
                return self._landed(nonce, {"bookingUid": body["summary"].rpartition(" ")[2], "start": body["start"]})
            case "POST", ["projects", _, "object-records"]:
                self.ledger.states[nonce].append(body["data"])
                return self._landed(nonce, {"record": self._record(body["data"]["nonce"])})
            case "PATCH", ["projects", _, "object-records", record_id]:
                return self._update(nonce, record_id, body)
            case "PATCH", ["projects", _, "memory-entries", slug]:
                return self._landed(nonce, {"entry": {"id": slug, "slug": slug, "content": body["content"][:64]}})
            case "PUT", ["projects", _, "sidebar"]:
                return self._landed(nonce, {"success": True, "data": {"sections": body["sections"]}})
            case "POST", ["socials", "engagement", "pagenet", _, _, "like"]:
                return self._landed(nonce, {"success": True})
            case "GET", ["projects", project_id, "agents"]:
                agent = {"id": project_id, "projectId": project_id, "name": "agent"}
                return _ok({"agents": [agent], "pagination": {"limit": 50, "offset": 0, "hasMore": False}})
            case "GET", ["web-analytics", "config", project_id]:
                return _ok({"config": {"id": project_id, "projectId": project_id, "enabled": True}})
            case "GET", ["projects", _, "calendar", "provider", "busy"]:
                calendar = request.query["calendarId"][0]
                return _ok({"busy": [{"start": calendar, "end": calendar}]})
        return _error(404, nonce, "no such endpoint")

    def _update(self, nonce: str, record_id: str, body: dict[str, Any]) -> Response:
        states = self.ledger.states[record_id]
        data, before = body.get("data", {}), states[-1]
        if not contains(before, body.get("expectedData", {})):
            return _error(409, nonce, "stale precondition")
        states.append({key: value for key, value in {**before, **data}.items() if value is not None})
        response = {"record": self._record(record_id)}
        return self._landed(nonce, response) if data else _ok(response)

    def _record(self, record_id: str) -> dict[str, Any]:
        return {"id": record_id, "typeSlug": "deal", "data": self.ledger.states[record_id][-1]}

    def _landed(self, nonce: str, response: dict[str, Any]) -> Response:
        self.ledger.landed[nonce] += 1
        return _ok(response)


def contains(value: Any, expected: Any) -> bool:
    """Return whether a JSON value contains another, by the rules of PostgreSQL's `@>`."""
    if isinstance(expected, dict):
        return isinstance(value, dict) and all(
            key in value and contains(value[key], item) for key, item in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(value, list) and all(any(contains(one, item) for one in value) for item in expected)
    return type(value) is type(expected) and value == expected


def _ok(value: dict[str, Any]) -> Response:
    return Response(200, json.dumps(value).encode())


def _error(status: int, nonce: str, message: str) -> Response:
    # Backwards: the SDK redacts the values of header fields that it sent.
    return Response(status, json.dumps({"message": f"{message} nonce:{nonce[::-1]};"}).encode())
