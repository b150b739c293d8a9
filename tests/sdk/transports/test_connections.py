"""The transports over real sockets: what they promise about connections, time, TLS and the fate of a request."""

from __future__ import annotations

import asyncio
import concurrent.futures
import datetime
import gc
import gzip
import ipaddress
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import trio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from project_platform import ConnectionLostError, NotSentError, Request, Response, Timeout, TimeoutError
from project_platform.transports.aiohttp_transport import AiohttpTransport
from project_platform.transports.async_connections import AsyncConnectionTransport
from project_platform.transports.connections import ConnectionTransport
from project_platform.transports.transport import tls_context

PATIENT = 5.0  # seconds that a test waits at most for what should come at once
LARGE = 5_000_000
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


class ClosedError(Exception):
    """The client has closed the connection."""


class Line:
    """The server's end of one connection."""

    def __init__(self, sock: socket.socket, number: int) -> None:
        self.sock = sock
        self.number = number
        self._read = b""

    def request(self) -> tuple[bytes, bytes]:
        """Read one request and return its head and its body."""
        while b"\r\n\r\n" not in self._read:
            self._more()
        head, _, self._read = self._read.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        while len(self._read) < length:
            self._more()
        body, self._read = self._read[:length], self._read[length:]
        return head, body

    def _more(self) -> None:
        data = self.sock.recv(65536)
        if not data:
            raise ClosedError
        self._read += data

    def send(self, data: bytes) -> None:
        """Write bytes."""
        self.sock.sendall(data)

    def reset(self) -> None:
        """Break the connection off, as a crash does."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def until_closed(self) -> None:
        """Wait until the client closes the connection."""
        with suppress(ConnectionError):
            while self.sock.recv(65536):
                pass
        raise ClosedError


def serve_ok(line: Line) -> None:
    """Answer every request."""
    while True:
        line.request()
        line.send(OK)


@dataclass
class Server:
    """A server that does on each connection what it was told to, in a thread for each."""

    script: Callable[[Line], None] = serve_ok
    tls: ssl.SSLContext | None = None
    opened: int = 0
    ended: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._socks: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where the server is."""
        return f"{'https' if self.tls else 'http'}://{'localhost' if self.tls else '127.0.0.1'}:{self.port}/things?a=1"

    def wait_for_an_end(self) -> None:
        """Wait until a connection has ended."""
        assert self.ended.acquire(timeout=PATIENT), "no connection ended"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                self._socks.append(sock)
                self.opened += 1
                threading.Thread(target=self._run, args=(sock, self.opened), daemon=True).start()

    def _run(self, sock: socket.socket, number: int) -> None:
        try:
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_side=True)
            self.script(Line(sock, number))
        except (ClosedError, OSError):
            pass
        finally:
            sock.close()
            self.ended.release()

    def stop(self) -> None:
        """End every connection."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._socks:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()


class Carrier:
    """A transport, used in the same way whatever it runs under."""

    def __init__(self, transport: Any, portal: BlockingPortal | None) -> None:
        self.transport = transport
        self._portal = portal
        self._threads = concurrent.futures.ThreadPoolExecutor(32)

    def send(self, request: Request) -> Any:
        """Send a request and return the outcome."""
        return self.start(request).result(3 * PATIENT)

    def start(self, request: Request) -> concurrent.futures.Future[Any]:
        """Begin to send a request."""
        if self._portal is None:
            return self._threads.submit(self.transport.send, request)
        return self._portal.start_task_soon(self.transport.send, request)

    def read(self, stream: Any, chunks: int | None = None) -> bytes:
        """Read a stream, or so many of its chunks, and close it."""
        if self._portal is None:
            try:
                parts = iter(stream)
                return b"".join(parts) if chunks is None else b"".join(next(parts) for _ in range(chunks))
            finally:
                stream.close()

        async def read() -> bytes:
            got = b""
            number = 0
            parts = aiter(stream)
            try:
                async for part in parts:
                    got += part
                    number += 1
                    if number == chunks:
                        break
                return got
            finally:
                await parts.aclose()
                await stream.aclose()

        return self._portal.call(read)

    def block_loop_until(self, first: Request, closed: Callable[[], None], second: Request) -> Any:
        """Send, do nothing at all until something has happened, and send again before the event loop can notice."""
        if self._portal is None:
            self.send(first)
            closed()
            return self.send(second)

        async def both() -> Any:
            await self.transport.send(first)
            closed()
            return await self.transport.send(second)

        return self._portal.call(both)

    def close(self) -> None:
        """Close the transport."""
        if self._portal is None:
            self.transport.close()
        else:
            self._portal.call(self.transport.aclose)
        self._threads.shutdown()


KINDS: dict[str, Any] = {
    "sync": ConnectionTransport,
    "asyncio": AsyncConnectionTransport,
    "uvloop": AsyncConnectionTransport,
    "trio": AsyncConnectionTransport,
    "aiohttp": AiohttpTransport,
}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    """Which transport, and what it runs under."""
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    return request.param


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server."""
    with ExitStack() as stack:

        def serve(script: Callable[[Line], None] = serve_ok, **options: Any) -> Server:
            server = Server(script, **options)
            stack.callback(server.stop)
            return server

        yield serve


