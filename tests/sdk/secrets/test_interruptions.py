"""A call that is interrupted shows no secret in the frames of the transport, where the request is bytes."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import anyio.to_thread
import pytest

from project_platform import AsyncClient, Client, RetryPolicy, TokenEndpoint

from ..transports.server import PATIENT, Line, Server
from .showing import CLIENT_HEADERS, SESSION, TOKEN, reports, secrets_in

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
LARGE = 8 * 1024 * 1024  # bytes; more than the buffers of both sockets
SOURCES = {"token": TOKEN, "session": TokenEndpoint(SESSION)}
SIZES = {"reading": 10, "writing": LARGE}


class Unresponsive(Server):
    """A server that never answers, and to write to which takes for ever; `reached` is set once a call waits for it."""

    def __init__(self, phase: str) -> None:
        self.reached = threading.Event()
        super().__init__(self._ignore if phase == "writing" else self._read)

    def _read(self, line: Line) -> None:
        line.request()
        self.reached.set()
        line.until_closed()

    def _ignore(self, line: Line) -> None:
        time.sleep(1.0)  # until the buffers are full
        self.reached.set()
        while line.sock.fileno() >= 0:
            time.sleep(0.02)


# The request for a token has no body that fills a buffer.
@pytest.fixture(params=[("reading", "token"), ("reading", "session"), ("writing", "token")], ids=" ".join)
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param


@pytest.fixture
def phase(case: tuple[str, str]) -> str:
    return case[0]


@pytest.fixture
def server(phase: str) -> Iterator[Unresponsive]:
    server = Unresponsive(phase)
    yield server
    server.stop()


@pytest.fixture
def client_of(case: tuple[str, str], server: Unresponsive) -> Callable[..., Any]:
    """Return a function that creates a client with every secret. The locals of a test are in the traceback, too."""
    url, policy = server.url.partition("/things")[0], RetryPolicy(max_attempts=1)
    return lambda kind: kind(url, token=SOURCES[case[1]], headers=CLIENT_HEADERS, retry=policy)


@pytest.fixture
def _ctrl_c(server: Unresponsive) -> Iterator[None]:
    """Interrupt the main thread as Ctrl+C does, once the call waits for the server."""

    def interrupt() -> None:
        if server.reached.wait(PATIENT):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    usual = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    yield
    thread.join()
    signal.signal(signal.SIGUSR1, usual)


@pytest.mark.usefixtures("_ctrl_c")
def test_ctrl_c_shows_no_secret(client_of, phase):
    """A traceback of `KeyboardInterrupt` has the frames of the transport."""
    with client_of(Client) as client:
        with pytest.raises(KeyboardInterrupt) as raised:
            client.project(PROJECT).records.create(type_slug="deal", data={"text": " " * SIZES[phase]})

    assert any("transports" in str(entry.path) for entry in raised.traceback)
    for shown in reports(raised.value):
        assert secrets_in(shown) == []


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_task_shows_no_secret(server, client_of, phase, backend):
    """The exception that cancels a task is the context of the one that its caller raises."""
    found = []

    async def cancel(scope):
        await anyio.to_thread.run_sync(server.reached.wait, PATIENT)
        scope.cancel()

    async def call():
        async with client_of(AsyncClient) as client, anyio.create_task_group() as group:
            group.start_soon(cancel, group.cancel_scope)
            try:
                await client.project(PROJECT).records.create(type_slug="deal", data={"text": " " * SIZES[phase]})
            except anyio.get_cancelled_exc_class() as error:
                found.extend(secrets_in(shown) for shown in reports(error))
                raise

    anyio.run(call, backend=backend)

    assert len(found) > 10
    assert all(secrets == [] for secrets in found)
