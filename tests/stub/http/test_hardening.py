"""Requests with ambiguous framing are refused, and the bytes after them are never handled as a request."""

from __future__ import annotations

import socket
import time
from contextlib import contextmanager

import pytest

from project_platform_stub.http.messages import MAX_BODY_BYTES
from project_platform_stub.http.server import StubServer

from .conftest import Handler

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /first HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
GET = b"GET /first HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
MIB = 1024 * 1024
SERVER = StubServer.__module__
REFUSAL = (400, b"Invalid HTTP request received.")

AMBIGUOUS = {
    "length and chunks": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 5\r\nContent-Length: 0\r\n\r\n",
    "a list of lengths": POST + b"Content-Length: 0, 5\r\n\r\n",
    "a negative length": POST + b"Content-Length: -5\r\n\r\n",
    "an empty length": POST + b"Content-Length:\r\n\r\n",
    "a length over 64 bits": POST + b"Content-Length: 18446744073709551616\r\n\r\n",
    "a folded field": POST + b"X: a\r\n b\r\n\r\n",
    "a folded coding": POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "a space before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "a space before the first field": b"POST /first HTTP/1.1\r\n Host: x\r\n\r\n",
    "a field without a colon": POST + b"nonsense\r\n\r\n",
    "a NUL in a field": POST + b"X: a\x00b\r\n\r\n",
    "lines that end in LF": b"GET /first HTTP/1.1\nHost: x\n\n",
    "a field that ends in LF": POST + b"X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a head that ends in LF": POST + b"X: a\r\n\n",
    "a CR in a field": POST + b"X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "an unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a coding before chunked": POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a coding after chunked": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "two fields of codings": POST + b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks in HTTP/1.0": b"POST /first HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "an invalid chunk size": CHUNKED + b"xyz\r\n",
    "a chunk size with a space": CHUNKED + b"5 \r\nhello\r\n0\r\n\r\n",
    "a chunk size that ends in LF": CHUNKED + b"5\nhello\r\n0\r\n\r\n",
    "a chunk extension that ends in LF": CHUNKED + b"5;a\nhello\r\n0\r\n\r\n",
    "a chunk size over 64 bits": CHUNKED + b"10000000000000005\r\nhello\r\n0\r\n\r\n",
    "a chunk longer than its size": CHUNKED + b"5\r\nhello world\r\n0\r\n\r\n",
    "no end of a chunk": CHUNKED + b"5\r\nhello0\r\n\r\n",
    "a length after the chunks": CHUNKED + b"0\r\nContent-Length: 5\r\n\r\n",
    "an upgrade with a body": POST + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 36\r\n\r\n",
    "no host": b"GET /first HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /first HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    "no version": b"GET /first\r\n\r\n",
    "another version": b"GET /first HTTP/2.0\r\nHost: x\r\n\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a tunnel": b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n",
    "a space in the path": b"GET /fir st HTTP/1.1\r\nHost: x\r\n\r\n",
    "a path that is not ASCII": "GET /é HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
    "an unknown method": b"get /first HTTP/1.1\r\nHost: x\r\n\r\n",
    "bytes that are not HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n",
}


@contextmanager
def connected(server):
    """Yield a connection to the server, with a timeout far above the time for any response."""
    port = int(server.base_url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def read_to_end(connection):
    read = b""
    try:
        while piece := connection.recv(65536):
            read += piece
    except ConnectionResetError:
        pass
    return read


def send_pieces(connection, *pieces):
    try:
        for piece in pieces:
            connection.sendall(piece)
    except (BrokenPipeError, ConnectionResetError):
        pass


def parse_responses(read):
    """Return status and body of all responses in the received bytes."""
    responses = []
    while read:
        head, _, read = read.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields.get(b"content-length", 0))
        responses.append((int(head.split()[1]), read[:length]))
        read = read[length:]
    return responses


@pytest.fixture(scope="module", params=["asyncio", "uvloop"])
def server(request):
    handler = Handler()
    with StubServer(handler, "127.0.0.1", 0, loop=request.param) as server:
        server.handler = handler
        yield server


@pytest.fixture
def requests(server):
    """The requests that the handler of the server gets in this test."""
    server.handler.requests.clear()
    return server.handler.requests


@pytest.mark.parametrize("way", ["at once", "byte by byte"])
@pytest.mark.parametrize("shape", AMBIGUOUS)
def test_a_request_with_ambiguous_framing_is_refused(server, requests, shape, way):
    """The response is a 400 that closes the connection, and the handler gets no request."""
    sent = AMBIGUOUS[shape] + SMUGGLED
    with connected(server) as connection:
        send_pieces(connection, *([sent] if way == "at once" else [sent[i : i + 1] for i in range(len(sent))]))
        read = parse_responses(read_to_end(connection))

    # If the client still sends when the server closes, a reset can discard the response before the client reads it.
    assert read == [REFUSAL] if way == "at once" else read in ([REFUSAL], [])
    assert requests == []