@pytest.fixture
def make(kind: str) -> Iterator[Callable[..., Carrier]]:
    """Return a function that makes a carrier."""
    with ExitStack() as stack:
        portal = None
        if kind != "sync":
            options = {"use_uvloop": True} if kind == "uvloop" else {}
            backend = "trio" if kind == "trio" else "asyncio"
            portal = stack.enter_context(start_blocking_portal(backend, options))

        def make(tls: ssl.SSLContext | None = None, **options: Any) -> Carrier:
            if kind == "aiohttp":
                transport: Any = AiohttpTransport(verify=tls or True, **options)
            else:
                transport = KINDS[kind](lambda: tls or tls_context(verify=True), **options)
            carrier = Carrier(transport, portal)
            stack.callback(carrier.close)
            return carrier

        yield make


@pytest.fixture
def carrier(make: Callable[..., Carrier]) -> Carrier:
    """A carrier with the usual limits."""
    return make()


def get(server: Server, **options: Any) -> Request:
    """Return a request to a server."""
    timeout = Timeout(PATIENT, PATIENT, PATIENT, PATIENT)
    return Request("GET", server.url, {"accept": "text/plain"}, timeout=timeout, **options)


def within(request: Request, **limits: float) -> Request:
    """Return a request that waits less long."""
    return replace(request, timeout=replace(request.timeout, **limits))


# Keeping connections.


def test_two_calls_use_one_connection(serve: Any, carrier: Carrier) -> None:
    """A connection that an answer was read from to its end carries the next request."""
    server = serve()

    answers = [carrier.send(get(server)) for _ in range(2)]

    assert [(answer.status, answer.body, answer.complete) for answer in answers] == [(200, b"ok", True)] * 2
    assert server.opened == 1


def test_a_connection_that_the_server_closed_is_not_used_again(serve: Any, carrier: Carrier) -> None:
    """A server may close an idle connection; the next request goes over a new one and does not fail."""

    def once(line: Line) -> None:
        line.request()
        line.send(OK)

    server = serve(once)
    carrier.send(get(server))
    server.wait_for_an_end()
    time.sleep(0.05)

    assert carrier.send(get(server)).status == 200
    assert server.opened == 2


def test_a_close_that_the_event_loop_did_not_see_is_seen(serve: Any, carrier: Carrier) -> None:
    """A program that computed for a while finds out that its connection was closed before it sends over it."""
    server = serve(lambda line: (line.request(), line.send(OK)))

    answer = carrier.block_loop_until(get(server), server.wait_for_an_end, get(server))

    assert isinstance(answer, Response)
    assert server.opened == 2


