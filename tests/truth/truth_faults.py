"""What may happen to a request on its way to the service and back, and when others come in between.

`Line` is an httpx transport, for sync and async clients alike. It hands a request to the stub server, or does not, or does so
later, and tells the client what it likes. Everything is drawn from the run's own rng, so a run can be repeated.
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

# What becomes of the request (it reaches the service now, later, or never), and what the client is told.
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
    """A body that breaks off in the middle."""

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
    """One request as the client knows it: whether it wrote or looked, what was sent, how it ended, what was there then."""

    probes: bool
    sent: bytes
    end: str
    found: Any = None


@dataclass
class Line:
    """The way between one client and the service, in bad weather.

    Attributes:
        rng: What decides.
        bad: How likely a request meets a fault.
        deliver: Hands a request to the service; it is told whether the request writes.
        others: What others may do in between.
        state: Returns what the service holds at the moment.
        exchanges: What the client has seen.
        late: Requests that are still on their way.
        log: What happened, for the reader of a failure.
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
        """Return what the client is answered, or raise what breaks."""
        probes = b'"data":{}' in request.content
        exchange = Exchange(probes, request.content, "lost")
        self.exchanges.append(exchange)
        self.pass_time()
        name = "answered"
        # Looks come late in few runs: they are made to meet faults often, so that none of their ends is rare.
        if self.rng.random() < (max(self.bad, 0.6) if probes else self.bad):
            (name,) = self.rng.choices(list(FAULTS), WEIGHTS)
        arrives, told = FAULTS.get(name, ("now", ("answer",)))
        said = self.rng.choice(told)
        self.log.append(f"{'probes' if probes else 'writes'}: {name} ({getattr(said, '__name__', said)})")
        answer = None
        if arrives == "now":
            answer = self.deliver(request, not probes)
            exchange.found = self.state()
            self.log.append(f"  the service answers {answer.status_code}")
        elif arrives == "later" and not probes:
            self.late.append(request)
        self.pass_time()
        if name == "not sent":
            exchange.end = "not sent"
        if isinstance(said, type):
            raise said("as planned", request=request)
        if isinstance(said, int):
            exchange.end = _end(said)
            return httpx.Response(said, headers={"Retry-After": "0"}, text="<html>from a proxy</html>")
        assert answer is not None
        exchange.end = _end(answer.status_code)
        if said == "cut off":
            if exchange.end == "2xx":
                exchange.end = "2xx, cut off"
            return httpx.Response(answer.status_code, headers=answer.headers, stream=TruncatedBody(answer.content))
        return answer

    def pass_time(self) -> None:
        """Let time pass: others write, and what was late may arrive."""
        while self.rng.random() < 0.3:
            self.others()
        for request in list(self.late):
            if self.rng.random() < 0.25:
                self.arrive(request)

    def arrive(self, request: httpx.Request) -> None:
        """Let a late request arrive; nobody waits for its answer any more."""
        self.late.remove(request)
        status = self.deliver(request, True).status_code
        self.log.append(f"  a late request arrives, and is answered {status}")


class Carrier(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Carries the requests of a client over the line of the run that is on."""

    line: Line

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Carry a request of a `Client`."""
        return self.line.carry(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Carry a request of an `AsyncClient`."""
        await anyio.lowlevel.checkpoint()
        return self.line.carry(request)


def _end(status: int) -> str:
    if status < 300:
        return "2xx"
    if status in {409, 429}:
        return str(status)
    return "lost" if status in {408, 500, 502, 503, 504} else "refused"
