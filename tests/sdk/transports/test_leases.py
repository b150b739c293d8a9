"""An interruption, wherever it comes, keeps no place in the pool, and mixes up no responses.

INTERRUPTIONS is the number of cancellations (300).
"""

from __future__ import annotations

import functools
import gc
import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import pytest

import project_platform
from project_platform import AsyncClient, Client, NotSentError, RetryPolicy
from project_platform.calls.operation import Call, Operation, Response
from project_platform.transports.async_pool import AsyncConnectionTransport
from project_platform.transports.pool import ConnectionTransport
from project_platform.transports.tls import tls_context

from .server import Line, Server

INTERRUPTIONS = int(os.environ.get("INTERRUPTIONS", "300"))
PLACES = 100
ROOMS = tuple(str(Path(project_platform.__file__).parent / room) for room in ("transports", "calls"))

# A connection that is dropped between two lines is closed by its finalizer, which warns of that; an interruption of a finalizer
# itself is reported and not raised.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def echo(line: Line) -> None:
    """Answer every request with its target, in two parts; `/close/...` closes the connection."""
    while True:
        target = line.request()[0].split(b" ")[1]
        ending = b"connection: close\r\n" if target.startswith(b"/close") else b""
        line.send(b"HTTP/1.1 200 OK\r\n%bcontent-length: %d\r\n\r\n%b" % (ending, len(target), target[:3]))
        line.send(target[3:])
        if ending:
            return


def target_of(number: int, kind: str = "keep") -> str:
    """Return a target that no other request has, of random length."""
    return f"/{kind}/{number}/{'x' * random.randrange(200)}"


def read_call(target: str, *, stream: bool = False) -> Call[Any]:
    """Return a call whose result is the body of the response, or the stream of it."""

    def read(response: Response) -> Any:
        return response.stream if stream else response.body

    return Call(
        Operation("read", "GET", "/read", "never", "read", "1", read, accept="text/plain", stream=stream), target
    )


def fetch(client: Client, target: str, *, stream: bool = False) -> None:
    """Send a call, and check that the response is its own."""
    value = client.send(read_call(target, stream=stream)).value
    if not stream:
        assert value == target.encode()
        return
    try:
        assert b"".join(value) == target.encode()
    finally:
        value.close()


@contextmanager
def sync_client(server: Server, places: int) -> Iterator[Client]:
    """Return a client with a pool of so many places, whose token is from a function."""
    transport = ConnectionTransport(lambda: tls_context(verify=True), max_connections=places)
    url = server.url.partition("/things")[0]
    with Client(url, token=lambda: "token", transport=transport, retry=RetryPolicy(max_attempts=1)) as client:
        yield client
    transport.close()


def check_places(client: Client, places: int) -> None:
    """Check that as many responses as there are places can be left unread, each of its own request, and not one more."""
    gc.collect()
    targets = [target_of(number) for number in range(places)]
    view = client.with_options(timeout=project_platform.Timeout(pool=0.2))
    streams = [view.send(read_call(target, stream=True)).value for target in targets]
    with pytest.raises(NotSentError, match="no connection became free"):
        fetch(view, target_of(places))
    assert [b"".join(stream).decode() for stream in streams] == targets
    for stream in streams:
        stream.close()


class Interrupter:
    """Raises at the n-th line of code that runs in some folders."""

    def __init__(self, number: int, folders: tuple[str, ...]) -> None:
        self.left, self.folders = number, folders

    def __call__(self, frame: Any, event: str, argument: object) -> Any:
        if not frame.f_code.co_filename.startswith(self.folders):
            return None
        if event == "line":
            if self.left == 0:
                sys.settrace(None)
                self.left = -1
                raise KeyboardInterrupt
            self.left -= 1
        return self


def interrupted(number: int, act: Callable[[], object], folders: tuple[str, ...] = ROOMS) -> bool:
    """Raise `KeyboardInterrupt` at the n-th line of these folders that an action runs. Return whether it runs that many."""
    interrupter, before = Interrupter(number, folders), sys.gettrace()
    sys.settrace(interrupter)
    try:
        act()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return interrupter.left < 0


@pytest.mark.parametrize("kind", ["keep", "close", "stream"])
def test_ctrl_c_at_any_line_keeps_no_place(serve, kind):
    """The only place of a pool is free after an interruption at each line of `transports` and `calls`."""
    with sync_client(serve(echo), places=1) as client:
        fetch(client, target_of(0))
        number = 0
        while interrupted(number, functools.partial(fetch, client, target_of(number, kind), stream=kind == "stream")):
            number += 1
            fetch(client, target_of(number))
        check_places(client, 1)

    assert number > 300


def test_ctrl_c_at_any_line_of_a_wait_for_a_place_keeps_none(serve):
    """A request that waits for a place and is interrupted leaves the queue."""
    with sync_client(serve(echo), places=1) as client:

        def wait_and_fetch():
            stream = client.send(read_call(target_of(number), stream=True)).value
            threading.Timer(0.01, stream.close).start()
            fetch(client, target_of(number))

        number = 0
        while interrupted(number, wait_and_fetch):
            number += 3 if number > 200 else 20
            fetch(client, target_of(number))
        check_places(client, 1)

    assert number > 600


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_cancellations_keep_no_place(serve, backend):
    """Cancellations at any time of a call, while others wait for its place: the same."""
    server = serve(echo)
    ends = Counter[str]()

    async def fetch_async(client, number):
        kind = random.choice(("keep", "keep", "close", "stream"))
        target = target_of(number, kind)
        with anyio.move_on_after(random.uniform(0.0, 0.3)) as scope:
            value = (await client.send(read_call(target, stream=kind == "stream"))).value
            if kind == "stream":
                try:
                    chunks = [chunk async for chunk in value]
                finally:
                    await value.aclose()
                value = b"".join(chunks)
            assert value == target.encode()
        ends["cancelled" if scope.cancelled_caught else "returned"] += 1

    async def main():
        transport: Any = AsyncConnectionTransport(lambda: tls_context(verify=True), max_connections=PLACES)
        url = server.url.partition("/things")[0]
        async with AsyncClient(url, token="token", transport=transport, retry=RetryPolicy(max_attempts=1)) as client:
            number = 0
            while ends["cancelled"] < INTERRUPTIONS or not ends["returned"]:
                async with anyio.create_task_group() as group:
                    for _ in range(PLACES + 20):
                        number += 1
                        group.start_soon(fetch_async, client, number)
            targets = [target_of(number) for number in range(PLACES)]
            streams = [(await client.send(read_call(target, stream=True))).value for target in targets]
            with pytest.raises(NotSentError, match="no connection became free"):
                await client.with_options(timeout=project_platform.Timeout(pool=0.2)).send(read_call("/keep/more"))
            assert [b"".join([chunk async for chunk in stream]).decode() for stream in streams] == targets
            for stream in streams:
                await stream.aclose()
        await transport.aclose()

    with anyio.from_thread.start_blocking_portal(backend) as portal:
        portal.call(main)
    print(ends)
