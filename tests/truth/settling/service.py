"""A service on a socket that loses responses and applies requests late or twice, written from the specification alone.

Each request takes the next fate of `plan`, then "ok". The service counts the writes of the client that it applied, and keeps every
state that it was in: the verdicts are judged by both.
"""

from __future__ import annotations

import copy
import json
import random
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote

from wire.service import contains

FATES = (
    "ok", "lost before", "lost after", "late", "lost twice", "503 before", "503 after", "cut off", "limited", "refused",
)  # fmt: skip
REFUSALS = {"503 before": 503, "503 after": 503, "limited": 429, "refused": 422}
EVENT = {"start": "2027-03-01T09:00:00+00:00", "end": "2027-03-01T09:30:00+00:00"}
ENTRY = {"slug": "s", "title": "old", "description": "d", "content": "c", "metadata": {}}

Result = tuple[int, dict[str, Any]]


class Service:
    """The resources, and the faults of the requests to come."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.reset(random.Random(0))

    def reset(self, rng: random.Random) -> None:
        """Begin a run."""
        with self.lock:
            self.random = rng
            self.records: dict[str, dict[str, Any]] = {}
            self.entry: dict[str, Any] = copy.deepcopy(ENTRY)
            self.event: dict[str, Any] = dict(EVENT)
            self.plan: list[str] = []
            self.late: list[Callable[[], Any]] = []
            self.empty_updates_refused = False
            self.begin_counting()

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
        """Keep the current state."""
        self.states.append(copy.deepcopy((self.records, self.entry, self.event)))

    def respond(self, method: str, path: str, body: dict[str, Any]) -> Result:
        """Carry out a request."""
        kind, *rest = [unquote(part) for part in path.partition("?")[0].strip("/").split("/")][2:]
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


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each response waits for a delayed acknowledgement
    service: Service

    def _respond(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        service = self.service
        with service.lock:
            if service.late and service.random.random() < 0.4:
                service.land()
            fate = service.plan.pop(0) if service.plan else "ok"

            def apply() -> Result:
                result = service.respond(self.command, self.path, body)
                service.remember()
                return result

            if fate in {"ok", "lost after", "503 after", "cut off"}:
                status, content = apply()
            elif fate == "lost twice":  # an intermediary sends it again, and both responses are lost
                apply()
                applied = service.applied
                apply()
                service.applied = applied
            elif fate == "late":
                service.late.append(apply)
        if fate.startswith("lost") or fate == "late":
            self.close_connection = True
            return
        if fate in REFUSALS:
            status, content = REFUSALS[fate], {"message": fate}
        payload = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        if fate == "limited":
            self.send_header("retry-after", "0")
        self.end_headers()
        self.close_connection = fate == "cut off"
        self.wfile.write(payload[: len(payload) // 2] if fate == "cut off" else payload)

    do_POST = do_PATCH = do_PUT = _respond  # noqa: N815  # names of the standard library

    def log_message(self, *_: object) -> None:
        pass


class FaultyServer:
    """The service on a port of this machine, in a `with` statement."""

    def __enter__(self) -> Self:
        self.service = Service()
        handler = type("Handler", (_Handler,), {"service": self.service, "wbufsize": -1})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