def test_unasked_bytes_on_an_idle_connection_end_it(serve: Any, carrier: Carrier) -> None:
    """What a server says without being asked, such as 408, is not taken for the answer to the next request."""

    def twice(line: Line) -> None:
        line.request()
        line.send(OK)
        if line.number == 1:
            time.sleep(0.05)
            line.send(b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n")
            said.set()
        line.until_closed()

    said = threading.Event()
    server = serve(twice)
    carrier.send(get(server))
    assert said.wait(PATIENT)
    time.sleep(0.05)

    assert carrier.send(get(server)).status == 200
    assert server.opened == 2


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstale",
        b"HTTP/1.1 204 No Content\r\n\r\n{}",
    ],
    ids=["an answer too many", "a body where none may be"],
)
def test_bytes_behind_an_answer_end_its_connection(serve: Any, carrier: Carrier, answer: bytes) -> None:
    """What came with an answer and belongs to none is not taken for the answer to the next request.

    aiohttp does not even believe the answer that such bytes came with.
    """

    def more(line: Line) -> None:
        while True:
            line.request()
            line.send(answer)

    server = serve(more)

    answers = [carrier.send(get(server)) for _ in range(3)]

    assert all(isinstance(each, ConnectionLostError) or each.body in {b"ok", b""} for each in answers)
    assert server.opened == 3


def test_a_forked_process_has_connections_of_its_own(serve: Any) -> None:
    """A process that was forked from one with open connections leaves them to it."""
    server = serve()
    transport = ConnectionTransport(lambda: tls_context(verify=True))
    assert transport.send(get(server)).status == 200

    child = os.fork()
    if child == 0:
        ended = 1
        try:
            ended = 0 if transport.send(get(server)).status == 200 else 1
        finally:
            os._exit(ended)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert transport.send(get(server)).status == 200
    assert server.opened == 2
    transport.close()


def test_an_idle_connection_expires(serve: Any, make: Any) -> None:
    """A connection that nobody used for the keep-alive expiry is closed, not used."""
    server = serve()
    carrier = make(keepalive_expiry=0.05)
    carrier.send(get(server))
    time.sleep(0.15)

    assert carrier.send(get(server)).status == 200
    assert server.opened == 2
    server.wait_for_an_end()


def test_connections_that_are_not_needed_any_more_are_closed(serve: Any, make: Any) -> None:
    """After a burst, the connections that expired are closed while others are in use."""
    server = serve(lambda line: (line.request(), time.sleep(0.1), line.send(OK), serve_ok(line)))
    carrier = make(keepalive_expiry=0.3)
    for started in [carrier.start(get(server)) for _ in range(4)]:
        started.result(PATIENT)
    until = time.monotonic() + PATIENT
    while not server.ended.acquire(blocking=False) and time.monotonic() < until:
        carrier.send(get(server))
        time.sleep(0.15)

    assert time.monotonic() < until


def test_closing_closes_idle_connections(serve: Any, carrier: Carrier) -> None:
    """A transport that is closed leaves no connection open."""
    server = serve()
    carrier.send(get(server))

    carrier.close()

    server.wait_for_an_end()


# How many connections.


def test_there_are_never_more_connections_than_allowed(serve: Any, make: Any) -> None:
    """Requests beyond the limit wait for a connection and are all answered."""
    at_once: list[int] = [0]
    most: list[int] = [0]
    lock = threading.Lock()

    def slowly(line: Line) -> None:
        while True:
            line.request()
            with lock:
                at_once[0] += 1
                most[0] = max(most[0], at_once[0])
            time.sleep(0.02)
            with lock:
                at_once[0] -= 1
            line.send(OK)

    server = serve(slowly)
    carrier = make(max_connections=2)

    answers = [started.result(PATIENT) for started in [carrier.start(get(server)) for _ in range(8)]]

    assert {answer.status for answer in answers} == {200}
    assert most == [2]
    assert server.opened == 2


