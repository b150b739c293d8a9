"""A service that takes its time, behind a transport that ends within `Request.timeout.total`, and callers that call at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import anyio

from project_platform import AsyncClient, Client, Options, Request, Response, RetryPolicy, TimeoutError
from project_platform.calls.headers import Headers

STALL = 60.0  # seconds, many times the deadlines of the tests
JSON = Headers({"content-type": "application/json"})
ALLOWED = Response(200, JSON, b'{"allowed": true}')
TOKEN_PATH = "/api/auth/token"
ONCE = RetryPolicy(max_attempts=1)

Script = Callable[[Request], "tuple[float, Response]"]
"""Returns after how many seconds a request is answered, and the response."""


class Arrivals:
    """The requests that a service received, by path."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[Request] = []

    def paths(self) -> list[str]:
        return ["/" + request.url.split("/", 3)[3] for request in self.requests]

    def tokens_fetched(self) -> int:
        return self.paths().count(TOKEN_PATH)

    def _answer(self, request: Request) -> tuple[float, Any]:
        self.requests.append(request)
        seconds, response = self.script(request)
        total = request.timeout.total
        if total is None or seconds < total:
            return seconds, response
        return total, TimeoutError("no response in time")


class Service(Arrivals):
    """A transport for a `Client`."""

    def send(self, request: Request, /) -> Any:
        seconds, response = self._answer(request)
        time.sleep(seconds)
        return response

    def close(self) -> None:
        """Do nothing."""


class AsyncService(Arrivals):
    """A transport for an `AsyncClient`."""

    async def send(self, request: Request, /) -> Any:
        seconds, response = self._answer(request)
        await anyio.sleep(seconds)
        return response

    async def aclose(self) -> None:
        """Do nothing."""


class Ended:
    """The end of one caller's call, and its seconds."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.result: Any = None
        self.error: BaseException | None = None
        self.over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> bool:
        self.error = error
        self.seconds = time.monotonic() - self.began
        self.over = True
        return isinstance(error, Exception)


def within(deadline: float) -> Options:
    return Options(retry=RetryPolicy(max_attempts=1, deadline=deadline))


def call_at_once(way: str, script: Script, source: Any, deadlines: list[float]) -> tuple[list[Ended], Arrivals]:
    """Call an operation once for each deadline, and return how the calls ended.

    The others begin as soon as the service has received the request of the first.
    """
    if way == "sync":
        return _call_in_threads(script, source, deadlines)
    return anyio.run(_call_in_tasks, script, source, deadlines, backend=way)


def _call_in_threads(script: Script, source: Any, deadlines: list[float]) -> tuple[list[Ended], Arrivals]:
    service = Service(script)
    with Client("https://p.example", token=source, transport=service, retry=ONCE) as client:

        def call(deadline: float) -> Ended:
            with Ended() as ended:
                ended.result = client.auth.check_permission("agents:read", options=within(deadline))
            return ended

        with ThreadPoolExecutor(len(deadlines)) as pool:
            first = pool.submit(call, deadlines[0])
            while not service.requests and not first.done():
                time.sleep(0.001)
            others = [pool.submit(call, deadline) for deadline in deadlines[1:]]
            return [future.result() for future in [first, *others]], service


async def _call_in_tasks(script: Script, source: Any, deadlines: list[float]) -> tuple[list[Ended], Arrivals]:
    service = AsyncService(script)
    ends: list[Ended] = []
    async with AsyncClient("https://p.example", token=source, transport=service, retry=ONCE) as client:

        async def call(deadline: float) -> None:
            with Ended() as ended:
                ends.append(ended)
                ended.result = await client.auth.check_permission("agents:read", options=within(deadline))

        async with anyio.create_task_group() as group:
            group.start_soon(call, deadlines[0])
            while not service.requests and not (ends and ends[0].over):  # noqa: ASYNC110  # an event would have to be set in the script of a test
                await anyio.sleep(0.001)
            for deadline in deadlines[1:]:
                group.start_soon(call, deadline)
    return ends, service
