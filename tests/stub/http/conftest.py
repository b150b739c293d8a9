"""A handler that responds with the path of the request, and servers of it under each event loop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from project_platform_stub.http.messages import Request, Response
from project_platform_stub.http.server import StubServer


class Handler:
    """A handler that records its requests. The path `/delay/4` delays the response by 4 seconds; `/thread/4` waits in a thread."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.waits = threading.Event()

    def handle(self, request: Request) -> Response:
        self.requests.append(request)
        way, _, seconds = request.raw_path.decode().strip("/").partition("/")
        if seconds:
            self.waits.set()
        if way == "thread":
            time.sleep(float(seconds))
        return Response(200, {}, request.raw_path, delay=float(seconds) if way == "delay" else 0.0)

    def takes_long(self, request: Request) -> bool:
        return request.raw_path.startswith(b"/thread")


@pytest.fixture
def handler() -> Handler:
    return Handler()


@pytest.fixture(params=["asyncio", "uvloop"])
def serve(handler: Handler, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return a function that creates a server, under each event loop."""
    return lambda **options: StubServer(handler, "127.0.0.1", 0, loop=request.param, **options)