def test_a_request_that_gets_no_connection_is_not_sent(serve: Any, make: Any) -> None:
    """When no connection comes free in time, the request surely did not leave."""
    reached = threading.Event()
    go_on = threading.Event()

    def wait(line: Line) -> None:
        line.request()
        reached.set()
        go_on.wait(PATIENT)
        line.send(OK)
        serve_ok(line)

    server = serve(wait)
    carrier = make(max_connections=1)
    first = carrier.start(get(server))
    assert reached.wait(PATIENT)

    second = carrier.send(within(get(server), pool=0.05, connect=0.05))
    go_on.set()

    assert isinstance(second, NotSentError)
    assert first.result(PATIENT).status == 200
    assert carrier.send(get(server)).status == 200
    assert server.opened == 1


def test_threads_share_a_transport(serve: Any) -> None:
    """Each of many threads gets the answer to its own request, over no more connections than there are threads."""

    def echo(line: Line) -> None:
        while True:
            _, body = line.request()
            line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))

    server = serve(echo)
    transport = ConnectionTransport(ssl.create_default_context)

    def many(thread: int) -> list[bool]:
        wanted = [f"{thread}/{number}".encode() for number in range(50)]
        return [transport.send(replace(get(server), method="POST", body=body)).body == body for body in wanted]

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        right = [each for results in threads.map(many, range(8)) for each in results]
    transport.close()

    assert len(right) == 400
    assert all(right)
    assert server.opened <= 8


# Time, cancellation and trouble.


def test_no_answer_in_time_is_a_timeout_and_ends_the_connection(serve: Any, carrier: Carrier) -> None:
    """After a read timeout the answer may still come, so the connection carries nothing else."""

    def late(line: Line) -> None:
        line.request()
        if line.number == 1:
            line.until_closed()
        line.send(OK)
        line.until_closed()

    server = serve(late)

    outcome = carrier.send(within(get(server), read=0.1))

    assert type(outcome) is TimeoutError
    server.wait_for_an_end()
    assert carrier.send(get(server)).status == 200
    assert server.opened == 2


