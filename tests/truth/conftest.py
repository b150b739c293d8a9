"""The driver of the seeded runs, and a proxy that cuts connections, with clients behind it."""

from __future__ import annotations

import importlib.util
import inspect
import os
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest

from project_platform import AsyncClient, Client, RetryPolicy, Timeout
from project_platform_stub import Stub

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for the imports of the scripts, as when they are started as such
READ_TIMEOUT = 0.3  # Read timeout of a client in seconds.
LONG = 10.0  # Seconds after which a test is stuck.


@pytest.fixture(scope="session")
def table() -> ModuleType:
    """The script that prints the table, as a module."""
    spec = importlib.util.spec_from_file_location("truth_table", HERE / "table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def runs() -> int:
    """Return the total number of runs."""
    return int(os.environ.get("TRUTH_RUNS", "20000"))


@pytest.fixture(scope="session")
def seed() -> int:
    """Return the seed of the first run; each run has the next one."""
    return int(os.environ.get("TRUTH_SEED", "0"))


class Proxy:
    """A TCP proxy with a planned action for each request; the default is to forward it.

    `cut before` closes the connection and forwards nothing, `cut after` forwards the request and drops the response, `cut
    off` sends half of the response, and `delay` holds the request until `release` and drops its response. A function is
    called before the request is forwarded.
    """

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "", parts.port or 0)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.planned: deque[Any] = deque()
        self.requests = 0
        self._released = threading.Event()
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def plan(self, *actions: Any) -> None:
        """Plan actions for the next requests."""
        self.planned.extend(actions)

    def release(self) -> None:
        """Forward the delayed requests, and wait for them."""
        self._released.set()
        for thread in self._threads[1:]:
            thread.join(LONG)

    def close(self) -> None:
        """Close the listener and wait for its threads."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._released.set()
        for thread in self._threads:
            thread.join(LONG)

    def _start(self, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        with client:
            while request := _message(client):
                self.requests += 1
                action = self.planned.popleft() if self.planned else None
                if action == "cut before":
                    return
                if action == "delay":
                    self._released.wait(LONG)
                if callable(action):
                    action()
                answer = self._forward(request)
                if action in {"cut after", "delay"}:
                    return
                if action == "cut off":
                    client.sendall(answer[: -len(answer.partition(b"\r\n\r\n")[2]) // 2])
                    return
                client.sendall(answer)

    def _forward(self, request: bytes) -> bytes:
        with socket.create_connection(self._target, LONG) as service:
            service.sendall(request)
            return _message(service)


def _message(connection: socket.socket) -> bytes:
    """Return one HTTP message with its body; nothing if the connection was closed."""
    received = b""
    while b"\r\n\r\n" not in received:
        chunk = _received(connection)
        if not chunk:
            return b""
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line.partition(b":")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    length = int(lengths[0]) if lengths else 0
    while len(body) < length:
        body += _received(connection)
    return head + b"\r\n\r\n" + body


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except ConnectionError:
        return b""


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[Stub, str]]:
    """A stub and the address of its socket."""
    stub = Stub()
    with stub.serve() as server:
        yield stub, server.base_url


@pytest.fixture
def stub(served: tuple[Stub, str]) -> Iterator[Stub]:
    """The stub; its world is restored after each test."""
    stub, _ = served
    stub.world.snapshot("before")
    yield stub
    stub.world.restore("before")


@pytest.fixture
def proxy(served: tuple[Stub, str]) -> Iterator[Proxy]:
    """A proxy in front of the stub's socket."""
    proxy = Proxy(served[1])
    yield proxy
    proxy.close()


@pytest.fixture
def clean(stub: Stub) -> Iterator[Any]:
    """A project of a client without the proxy."""
    with Client("http://stub.localhost", token=stub.token(), transport=stub.transport()) as client:
        yield client.project(stub.project.id)


@pytest.fixture(params=["sync", "asyncio", "trio"])
def through(request: pytest.FixtureRequest, stub: Stub, proxy: Proxy) -> Callable[..., Any]:
    """Return a function that calls another with a project of a client behind the proxy."""
    options: dict[str, Any] = {
        "token": stub.token(),
        "timeout": Timeout(read=READ_TIMEOUT),
        "retry": RetryPolicy(initial_delay=0.0),
    }

    def through(do: Callable[[Any], Any], base_url: str = proxy.base_url) -> Any:
        if request.param == "sync":
            with Client(base_url, **options) as client:
                return do(client.project(stub.project.id))

        async def run() -> Any:
            async with AsyncClient(base_url, **options) as client:
                result = do(client.project(stub.project.id))
                return await result if inspect.isawaitable(result) else result

        return anyio.run(run, backend=request.param)

    return through
