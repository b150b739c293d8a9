"""A service that knows what it applied, and how often: creates and guarded updates of records, with faults.

It answers in process, as a transport of either client, and over a socket in another process (`python ledger.py PLAN`),
for trials that kill the sender.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import random
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any

from project_platform.calls.headers import Headers
from project_platform.calls.operation import Request, Response
from project_platform.errors import ConnectionLostError, NotSentError, TransportError

PROJECT = "0b9c4c6e-1111-4222-8333-444444444444"
JSON = {"content-type": "application/json"}


@dataclasses.dataclass
class Plan:
    """How the service behaves. Each fault is the share of requests that has it."""

    seed: int = 1
    latency: float = 0.0
    unique: bool = False
    lose_before: float = 0.0  # the connection breaks before the request is carried out
    lose_after: float = 0.0
    fail_before: float = 0.0  # 503
    fail_after: float = 0.0
    quota: float = 0.0  # requests per second beyond which there is a 429; 0 for no limit
    retry_after: int = 0  # of the 429
    refused: str = ""  # text of the title of records that are refused with 400
    away: tuple[float, float] = (0.0, 0.0)  # seconds after the first request when each gets a 503, or a reset
    away_as: str = "503"  # or "reset"
    away_hint: int = 0  # Retry-After of the 503


class Ledger:
    """The service: `records`, and how often each create and update arrived and was applied."""

    def __init__(self, **plan: Any) -> None:
        self.plan = Plan(**plan)
        self.dice = random.Random(self.plan.seed)
        self.lock = threading.Lock()
        self.records: dict[str, dict[str, Any]] = {}
        self.created: Counter[str] = Counter()
        self.updated: Counter[str] = Counter()
        self.arrived: Counter[str] = Counter()
        self.refused = 0
        self.began = 0.0
        self.log: list[str] = []
        self.admitted: deque[float] = deque()  # times of requests, with a quota
        self.in_flight = self.most_in_flight = 0
        self.before: Callable[[Request], Response | TransportError | None] = lambda request: None
        """Answers instead of the service, which does not carry out the request then."""
        self.after: Callable[[Request, Response], Response | TransportError] = lambda request, response: response
        """Answers instead of the response to a request that was carried out."""

    def handle(self, request: Request) -> Response | TransportError:
        with self.lock:
            if self.plan.quota and not self.admit():
                self.refused += 1
                return json_response(
                    429, {"retry-after": str(self.plan.retry_after)} if self.plan.retry_after else None
                )
            body = json.loads(request.body or b"{}")
            name = body.get("externalId", "?") if request.method == "POST" else request.url.rsplit("/", 1)[1]
            self.log.append(name)
            early = self.before(request)
            if isinstance(early, NotSentError):
                return early
            self.arrived[name] += 1
            if early is not None:
                return early
            if (gone := self.away()) is not None:
                return gone
            if self.plan.refused and self.plan.refused in str(body.get("data")):
                return json_response(400)
            roll = self.dice.random() - self.plan.lose_before
            if roll < 0:
                return ConnectionLostError("the connection broke")
            if (roll := roll - self.plan.fail_before) < 0:
                return json_response(503)
            response = self.create(name, body) if request.method == "POST" else self.update(name, body)
            if (roll := roll - self.plan.lose_after) < 0:
                return ConnectionLostError("the connection broke")
            if (roll := roll - self.plan.fail_after) < 0:
                return json_response(503)
            return self.after(request, response)

    def away(self) -> Response | TransportError | None:
        """Return what is sent instead of a response during an outage."""
        self.began = self.began or time.monotonic()
        start, end = self.plan.away
        if not start <= time.monotonic() - self.began < end:
            return None
        if self.plan.away_as == "reset":
            return ConnectionLostError("the connection broke")
        return json_response(503, {"retry-after": str(self.plan.away_hint)} if self.plan.away_hint else None)

    def admit(self) -> bool:
        """Return whether a request is within the quota of the last second."""
        now = time.monotonic()
        while self.admitted and self.admitted[0] <= now - 1:
            self.admitted.popleft()
        if len(self.admitted) >= self.plan.quota:
            return False
        self.admitted.append(now)
        return True

    def create(self, name: str, body: dict[str, Any]) -> Response:
        if self.plan.unique and self.created[name]:
            return json_response(409)
        self.created[name] += 1
        record = {"id": f"rec_{len(self.records)}", "typeSlug": body["typeSlug"], "data": body.get("data", {})}
        self.records[record["id"]] = record
        return json_response(201, record=record)

    def update(self, record_id: str, body: dict[str, Any]) -> Response:
        """Update a record; a nested value has to be equal."""
        record = self.records[record_id]
        if any(record["data"].get(key) != value for key, value in body.get("expectedData", {}).items()):
            return json_response(409)
        if body.get("data"):
            self.updated[record_id] += 1
        record["data"] |= body.get("data", {})
        return json_response(200, record=record)

    def truth(self) -> dict[str, Any]:
        """Return how often what was applied, and arrived, and the number of requests over the quota."""
        keys = sorted({key for record in self.records.values() for key in record["data"]})
        return {
            "created": self.created,
            "updated": self.updated,
            "arrived": self.arrived,
            "refused": self.refused,
            "keys": keys,
        }


def json_response(status: int, headers: dict[str, str] | None = None, **body: Any) -> Response:
    text = json.dumps(body or {"message": f"status {status}"}).encode()
    return Response(status, Headers({**JSON, **(headers or {})}), text)


class Transport:
    """The ledger as the transport of a `Client`."""

    max_connections = 16

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def send(self, request: Request, /) -> Response | TransportError:
        time.sleep(self.ledger.plan.latency)
        return self.ledger.handle(request)

    def close(self) -> None:
        """Do nothing."""


class AsyncTransport:
    """The ledger as the transport of an `AsyncClient`."""

    max_connections = 16

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    async def send(self, request: Request, /) -> Response | TransportError:
        import anyio

        await anyio.sleep(self.ledger.plan.latency)
        return self.ledger.handle(request)

    async def aclose(self) -> None:
        """Do nothing."""


class Connection(asyncio.Protocol):
    """A connection to the ledger over a socket."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.buffer = ledger, b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (split := self.buffer.partition(b"\r\n\r\n"))[1]:
            head, _, rest = split
            at = head.lower().find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(rest) < length:
                return
            body, self.buffer = rest[:length], rest[length:]
            method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
            self.respond(method, path, body)

    def respond(self, method: str, path: str, body: bytes) -> None:
        if path == "/_truth":
            return self.write(json_response(200, **self.ledger.truth()))
        if path == "/_plan":
            self.ledger.plan, self.ledger.began = Plan(**json.loads(body)), 0.0
            return self.write(json_response(200))
        response = self.ledger.handle(Request(method, path, {}, body))
        if isinstance(response, TransportError):
            return self.transport.abort()
        lag = self.ledger.plan.latency * self.ledger.dice.uniform(0.5, 1.5)
        asyncio.get_running_loop().call_later(lag, self.write, response)
        return None

    def write(self, response: Response) -> None:
        fields = "".join(f"{name}: {value}\r\n" for name, value in response.headers.items())
        head = f"HTTP/1.1 {response.status} X\r\n{fields}content-length: {len(response.body)}\r\n\r\n"
        if not self.transport.is_closing():
            self.transport.write(head.encode() + response.body)


async def serve(ledger: Ledger) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Connection(ledger), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def serving(**plan: Any) -> Iterator[str]:
    """Serve in another process, and give the base URL."""
    command = [sys.executable, __file__, json.dumps(plan)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


def truth(url: str) -> Any:
    with urllib.request.urlopen(f"{url}/_truth") as response:
        return json.load(response)


def replan(url: str, **plan: Any) -> None:
    """Change the plan of a service in another process."""
    urllib.request.urlopen(urllib.request.Request(f"{url}/_plan", json.dumps(plan).encode())).close()


if __name__ == "__main__":
    asyncio.run(serve(Ledger(**json.loads(sys.argv[1]))))