def test_a_body_that_stops_coming_is_cut_off(serve: Any, carrier: Carrier) -> None:
    """A read timeout after the head leaves an answer that says that it is not complete."""

    def half(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")
        line.until_closed()

    outcome = carrier.send(within(get(serve(half)), read=0.1))

    assert (outcome.status, outcome.body, outcome.complete) == (200, b"half", False)


def test_a_body_that_drips_in_ends_with_the_total_time(serve: Any, carrier: Carrier) -> None:
    """The total time bounds an answer of which every piece comes in time."""

    def drip(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n")
        while True:
            line.send(b".")
            time.sleep(0.02)

    server = serve(drip)
    began = time.monotonic()

    outcome = carrier.send(within(get(server), total=0.2))

    assert not outcome.complete
    assert outcome.status == 200
    assert time.monotonic() - began < 2
    server.wait_for_an_end()


def test_a_cancelled_call_closes_its_connection(kind: str, serve: Any, make: Any) -> None:
    """Cancellation while an answer is awaited closes the connection and frees its place."""
    if kind == "sync":
        pytest.skip("a thread cannot be cancelled")
    reached = threading.Event()

    def late(line: Line) -> None:
        line.request()
        reached.set()
        if line.number == 1:
            line.until_closed()
        line.send(OK)

    server = serve(late)
    carrier = make(max_connections=1)
    started = carrier.start(get(server))
    assert reached.wait(PATIENT)

    started.cancel()

    server.wait_for_an_end()
    assert carrier.send(get(server)).status == 200


def test_a_call_cancelled_in_its_body_closes_its_connection(kind: str, serve: Any, make: Any) -> None:
    """Cancellation while a body is read closes the connection and frees its place."""
    if kind == "sync":
        pytest.skip("a thread cannot be cancelled")
    reached = threading.Event()

    def late(line: Line) -> None:
        line.request()
        if line.number == 1:
            line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")
            time.sleep(0.05)
            reached.set()
            line.until_closed()
        line.send(OK)

    server = serve(late)
    carrier = make(max_connections=1)
    started = carrier.start(get(server))
    assert reached.wait(PATIENT)

    started.cancel()

    server.wait_for_an_end()
    assert carrier.send(get(server)).status == 200


def test_a_refused_connection_is_not_sent(carrier: Carrier) -> None:
    """Where nobody listens, the request surely did not leave."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    outcome = carrier.send(Request("GET", f"http://127.0.0.1:{port}/", {}))

    assert isinstance(outcome, NotSentError)
    assert str(port) in str(outcome)


@pytest.mark.parametrize("host", ["nobody.invalid", "a..b", f"{'a' * 64}.example"])
def test_a_host_that_does_not_exist_is_not_sent(carrier: Carrier, host: str) -> None:
    """A name that no address is found for, or that no host can have, is no connection, and raises nothing."""
    assert isinstance(carrier.send(Request("GET", f"http://{host}/", {})), NotSentError)


@pytest.mark.skipif(sys.platform != "linux", reason="how a full backlog behaves differs between systems")
def test_a_connection_that_does_not_come_about_in_time_is_not_sent(carrier: Carrier) -> None:
    """A connect timeout says that the request surely did not leave."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):  # the backlog is full then, and further connections are left unanswered
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"

        outcome = carrier.send(Request("GET", url, {}, timeout=Timeout(connect=0.2, pool=0.1)))

    assert isinstance(outcome, NotSentError)


@pytest.mark.parametrize("end", [Line.reset, lambda line: None], ids=["reset", "closed"])
@pytest.mark.parametrize("kept", [False, True], ids=["new", "kept"])
def test_a_connection_that_breaks_before_the_head_is_lost(serve: Any, carrier: Carrier, end: Any, kept: bool) -> None:
    """Whether a request arrived is not known when the connection breaks; the transport does not send it again."""
    requests: list[bytes] = []

    def broken(line: Line) -> None:
        if kept:
            line.request()
            line.send(OK)
        requests.append(line.request()[0])
        end(line)

    server = serve(broken)
    if kept:
        assert carrier.send(get(server)).status == 200

    assert type(carrier.send(get(server))) is ConnectionLostError
    assert len(requests) == server.opened == 1


@pytest.mark.parametrize("end", [Line.reset, lambda line: None], ids=["reset", "closed"])
@pytest.mark.parametrize(
    "head",
    [b"content-length: 9\r\n\r\nhalf", b"transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
    ids=["length", "chunked"],
)
def test_a_connection_that_breaks_after_the_head_leaves_what_came(
    serve: Any, carrier: Carrier, end: Any, head: bytes
) -> None:
    """An answer whose body was cut off has its status and says that it is not complete."""

    def broken(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\n" + head)
        time.sleep(0.05)
        end(line)

    outcome = carrier.send(get(serve(broken)))

    assert (outcome.status, outcome.body, outcome.complete) == (200, b"half", False)


def test_what_is_no_http_is_lost(serve: Any, carrier: Carrier) -> None:
    """An answer that cannot be read as HTTP says nothing about the request."""

    def babble(line: Line) -> None:
        line.request()
        line.send(b"hello\r\n\r\n")

    assert type(carrier.send(get(serve(babble)))) is ConnectionLostError


# Bodies.


def test_a_chunked_body_is_read_to_its_end(serve: Any, carrier: Carrier) -> None:
    """Chunks are put together, and the connection is used again."""

    def chunked(line: Line) -> None:
        while True:
            line.request()
            for part in (
                b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
                b"3\r\nabc\r\n",
                b"2\r\nde\r\n0\r\n\r\n",
            ):
                line.send(part)
                time.sleep(0.01)

    server = serve(chunked)

    assert [carrier.send(get(server)).body for _ in range(2)] == [b"abcde"] * 2
    assert server.opened == 1


def test_a_body_that_ends_with_the_connection_is_complete(serve: Any, carrier: Carrier) -> None:
    """A body without a length ends where the connection does (RFC 9112, section 6.3)."""

    def once(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nall of it")

    outcome = carrier.send(get(serve(once)))

    assert (outcome.body, outcome.complete) == (b"all of it", True)


def test_an_answer_without_a_body_frees_its_connection(serve: Any, carrier: Carrier) -> None:
    """A 204 has no body, and its connection is used again."""

    def empty(line: Line) -> None:
        while True:
            line.request()
            line.send(b"HTTP/1.1 204 No Content\r\n\r\n")

    server = serve(empty)

    assert [carrier.send(get(server)).status for _ in range(2)] == [204, 204]
    assert server.opened == 1


COMPRESSED = {
    "gzip": gzip.compress(b"label " * 500),
    "deflate": zlib.compress(b"label " * 500),
}


@pytest.mark.parametrize("encoding", COMPRESSED)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_compressed_body_is_decompressed(serve: Any, carrier: Carrier, encoding: str, stream: bool) -> None:
    """A body that came compressed is handed on as it was before, whole and as a stream."""
    body = COMPRESSED[encoding]
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\ncontent-length: {len(body)}\r\n\r\n"
    server = serve(lambda line: (line.request(), line.send(head.encode() + body), line.until_closed()))

    answer = carrier.send(get(server, stream=stream))

    assert (carrier.read(answer.stream) if stream else answer.body) == b"label " * 500


def test_a_body_that_cannot_be_decompressed_is_not_complete(serve: Any, carrier: Carrier) -> None:
    """Nonsense under the name of gzip is an answer with a status and no complete body."""
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 8\r\n\r\nnonsense"
    server = serve(lambda line: (line.request(), line.send(head), line.until_closed()))

    answer = carrier.send(get(server))

    assert (answer.status, answer.complete) == (200, False)


def test_large_bodies_go_both_ways(serve: Any, carrier: Carrier) -> None:
    """Five megabytes reach a server that reads late, and five reach a client, byte for byte."""
    body = bytes(range(256)) * (LARGE // 256)

    def echo(line: Line) -> None:
        time.sleep(0.1)
        _, got = line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(got))
        for at in range(0, len(got), 100_000):
            line.send(got[at : at + 100_000])
        serve_ok(line)

    server = serve(echo)

    answer = carrier.send(replace(get(server), method="PUT", body=body))

    assert answer.complete
    assert answer.body == body
    assert carrier.send(get(server)).body == b"ok"
    assert server.opened == 1


def test_a_body_that_is_not_taken_in_time_is_a_timeout(serve: Any, carrier: Carrier) -> None:
    """A server that stops reading does not hold a request for ever; part of it may have arrived."""
    go_on = threading.Event()
    server = serve(lambda line: go_on.wait(PATIENT))

    outcome = carrier.send(
        replace(get(server), method="PUT", body=bytes(20_000_000), timeout=Timeout(0.1, 0.1, 0.1, 0.1))
    )

    assert type(outcome) is TimeoutError
    go_on.set()
    server.wait_for_an_end()


def test_the_head_says_what_it_should(serve: Any, carrier: Carrier) -> None:
    """A request has its own headers, the host with its port, and the length of its body even if that is nothing."""
    heads: list[bytes] = []

    def keep(line: Line) -> None:
        while True:
            heads.append(line.request()[0].lower())
            line.send(OK)

    server = serve(keep)
    carrier.send(get(server))
    carrier.send(replace(get(server), method="POST"))

    lines = [set(head.split(b"\r\n")) for head in heads]
    host = f"host: 127.0.0.1:{server.port}".encode()
    assert lines[0] == {b"get /things?a=1 http/1.1", host, b"accept: text/plain"}
    assert lines[1] == {b"post /things?a=1 http/1.1", host, b"accept: text/plain", b"content-length: 0"}


def test_no_cookies_are_kept_and_no_redirects_followed(serve: Any, carrier: Carrier) -> None:
    """What a transport sends is what it was given: cookies and redirects are left to the caller."""
    heads: list[bytes] = []

    def elsewhere(line: Line) -> None:
        while True:
            heads.append(line.request()[0].lower())
            line.send(b"HTTP/1.1 302 Found\r\nlocation: /b\r\nset-cookie: a=b; Path=/\r\ncontent-length: 0\r\n\r\n")

    server = serve(elsewhere)

    answers = [carrier.send(get(server)) for _ in range(2)]

    assert [answer.status for answer in answers] == [302, 302]
    assert answers[0].headers["location"] == "/b"
    assert len(heads) == 2
    assert not any(b"cookie" in head for head in heads)


# Streams.


def test_a_stream_gives_its_connection_back(serve: Any, make: Any) -> None:
    """A stream that was read to its end frees its place, and its connection is used again."""
    server = serve()
    carrier = make(max_connections=1)

    for _ in range(2):
        answer = carrier.send(get(server, stream=True))
        assert answer.body == b""
        assert carrier.read(answer.stream) == b"ok"

    assert server.opened == 1


def test_a_stream_that_is_left_early_closes_its_connection(serve: Any, make: Any) -> None:
    """A stream that was closed before its end frees its place; what was left in it meets nobody."""

    def large(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % LARGE)
        line.send(bytes(LARGE))

    server = serve(large)
    carrier = make(max_connections=1)

    for _ in range(2):
        answer = carrier.send(get(server, stream=True))
        assert carrier.read(answer.stream, chunks=1)
        server.wait_for_an_end()

    assert server.opened == 2


def test_a_large_stream_is_read_to_its_end(serve: Any, carrier: Carrier) -> None:
    """A stream longer than any buffer arrives whole, also when it is read slowly."""

    def large(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % LARGE)
        line.send(bytes(LARGE))
        serve_ok(line)

    server = serve(large)
    answer = carrier.send(get(server, stream=True))
    time.sleep(0.1)

    assert carrier.read(answer.stream) == bytes(LARGE)
    assert carrier.send(get(server)).status == 200
    assert server.opened == 1


def test_a_stream_that_breaks_says_so(serve: Any, carrier: Carrier) -> None:
    """Reading a stream whose connection breaks raises the error that says so."""

    def broken(line: Line) -> None:
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")

    answer = carrier.send(get(serve(broken), stream=True))

    with pytest.raises(ConnectionLostError):
        carrier.read(answer.stream)


def test_an_error_is_not_streamed(serve: Any, carrier: Carrier) -> None:
    """The body of an error is read at once, since it says what went wrong."""
    error = b"HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\nfire"
    server = serve(lambda line: (line.request(), line.send(error)))

    answer = carrier.send(get(server, stream=True))

    assert (answer.stream, answer.body) == (None, b"fire")


# TLS.


@dataclass
class Certificates:
    """A certificate authority of our own."""

    folder: Path

    def __post_init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Authority of the tests")])
        self._ca = self._sign(self._name, self._key, x509.BasicConstraints(ca=True, path_length=None))

    def _sign(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, *extensions: Any) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(hours=1))
        )
        for extension in extensions:
            builder = builder.add_extension(extension, critical=False)
        return builder.sign(self._key, hashes.SHA256())

    def client(self) -> ssl.SSLContext:
        """Return a context that trusts the authority."""
        pem = self._ca.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)

    def server(self, host: str) -> ssl.SSLContext:
        """Return a context that proves to be a host."""
        key = ec.generate_private_key(ec.SECP256R1())
        names: list[x509.GeneralName] = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.9"))]
        certificate = self._sign(x509.Name([]), key, x509.SubjectAlternativeName(names))
        path = self.folder / f"{host}.pem"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """A certificate authority of our own."""
    return Certificates(tmp_path_factory.mktemp("certificates"))


def test_https_works_and_keeps_its_connection(serve: Any, make: Any, certificates: Certificates) -> None:
    """Over TLS large bodies arrive too, and the connection is used again."""

    def large(line: Line) -> None:
        while True:
            _, body = line.request()
            line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body))
            line.send(body)

    server = serve(large, tls=certificates.server("localhost"))
    carrier = make(certificates.client())
    body = bytes(1_000_000)

    for _ in range(2):
        assert carrier.send(replace(get(server), method="PUT", body=body)).body == body
    assert server.opened == 1

    carrier.close()
    server.wait_for_an_end()


