"""SDK and stub server together: every test runs sync, under asyncio and under trio, in-process and over a socket."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest

from project_platform import AsyncClient, AsyncPager, Client, Pager
from project_platform_stub import Stub


class Way:
    """A way to use the SDK. `way(lambda client, project: ...)` makes a call and returns its result or raises."""

    def __init__(self, runner: str, stub: Stub, base_url: str | None) -> None:
        self.runner = runner
        self.stub = stub
        self.base_url = base_url or "http://stub.localhost"
        self.in_process = base_url is None
        self.ids = stub.describe(self.base_url)

    def __call__(self, call: Callable[[Any, Any], Any], **options: Any) -> Any:
        """Return the result of a call by a client with these options."""
        options.setdefault("token", self.ids["tokens"]["owner"])
        project_id = options.pop("project_id", self.ids["project_id"])
        if self.runner == "sync":
            if self.in_process:
                options.setdefault("transport", self.stub.transport())
            with Client(self.base_url, **options) as client:
                result = call(client, client.project(project_id))
                return list(result) if isinstance(result, Pager) else result

        async def run() -> Any:
            if self.in_process:
                options.setdefault("transport", self.stub.async_transport())
            async with AsyncClient(self.base_url, **options) as client:
                result = call(client, client.project(project_id))
                if isinstance(result, AsyncPager):
                    return [item async for item in result]
                return await result if inspect.isawaitable(result) else result

        return anyio.run(run, backend=self.runner)


@pytest.fixture
def stub() -> Stub:
    return Stub()


@pytest.fixture(params=["in-process", "socket"])
def base_url(request: pytest.FixtureRequest, stub: Stub) -> Iterator[str | None]:
    """The base URL of the stub, or None for in-process transports."""
    if request.param == "in-process":
        yield None
        return
    with stub.serve() as server:
        yield server.base_url


@pytest.fixture(params=["sync", "asyncio", "trio"])
def way(request: pytest.FixtureRequest, stub: Stub, base_url: str | None) -> Way:
    return Way(request.param, stub, base_url)
