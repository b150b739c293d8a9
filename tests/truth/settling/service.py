"""A service on a socket that loses responses and applies requests late or twice, written from the specification alone.

Each request takes the next of `fates`, then "ok". The service counts the writes of the client that it applied, and keeps every
state that it was in: the verdicts are judged by both.
"""

from __future__ import annotations

import copy
import functools
import json
import random
import threading
from collections.abc import Callable
from typing import Any, Final

from wire.plans import Plan
from wire.server import Server
from wire.service import Request, Response, contains

FATES: Final = {
    "ok": Plan(),
    "lost before": Plan(apply="never", responds=False),
    "lost after": Plan(responds=False),
    "late": Plan(apply="late", responds=False),
    "lost twice": Plan(apply="twice", responds=False),  # an intermediary sends it again
    "503 before": Plan(apply="never", status=503),
    "503 after": Plan(status=503),
    "cut off": Plan(cut=0.8),
    "limited": Plan(apply="never", status=429, retry_after=True),
    "refused": Plan(apply="never", status=422),
}
EVENT = {"start": "2027-03-01T09:00:00+00:00", "end": "2027-03-01T09:30:00+00:00"}
ENTRY = {"slug": "s", "title": "old", "description": "d", "content": "c", "metadata": {}}

Result = tuple[int, dict[str, Any]]


class FaultyService(Server):
    """The resources, and the faults of the requests to come."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.RLock()
        self.reset(random.Random(0))
        self.base_url = f"http://127.0.0.1:{self.listen(self.serve_plain).port}"

    def reset(self, rng: random.Random) -> None:
        with self.lock:
            self.begin("", 0.0, at_once=1, surplus=False)
            self._rng = rng
            self.records: dict[str, dict[str, Any]] = {}
            self.entry: dict[str, Any] = copy.deepcopy(ENTRY)
            self.event: dict[str, Any] = dict(EVENT)
            self.fates: list[str] = []
            self.late: list[Callable[[], Any]] = []
            self.empty_updates_refused = False
            self.begin_counting()

    def plan(self, *, tls: bool) -> tuple[Plan, random.Random]:
        """Return the plan of the next request; some that were on their way are applied before it."""
        with self.lock:
            if self.late and self._rng.random() < 0.4:
                self.land()
            return FATES[self.fates.pop(0) if self.fates else "ok"], self._rng

    def reply(self, plan: Plan, request: Request) -> Response:
        """Carry a request out, or not, and return the response of the plan."""
        apply = functools.partial(self.respond, request.method, request.path, json.loads(request.body or b"{}"))
        result: Result = (500, {})
        with self.lock:
            if plan.apply in {"now", "twice"}:
                result = apply()
            if plan.apply == "twice":
                applied = self.applied
                apply()
                self.applied = applied
            if plan.apply == "late":
                self.late.append(apply)
            status, content = result if plan.status is None else (plan.status, {"message": "planned"})
            body = json.dumps(content).encode()
        return Response(status, body, {"Retry-After": "0"} if plan.retry_after else {})

    def begin_counting(self) -> None:
        """Count the writes of the client, and keep the states, from here on."""
        self.applied = 0
        self.states: list[Any] = []
        self.remember()

    def land(self) -> None:
        """Apply the requests that were on their way."""
        with self.lock:
            for apply in self.late:
                apply()
            self.late = []

    def remember(self) -> None:
        self.states.append(copy.deepcopy((self.records, self.entry, self.event)))

    def respond(self, method: str, path: str, body: dict[str, Any]) -> Result:
        """Carry out a request, and keep the state after it."""
        result = self._respond(method, path.strip("/").split("/")[2:], body)
        self.remember()
        return result

    def _respond(self, method: str, segments: list[str], body: dict[str, Any]) -> Result:
        kind, *rest = segments
        if kind in {"memory-entries", "calendar"} and self.empty_updates_refused and not self._fields(body):
            return 422, {"message": "give at least one field"}
        if method == "POST" and kind == "object-records":
            return self.create(body)
        if kind == "object-records":
            return self.update(rest[0], body)
        if kind == "memory-entries":
            self.applied += bool(body)
            self.entry.update(body)
            return 200, {"entry": self.entry}
        if kind == "calendar":
            self.applied += bool(self._fields(body))
            self.event.update({key: body[key] for key in ("start", "end") if key in body})
            return 200, {"bookingUid": rest[-1], "calendarId": "c", **self.event}
        if kind == "sidebar":
            self.applied += 1
            return 200, {"success": True, "data": {"sections": body["sections"]}}
        return 404, {"message": "nothing here"}

    @staticmethod
    def _fields(body: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in body.items() if key not in {"notifyAttendees", "conflictCheck"}}

    def create(self, body: dict[str, Any], *, by_client: bool = True) -> Result:
        """Create a record, whose external identifier is unique."""
        external = body.get("externalId")
        if external is not None and any(record["externalId"] == external for record in self.records.values()):
            return 409, {"message": "externalId is taken"}
        record = {"id": f"rec_{len(self.records)}", "typeSlug": "deal", "externalId": external, "data": body["data"]}
        self.records[record["id"]] = record
        self.applied += by_client
        return 201, {"record": copy.deepcopy(record)}

    def update(self, record_id: str, body: dict[str, Any], *, by_client: bool = True) -> Result:
        """Update a record, unless its precondition is stale."""
        record = self.records.get(record_id)
        if record is None:
            return 404, {"message": "no such record"}
        if not contains(record["data"], body.get("expectedData", {})):
            return 409, {"message": "stale"}
        record["data"] = merged(record["data"], body.get("data", {}))
        self.applied += by_client and bool(body.get("data"))
        return 200, {"record": copy.deepcopy(record)}

    def write_of_another(self, data: dict[str, Any]) -> None:
        """Let another client write to every record."""
        with self.lock:
            for record_id in self.records:
                self.update(record_id, {"data": data}, by_client=False)
            self.remember()


def merged(data: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Return data after a shallow merge in which null deletes."""
    return {key: value for key, value in {**data, **patch}.items() if value is not None}
