"""A server gives everybody their time and no more, also when there are many of them."""

from __future__ import annotations

import json
import socket
import time
import tracemalloc
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from project_platform_stub.http.limits import Limits
from project_platform_stub.http.messages import Response
from project_platform_stub.http.server import StubServer

GET = b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
MIB = 1024 * 1024


class Sized:
    """A handler whose answers come late, or are large, as the path says."""

    def handle(self, request):
        """Answer."""
        what, _, much = request.raw_path.decode().strip("/").partition("/")
        body = b"x" * int(much) if what == "size" else request.raw_path
        return Response(200, {}, body, delay=float(much) if what == "delay" else 0.0)

    def takes_long(self, request):
        """Never."""
        return False


@pytest.fixture(params=["asyncio", "uvloop"])
def serve(request):
    """Return a server on each of the event loops that has little patience, unless it is told otherwise."""

    def serve(**limits):
        limits = Limits(**{"head_seconds": 0.4, "body_seconds": 0.4, **limits})
        return StubServer(Sized(), "127.0.0.1", 0, loop=request.param, limits=limits)

    return serve


@contextmanager
def connected(server):
    """A connection, with a patience that no server should need."""
    with socket.create_connection(address(server), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def address(server):
    """Return host and port."""
    url = httpx.URL(server.base_url)
    return url.host, url.port


def read_on(connection):
    """Return all that comes until the connection ends."""
    read = b""
    try:
        while piece := connection.recv(65536):
            read += piece
    except ConnectionResetError:
        pass
    return read


def answer_of(connection, end):
    """Return an answer, up to how it ends."""
    read = b""
    while not read.endswith(end):
        piece = connection.recv(65536)
        assert piece, read
        read += piece
    return read


def trickle_on(connection, piece):
    """Send a piece now and then until the other side takes no more, and return for how many seconds it did."""
    started = time.monotonic()
    try:
        while time.monotonic() < started + 5:
            connection.sendall(piece)
            time.sleep(0.05)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return time.monotonic() - started


def status_and_code(read):
    """Return what an error answer says."""
    head, _, body = read.partition(b"\r\n\r\n")
    assert b"connection: close" in head
    return int(head.split()[1]), json.loads(body)["code"]


@pytest.mark.parametrize("sent", [b"", b"GET /x HTT", GET[:-2], POST, POST + b"x" * 99])
def test_a_request_that_does_not_come_in_time_is_given_up(serve, sent):
    """Whoever does not send a whole head, or a whole body, in its time gets a 408, and the connection ends."""
    with serve() as server, connected(server) as connection:
        started = time.monotonic()
        connection.sendall(sent)
        read = read_on(connection)

    assert status_and_code(read) == (408, "request_timeout")
    assert 0.3 < time.monotonic() - started < 2.0


@pytest.mark.parametrize("before", [b"", GET])
@pytest.mark.parametrize("trickle", [b"X", b"\r\n"])
def test_a_trickle_wins_no_time(serve, trickle, before):
    """The time is that of the whole, also on a connection that was of use before; a byte now and then does not extend it."""
    with serve() as server, connected(server) as connection:
        connection.sendall(before)
        assert 0.3 < trickle_on(connection, trickle) < 3.0


def test_a_request_that_must_wait_is_given_its_time(serve):
    """The time that the requests before it take is not held against the one that is being sent."""
    with serve() as server, connected(server) as connection:
        connection.sendall(b"GET /delay/1.0 HTTP/1.1\r\nHost: x\r\n\r\n" + POST + b"x" * 50)
        assert answer_of(connection, b"/delay/1.0").startswith(b"HTTP/1.1 200 ")
        connection.sendall(b"x" * 50)
        assert answer_of(connection, b"/x").startswith(b"HTTP/1.1 200 ")


def test_an_idle_connection_is_let_go(serve):
    """A connection between two requests ends without a word."""
    with serve(idle_seconds=1) as server, connected(server) as connection:
        connection.sendall(GET)
        assert read_on(connection).endswith(b"/x")


@pytest.mark.parametrize(("size", "times"), [(60_000_000, 1), (2_000_000, 30)], ids=["one answer", "many answers"])
def test_an_answer_that_nobody_reads_is_dropped(serve, size, times):
    """A client that asks and does not read loses its connection."""
    with serve(unread_seconds=0.4) as server, socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(10)
        connection.connect(address(server))
        connection.sendall(b"GET /size/%d HTTP/1.1\r\nHost: x\r\n\r\n" % size * times)
        time.sleep(1.5)
        received = len(read_on(connection))

    assert received < 30_000_000


def test_too_many_connections_are_turned_away(serve):
    """Over the limit a connection gets a 503, and there is room again as soon as another one ends."""
    with serve(connections=3, head_seconds=10) as server, ExitStack() as stack:
        there = [stack.enter_context(connected(server)) for _ in range(3)]
        for connection in there:
            connection.sendall(GET)
            answer_of(connection, b"/x")

        with connected(server) as one_more:
            assert status_and_code(read_on(one_more)) == (503, "too_many_connections")
        with pytest.raises(httpx.HTTPStatusError, match="503"):
            httpx.get(f"{server.base_url}/x").raise_for_status()

        there[0].sendall(GET)
        answer_of(there[0], b"/x")
        there[0].close()
        time.sleep(0.2)
        assert httpx.get(f"{server.base_url}/x").status_code == 200


def test_whoever_opens_ever_more_connections_gets_no_answer(serve):
    """At twice the limit a connection just ends, so that turning clients away takes no more than serving them."""
    with serve(connections=1, head_seconds=10) as server:
        with connected(server), connected(server) as second, connected(server) as third:
            assert read_on(third) == b""
            assert status_and_code(read_on(second)) == (503, "too_many_connections")


@pytest.fixture
def many_files():
    """Room for two thousand connections in one process."""
    resource = pytest.importorskip("resource", reason="only Unix limits open files in this way")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4096, hard)), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_thousand_slow_clients_keep_nobody_waiting(serve, many_files):
    """While 1,000 connections trickle, others are answered at once; when their time is up, all of them are gone."""
    slowest = 0.0
    tracemalloc.start()
    with (
        serve(head_seconds=4.0) as server,
        httpx.Client() as client,
        ExitStack() as stack,
    ):
        before, _ = tracemalloc.get_traced_memory()
        slow = [stack.enter_context(connected(server)) for _ in range(1000)]
        for byte in (b"G", b"E", b"T", b" "):
            for connection in slow:
                connection.sendall(byte)
            started = time.monotonic()
            assert client.get(f"{server.base_url}/x").status_code == 200
            slowest = max(slowest, time.monotonic() - started)
            time.sleep(0.2)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        ended = [read_on(connection) for connection in slow]
        assert client.get(f"{server.base_url}/x").status_code == 200

    assert slowest < 1.0
    assert {status_and_code(read) for read in ended} == {(408, "request_timeout")}
    assert peak - before < 32 * MIB