def test_a_certificate_of_another_host_is_refused(serve: Any, make: Any, certificates: Certificates) -> None:
    """A server that cannot prove to be the host is sent nothing."""
    server = serve(tls=certificates.server("elsewhere.example"))

    assert isinstance(make(certificates.client()).send(get(server)), NotSentError)


def test_a_certificate_of_an_unknown_authority_is_refused(serve: Any, make: Any, certificates: Certificates) -> None:
    """A server whose authority is not trusted is sent nothing."""
    server = serve(tls=certificates.server("localhost"))

    assert isinstance(make().send(get(server)), NotSentError)


def test_a_tls_handshake_that_does_not_end_is_not_sent(kind: str, serve: Any, carrier: Carrier) -> None:
    """A server that accepts and then keeps silent is given up after the connect timeout, with nothing sent."""
    server = serve(lambda line: line.until_closed())
    request = replace(get(server), url=f"https://127.0.0.1:{server.port}/")

    outcome = carrier.send(within(request, connect=0.2, pool=0.2))

    assert isinstance(outcome, NotSentError)
    server.wait_for_an_end()


def test_a_tls_handshake_that_is_broken_off_is_not_sent(serve: Any, carrier: Carrier) -> None:
    """A server that hangs up instead of shaking hands was sent nothing."""
    server = serve(lambda line: line.sock.recv(10))

    outcome = carrier.send(replace(get(server), url=f"https://127.0.0.1:{server.port}/"))

    assert isinstance(outcome, NotSentError)