@pytest.mark.parametrize("way", ["at once", "byte by byte"])
@pytest.mark.parametrize(
    "request_",
    [
        b"GET /first HTTP/1.1\r\nHost: x\r\nContent-Length: 36\r\n\r\n" + SMUGGLED.ljust(36),
        CHUNKED + b"24;a=b\r\n" + SMUGGLED.ljust(36) + b"\r\n0\r\nAuthorization: Bearer x\r\nHost: y\r\n\r\n",
        b"\r\n\r\n" + GET,
        POST + b"Content-Length: 0\r\nContent_Length: 36\r\n\r\n",
    ],
)
def test_valid_framing_is_parsed(server, requests, request_, way):
    """A body that looks like a request is a body; the next request follows it; trailers are not headers."""
    sent = request_ + LAST
    with connected(server) as connection:
        send_pieces(connection, *([sent] if way == "at once" else [sent[i : i + 1] for i in range(len(sent))]))
        read = parse_responses(read_to_end(connection))

    assert read == [(200, b"/first"), (200, b"/last")]
    assert "authorization" not in requests[0].headers
    assert requests[0].headers["host"] == "x"
    assert requests[0].body in {b"", SMUGGLED.ljust(36)}


@pytest.mark.parametrize("pause", [0.0, 0.05])
@pytest.mark.parametrize("field", [b"Connection: close", b"Connection: Upgrade\r\nUpgrade: h2c"])
def test_bytes_after_the_last_request_are_ignored(server, requests, field, pause):
    """After a request with `Connection: close` or an upgrade, the server handles no further request."""
    with connected(server) as connection:
        connection.sendall(b"GET /delay/0.2 HTTP/1.1\r\nHost: x\r\n" + field + b"\r\n\r\n")
        time.sleep(pause)
        connection.sendall(SMUGGLED)
        read = parse_responses(read_to_end(connection))

    assert read == [(200, b"/delay/0.2")]
    assert [request.raw_path for request in requests] == [b"/delay/0.2"]


def test_http_1_0_needs_no_host(server):
    """The server answers one HTTP/1.0 request and closes the connection."""
    with connected(server) as connection:
        send_pieces(connection, b"GET /first HTTP/1.0\r\n\r\n", SMUGGLED)
        assert parse_responses(read_to_end(connection)) == [(200, b"/first")]


def test_a_large_head_is_accepted(server, requests):
    """A head of 64 kB is accepted directly after the body of another request."""
    long_head = LAST.replace(b"\r\n\r\n", b"\r\nX: " + b"x" * 64_000 + b"\r\n\r\n")
    with connected(server) as connection:
        send_pieces(connection, CHUNKED + b"20000\r\n" + b"x" * 0x20000 + b"\r\n0\r\n\r\n" + long_head)
        assert parse_responses(read_to_end(connection)) == [(200, b"/first"), (200, b"/last")]

    assert requests[1].headers["x"] == "x" * 64_000


def test_a_large_body_is_read_to_its_end_and_dropped(server, requests):
    """The handler gets one byte more than 1 MiB, and the server handles the next request."""
    with connected(server) as connection:
        send_pieces(connection, POST + b"Content-Length: %d\r\n\r\n" % (3 * MIB), b"x" * 3 * MIB, LAST)
        assert parse_responses(read_to_end(connection)) == [(200, b"/first"), (200, b"/last")]

    assert requests[0].body == b"x" * (MAX_BODY_BYTES + 1)


def test_an_idle_connection_is_closed(serve, monkeypatch):
    """The server closes an idle connection after the keep-alive time, without another response."""
    monkeypatch.setattr(f"{SERVER}._KEEP_ALIVE", 1)
    with serve() as server, connected(server) as connection:
        connection.sendall(GET)
        assert parse_responses(read_to_end(connection)) == [(200, b"/first")]


def test_a_request_over_too_many_connections_is_answered_503(serve, monkeypatch):
    """The server accepts requests again after a connection ends."""
    monkeypatch.setattr(f"{SERVER}._MAX_CONNECTIONS", 3)
    with serve() as server, connected(server), connected(server) as second:
        with connected(server) as third:
            send_pieces(third, LAST)
            assert [status for status, _ in parse_responses(read_to_end(third))] == [503]
        second.close()
        deadline, responses = time.monotonic() + 10, []
        while responses != [(200, b"/last")] and time.monotonic() < deadline:
            with connected(server) as third:
                send_pieces(third, LAST)
                responses = parse_responses(read_to_end(third))
        assert responses == [(200, b"/last")]
