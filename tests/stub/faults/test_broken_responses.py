"""Late, cut and broken responses look the same to a client in process and over a socket."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace

import anyio
import httpx
import pytest

from project_platform_stub.http.in_process import AsyncStubTransport, StubTransport
from project_platform_stub.http.messages import Cut, Response
from project_platform_stub.http.server import StubServer

WHOLE = Response(200, {"Content-Type": "application/octet-stream"}, b"0123456789" * 20_000)
BROKEN = {
    "closed before anything": Cut("close"),
    "reset before anything": Cut("reset"),
    "closed after the head": Cut("close", 0),
    "reset after the head": Cut("reset", 0),
    "closed in the body": Cut("close", 20),
    "reset in the body": Cut("reset", 20),
    "closed late in the body": Cut("close", 150_001),
    "reset late in the body": Cut("reset", 150_001),
    "closed after the body": Cut("close", len(WHOLE.body)),
    "reset after the body": Cut("reset", len(WHOLE.body)),
}
EXPECTED = {("close", False): httpx.RemoteProtocolError, ("reset", False): httpx.ReadError}
CARRIERS = ["in process, sync", "in process, asyncio", "in process, trio", "socket, sync"]
CARRIERS += ["socket, asyncio", "socket, trio"]
IN_PROCESS = [carrier for carrier in CARRIERS if carrier.startswith("in process")]


class Scripted:
    """A handler that returns one response to every request, and records the thread."""

    def __init__(self, response, *, long=False):
        self.response, self.long, self.threads = response, long, []

    def handle(self, request):
        self.threads.append(threading.current_thread())
        return self.response

    def takes_long(self, request):
        return self.long


@dataclass(frozen=True)
class Ending:
    """The observation of a client in the end."""

    status: int | None
    body: bytes
    error: type | None
    message: str = ""  # followed by the path of the request


def send_sync(transport, base_url, method, patience):
    status, body = None, b""
    with httpx.Client(transport=transport, base_url=base_url, timeout=patience) as client:
        try:
            with client.stream(method, "/x") as response:
                status = response.status_code
                for piece in response.iter_raw():
                    body += piece
        except httpx.TransportError as error:
            return Ending(status, body, type(error), f"{error.request.url.path}: {error}")
    return Ending(status, body, None)


async def send_async(transport, base_url, method, patience):
    status, body = None, b""
    async with httpx.AsyncClient(transport=transport, base_url=base_url, timeout=patience) as client:
        try:
            async with client.stream(method, "/x") as response:
                status = response.status_code
                async for piece in response.aiter_raw():
                    body += piece
        except httpx.TransportError as error:
            return Ending(status, body, type(error), f"{error.request.url.path}: {error}")
    return Ending(status, body, None)


def send(carrier, handler, *, method="GET", timeout=5.0, base_url="http://stub"):
    """Return the outcome of a request that a carrier passes to the handler."""
    where, _, way = carrier.partition(", ")
    if way == "sync":
        transport = StubTransport(handler) if where == "in process" else httpx.HTTPTransport()
        return send_sync(transport, base_url, method, timeout)
    transport = AsyncStubTransport(handler) if where == "in process" else None
    return anyio.run(send_async, transport, base_url, method, timeout, backend=way)


@pytest.fixture(params=["asyncio", "uvloop"], scope="module")
def socket(request):
    """A server on each of the event loops, whose handler can be changed."""
    handler = Scripted(WHOLE)
    with StubServer(handler, "127.0.0.1", 0, loop=request.param) as server:
        handler.base_url = server.base_url
        yield handler


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_response_ends_the_same_in_process_and_over_a_socket(socket, kind, carrier, caplog):
    """The exception, its message and the bytes that could be read before are those of a real connection.

    A planned fault is not a failure of the server: nothing is logged, and the next request succeeds.
    """
    cut = BROKEN[kind]
    socket.response = replace(WHOLE, cut=cut)

    ending = send(carrier, socket, base_url=socket.base_url)

    whole = cut.after == len(WHOLE.body)
    assert ending.error is EXPECTED.get((cut.how, whole))
    assert ending.status == (None if cut.after is None else 200)
    assert ending.body == WHOLE.body[: cut.after or 0]
    if carrier.endswith("sync"):
        assert ending == send("socket, sync", socket, base_url=socket.base_url)
    socket.response = WHOLE
    assert send(carrier, socket, base_url=socket.base_url) == Ending(200, WHOLE.body, None)
    assert caplog.records == []


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_read_timeout_ends_the_wait(socket, carrier):
    socket.response = replace(WHOLE, delay=30.0)
    started = time.monotonic()

    ending = send(carrier, socket, timeout=httpx.Timeout(5.0, read=0.2), base_url=socket.base_url)

    assert (ending.status, ending.error) == (None, httpx.ReadTimeout)
    assert 0.2 <= time.monotonic() - started < 10.0


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("timeout", [5.0, None])
def test_a_delayed_response_arrives_after_its_delay(socket, carrier, timeout):
    """Not earlier, and complete, also for a client without timeouts."""
    socket.response = replace(WHOLE, delay=0.3)
    started = time.monotonic()

    ending = send(carrier, socket, timeout=timeout, base_url=socket.base_url)

    assert ending == Ending(200, WHOLE.body, None)
    assert 0.3 <= time.monotonic() - started < 10.0


@pytest.mark.parametrize("carrier", CARRIERS)
def test_the_response_to_a_head_has_no_body_to_cut(socket, carrier):
    """A HEAD response has the length and no body; only a cut before the header can break it."""
    for cut in (None, Cut("close", 20), Cut("reset", 20)):
        socket.response = replace(WHOLE, cut=cut)
        assert send(carrier, socket, method="HEAD", base_url=socket.base_url) == Ending(200, b"", None)

    socket.response = replace(WHOLE, cut=Cut("close"))
    assert send(carrier, socket, method="HEAD", base_url=socket.base_url).error is httpx.RemoteProtocolError


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_204_has_neither_body_nor_length(socket, carrier):
    """RFC 9110 section 15.3.5."""
    socket.response = Response(204, {}, b"left out")

    assert send(carrier, socket, base_url=socket.base_url) == Ending(204, b"", None)


@pytest.mark.parametrize("carrier", IN_PROCESS)
def test_a_body_arrives_in_chunks(carrier):
    pieces = []
    transport = httpx.Client(transport=StubTransport(Scripted(WHOLE)), base_url="http://stub")
    if carrier == "in process, sync":
        with transport as client, client.stream("GET", "/x") as response:
            pieces += response.iter_raw()
    else:

        async def read():
            stub = AsyncStubTransport(Scripted(WHOLE))
            async with httpx.AsyncClient(transport=stub, base_url="http://stub") as client:
                async with client.stream("GET", "/x") as response:
                    pieces.extend([piece async for piece in response.aiter_raw()])

        anyio.run(read, backend=carrier.partition(", ")[2])

    assert [len(piece) for piece in pieces] == [65536, 65536, 65536, 200_000 - 3 * 65536]
    assert b"".join(pieces) == WHOLE.body


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_wait_can_be_cancelled(backend):
    """A task that waits for a delayed response stops when cancelled, with the exception of its event loop."""
    ended = []

    async def wait():
        transport = AsyncStubTransport(Scripted(replace(WHOLE, delay=30.0)))
        async with httpx.AsyncClient(transport=transport, base_url="http://stub", timeout=None) as client:
            with anyio.move_on_after(0.1) as scope:
                try:
                    await client.get("/x")
                except BaseException as error:
                    ended.append(type(error))
                    raise
            return scope.cancelled_caught

    started = time.monotonic()
    assert anyio.run(wait, backend=backend)
    assert ended == [anyio.run(_cancelled_class, backend=backend)]
    assert time.monotonic() - started < 10.0


async def _cancelled_class():
    return anyio.get_cancelled_exc_class()


@pytest.mark.parametrize("carrier", ["in process, asyncio", "in process, trio", "socket, sync", "in process, sync"])
@pytest.mark.parametrize("long", [True, False])
def test_a_slow_request_does_not_block_the_event_loop(socket, carrier, long, monkeypatch):
    """A handler that says so runs in a thread; all others run in the event loop."""
    monkeypatch.setattr(socket, "long", long)
    monkeypatch.setattr(socket, "threads", [])
    socket.response = WHOLE

    for _ in range(2):
        assert send(carrier, socket, base_url=socket.base_url).status == 200

    loops = {"in process, sync": threading.main_thread().name, "socket, sync": "project-platform-stub"}
    in_loop = {thread.name == loops.get(carrier, threading.main_thread().name) for thread in socket.threads}
    assert in_loop == {carrier == "in process, sync" or not long}


@pytest.mark.parametrize("carrier", ["in process, asyncio", "in process, trio"])
def test_a_read_timeout_ends_the_wait_for_a_thread(carrier):
    """A request that takes longer than the read timeout continues in the background, as on a server."""
    done = threading.Event()

    class Slow(Scripted):
        def handle(self, request):
            time.sleep(2)
            done.set()
            return self.response

    # The thread has to begin within the timeout.
    ending = send(carrier, Slow(WHOLE, long=True), timeout=1)

    assert ending.error is httpx.ReadTimeout
    assert not done.is_set()
    assert done.wait(5)