def test_cancellation_in_the_handshake_closes_the_socket(kind: str, serve: Any, make: Any) -> None:
    """A call that is cancelled before its connection is ready leaves no socket behind."""
    if kind == "sync":
        pytest.skip("a thread cannot be cancelled")
    reached = threading.Event()

    def silent(line: Line) -> None:
        line.sock.recv(10)
        reached.set()
        line.until_closed()

    server = serve(silent)
    carrier = make(max_connections=1)
    started = carrier.start(replace(get(server), url=f"https://127.0.0.1:{server.port}/"))
    assert reached.wait(PATIENT)

    started.cancel()

    server.wait_for_an_end()


# Event loops.


@pytest.mark.parametrize("kind", ["asyncio", "trio", "aiohttp"])
def test_a_transport_goes_on_in_another_event_loop(kind: str, serve: Any) -> None:
    """A client may be used in one event loop after another; what the first one held is closed with it."""
    server = serve()

    def use(transport: Any) -> None:
        async def twice() -> list[int]:
            return [(await transport.send(get(server))).status for _ in range(2)]

        for number in (1, 2):
            assert (trio.run(twice) if kind == "trio" else asyncio.run(twice())) == [200, 200]
            server.wait_for_an_end()
            assert server.opened == number

    use(AiohttpTransport() if kind == "aiohttp" else AsyncConnectionTransport(ssl.create_default_context))

    gc.collect()  # a socket left open would be a warning now, and warnings are errors


def test_aiohttp_is_imported_only_when_it_is_asked_for() -> None:
    """A client that does not use aiohttp does not import it."""
    program = (
        "import sys, project_platform as p; p.AsyncClient('https://platform.example', token='t'); "
        "sys.exit('aiohttp' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
