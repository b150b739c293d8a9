"""A scripted service, and clients that call it synchronously, under asyncio and under trio.

A test that takes `client` or `project` runs three times. The asynchronous clients are waited for, so that one test body
serves all three.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
import respx
from anyio.from_thread import BlockingPortal, start_blocking_portal

from project_platform import AsyncClient, AsyncPager, Call, Client, ConflictError, PlatformError, RetryPolicy
from project_platform.calls.commands import Decode
from project_platform.calls.flow import Settings
from project_platform.calls.headers import Secret
from project_platform.calls.operation import Operation

BASE_URL = "https://platform.example/prefix"
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
TOKEN = "a-token-that-stays-secret"
AT_ONCE = RetryPolicy(initial_delay=0.0)


class Service:
    """A service that returns planned answers in order, and records the requests."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.planned: deque[Any] = deque()
        self.unplanned: list[str] = []

    def will(self, *responses: Any) -> None:
        """Plan answers: a response, an exception to raise, or a function of the request."""
        self.planned.extend(responses)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if not self.planned:  # the client turns an exception of its transport into an error of the call
            self.unplanned.append(f"{request.method} {request.url}")
            raise AssertionError(f"no response was planned for {self.unplanned[-1]}")
        response = self.planned.popleft()
        if isinstance(response, Exception):
            raise response
        return response(request) if callable(response) else response

    @property
    def body(self) -> Any:
        return json.loads(self.requests[-1].content)


class Waited:
    """An asynchronous object, used through a synchronous interface: awaitables are waited for."""

    def __init__(self, target: Any, portal: BlockingPortal) -> None:
        self._target = target
        self._portal = portal

    def __getattr__(self, name: str) -> Any:
        names = {"close": "aclose"} if hasattr(self._target, "aclose") else {}
        return self._seen(getattr(self._target, names.get(name, name)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._seen(self._target(*args, **kwargs))

    def __getitem__(self, index: Any) -> Any:
        return self._target[index]

    def __iter__(self) -> Iterator[Any]:
        iterator = aiter(self._target)
        while True:
            try:
                yield self._wait(anext(iterator))
            except StopAsyncIteration:
                return

    def __enter__(self) -> Any:
        return self._seen(self._wait(self._target.__aenter__()))

    def __exit__(self, *error: object) -> Any:
        return self._wait(self._target.__aexit__(*error))

    def __copy__(self) -> Any:
        return self._seen(copy.copy(self._target))

    def __repr__(self) -> str:
        return repr(self._target)

    def _wait(self, awaitable: Any) -> Any:
        async def wait() -> Any:
            return await awaitable

        return self._portal.call(wait)

    def _seen(self, value: Any) -> Any:
        if inspect.isawaitable(value) and not isinstance(value, AsyncPager):  # a pager is more than its first page
            return self._seen(self._wait(value))
        asynchronous = type(value).__name__.startswith("Async") or hasattr(value, "__aiter__")
        if inspect.ismethod(value) or asynchronous or hasattr(value, "__aenter__"):
            return Waited(value, self._portal)
        return value


class Clock:
    """A clock that only moves when a test advances it."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine reaches a client: neither ours nor a proxy."""
    for name in ("BASE_URL", "TOKEN", "PROJECT", "PROFILE", "TRANSPORT", "LOG"):
        monkeypatch.delenv(f"PROJECT_PLATFORM_{name}", raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def service() -> Iterator[Service]:
    """The scripted service; a planned response that was not requested fails the test, and so does a request without one."""
    service = Service()
    yield service
    assert not service.unplanned, f"no response was planned for {service.unplanned}"
    assert not service.planned, f"{len(service.planned)} planned responses were not requested"


@pytest.fixture(params=["sync", "asyncio", "trio"])
def way(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def portal(way: str) -> Iterator[BlockingPortal | None]:
    """The event loop of an asynchronous way; None for the synchronous one."""
    if way == "sync":
        yield None
        return
    with start_blocking_portal(way) as portal:
        yield portal


@pytest.fixture
def open_client(portal: BlockingPortal | None) -> Iterator[Callable[..., Any]]:
    """Return a function that creates clients of any service; they are closed at the end."""
    with ExitStack() as stack:

        def open_client(base_url: str | None, **options: Any) -> Any:
            if portal is None:
                return stack.enter_context(Client(base_url, **options))
            return stack.enter_context(Waited(AsyncClient(base_url, **options), portal))

        yield open_client


@pytest.fixture
def connect(service: Service, open_client: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that creates clients of the scripted service."""

    def connect(base_url: str | None = BASE_URL, **options: Any) -> Any:
        return open_client(
            base_url, **{"token": TOKEN, "retry": AT_ONCE, "transport": httpx.MockTransport(service), **options}
        )

    return connect


@pytest.fixture
def client(connect: Callable[..., Any]) -> Any:
    """A client of the scripted service that repeats without waiting."""
    return connect()


@pytest.fixture
def project(client: Any) -> Any:
    """A project of the scripted service."""
    return client.project(PROJECT)


@pytest.fixture
def router() -> respx.MockRouter:
    """A respx router in place of the service; a route that is not called fails the test."""
    return respx.MockRouter(base_url="https://platform.example", assert_all_mocked=True)


@pytest.fixture
def wired(connect: Callable[..., Any], router: respx.MockRouter, way: str) -> Iterator[Any]:
    """A client whose requests respx answers."""
    handler = router.handler if way == "sync" else router.async_handler
    with router:
        yield connect("https://platform.example", transport=httpx.MockTransport(handler))


@pytest.fixture
def project_id() -> str:
    return PROJECT


@pytest.fixture
def token() -> str:
    return TOKEN


@pytest.fixture
def clock() -> Clock:
    """A clock that stands still until it is moved."""
    return Clock()


@pytest.fixture
def settings(clock: Clock) -> Settings:
    """The settings that a client adds to its calls, with a clock that stands still."""
    return Settings("https://platform.example", token=Secret(TOKEN), monotonic=clock, now=clock)


@pytest.fixture
def a_call() -> Callable[..., Call[Any]]:
    """Return a function that describes a call of an operation of some kind; its result is the body of the response."""

    def a_call(
        retry: str = "safe",
        effect: str = "read",
        *,
        id: str = "things_do",
        method: str = "GET",
        conflict: type[ConflictError] | None = None,
        **more: Any,
    ) -> Call[Any]:
        operation = Operation(
            id,
            method,
            "/things",
            retry,
            effect,
            "Endpoints 0",
            lambda response: response.body,
            conflict=conflict,
        )
        return dataclasses.replace(Call(operation, "/things?colour=red"), **more)

    return a_call


@pytest.fixture
def play() -> Callable[..., tuple[list[Any], Any]]:
    """Return a function that runs a flow with these outcomes; it returns the commands and the result."""

    def play(steps: Any, *outcomes: Any) -> tuple[list[Any], Any]:
        left = deque(outcomes)
        commands = [next(steps)]
        try:
            while left or isinstance(commands[-1], Decode):
                result = commands[-1].function() if isinstance(commands[-1], Decode) else left.popleft()
                commands.append(steps.send(result))
        except StopIteration as end:
            assert not left, f"the flow ended before it was sent {left}"
            return commands, end.value
        except PlatformError:
            assert not left, f"the flow ended before it was sent {left}"
            raise
        steps.close()
        raise AssertionError(f"the flow goes on: {commands[-1]}")

    return play
