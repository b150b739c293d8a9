"""Random faults between the client and the service, and concurrent writes of others.

`Line` is a transport for sync and async clients. It delivers a request to the stub server now, later or never, and chooses
the response of the client. All choices come from the random generator of the run, so a run can be repeated.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import anyio.lowlevel
import httpx

UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
BROKEN = (httpx.ReadError, httpx.RemoteProtocolError, httpx.WriteError, httpx.ReadTimeout)

# When the request reaches the service (now, later or never), and the possible responses of the client.
FAULTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "not sent": ("never", UNSENT),
    "dropped before": ("never", (*BROKEN, httpx.WriteTimeout)),
    "dropped after": ("now", BROKEN),
    "delayed": ("later", (httpx.ReadTimeout, httpx.ReadError)),
    "cut off": ("now", ("cut off",)),
    "failed before": ("never", (500, 502, 503, 504, 408)),
    "failed after": ("now", (500, 502, 504, 408)),
    "failed, delayed": ("later", (502, 504)),
    "limited": ("never", (429,)),
    "refused": ("never", (400, 401, 403, 404, 422)),
}
WEIGHTS = (3, 4, 6, 5, 2, 2, 3, 2, 2, 1)


class TruncatedBody(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that ends in the middle with an error."""

    def __init__(self, body: bytes) -> None:
        self._half = body[: len(body) // 2]

    def __iter__(self) -> Iterator[bytes]:
        yield self._half
        raise httpx.ReadError("the connection was reset")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._half
        raise httpx.ReadError("the connection was reset")


@dataclass
class Exchange:
    """A request as the client sees it: write or look, its body, its ending, and the record at that time."""

    looks: bool
    sent: bytes
    end: str
    found: Any = None


@dataclass
class Line:
    """The connection between a client and the service, with faults.

    Attributes:
        rng: The random generator of the run.
        bad: Probability of a fault.
        deliver: Delivers a request to the service; the second argument is whether the request writes.
        others: Performs a random write of others.
        state: Returns the present record in the service.
        exchanges: The requests as the client sees them.
        late: Requests that are still in transit.
        log: Events of the run, for the message of a failure.
    """

    rng: random.Random
    bad: float
    deliver: Callable[[httpx.Request, bool], httpx.Response]
    others: Callable[[], None]
    state: Callable[[], Any]
    exchanges: list[Exchange] = field(default_factory=list)
    late: list[httpx.Request] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def carry(self, request: httpx.Request) -> httpx.Response:
        """Return the response for the client, or raise a connection error."""
        looks = b'"data":{}' in request.content
        exchange = Exchange(looks, request.content, "lost")
        self.exchanges.append(exchange)
        self.pass_time()
        name = "answered"
        # Looks occur in few runs, so they get a higher probability of faults.
        if self.rng.random() < (max(self.bad, 0.6) if looks else self.bad):
            (name,) = self.rng.choices(list(FAULTS), WEIGHTS)
        arrives, outcomes = FAULTS.get(name, ("now", ("answer",)))
        outcome = self.rng.choice(outcomes)
        self.log.append(f"{'looks' if looks else 'writes'}: {name} ({getattr(outcome, '__name__', outcome)})")
        answer = None
        if arrives == "now":
            answer = self.deliver(request, not looks)
            exchange.found = self.state()
            self.log.append(f"  the service answers {answer.status_code}")
        elif arrives == "later" and not looks:
            self.late.append(request)
        self.pass_time()
        if name == "not sent":
            exchange.end = "not sent"
        if isinstance(outcome, type):
            raise outcome("as planned", request=request)
        if isinstance(outcome, int):
            exchange.end = _end(outcome)
            return httpx.Response(outcome, headers={"Retry-After": "0"}, text="<html>from a proxy</html>")
        assert answer is not None
        exchange.end = _end(answer.status_code)
        if outcome == "cut off":
            if exchange.end == "2xx":
                exchange.end = "2xx, cut off"
            return httpx.Response(answer.status_code, headers=answer.headers, stream=TruncatedBody(answer.content))
        return answer

    @property
    def event(self) -> str:
        """The event of the last exchange for httpx's extension `trace`, which shows whether the request was sent."""
        sent = self.exchanges[-1].end != "not sent"
        return "http11.send_request_headers.started" if sent else "connection.connect_tcp.failed"

    def pass_time(self) -> None:
        """Let others write, and late requests arrive."""
        while self.rng.random() < 0.3:
            self.others()
        for request in list(self.late):
            if self.rng.random() < 0.25:
                self.arrive(request)

    def arrive(self, request: httpx.Request) -> None:
        """Deliver a late request; its response is dropped."""
        self.late.remove(request)
        status = self.deliver(request, True).status_code
        self.log.append(f"  a late request arrives, and is answered {status}")


class Carrier(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport that passes the requests of a client to the line of the current run, and shows its events like httpx's."""

    line: Line

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Carry a request of a `Client`."""
        try:
            return self.line.carry(request)
        finally:
            request.extensions["trace"](self.line.event, {"request": request})

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Carry a request of an `AsyncClient`."""
        await anyio.lowlevel.checkpoint()
        try:
            return self.line.carry(request)
        finally:
            await request.extensions["trace"](self.line.event, {"request": request})


def _end(status: int) -> str:
    if status < 300:
        return "2xx"
    if status in {409, 429}:
        return str(status)
    return "lost" if status in {408, 500, 502, 503, 504} else "refused"
