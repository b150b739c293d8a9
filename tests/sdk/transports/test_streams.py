"""A streamed body is read from the connection in chunks, and its connection is released or closed."""

from __future__ import annotations

import time

import pytest

from project_platform import ConnectionLostError

from .carrier import get
from .server import serve_ok

LARGE = 5_000_000


def test_a_stream_closed_before_its_end_closes_its_connection(serve, make):
    """Bytes that were not read are discarded with the connection, which no longer counts towards the limit."""

    def large(line):
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % LARGE)
        line.send(bytes(LARGE))

    server = serve(large)
    carrier = make(max_connections=1)

    for _ in range(2):
        response = carrier.send(get(server, stream=True))
        assert carrier.read(response.stream, chunks=1)
        server.wait_for_an_end()

    assert server.opened == 2


def test_a_large_stream_is_read_to_its_end(serve, carrier):
    """A stream longer than any buffer is complete, also when it is read slowly."""

    def large(line):
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % LARGE)
        line.send(bytes(LARGE))
        serve_ok(line)

    server = serve(large)
    response = carrier.send(get(server, stream=True))
    time.sleep(0.1)

    assert carrier.read(response.stream) == bytes(LARGE)
    assert carrier.send(get(server)).status == 200
    assert server.opened == 1


def test_reading_a_stream_whose_connection_breaks_raises_an_error(serve, carrier):
    def broken(line):
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf")

    response = carrier.send(get(serve(broken), stream=True))

    with pytest.raises(ConnectionLostError):
        carrier.read(response.stream)


def test_the_body_of_an_error_is_read_at_once(serve, carrier):
    """An error is not streamed, because its body has the message."""
    error = b"HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\nfire"
    server = serve(lambda line: (line.request(), line.send(error)))

    response = carrier.send(get(server, stream=True))

    assert (response.stream, response.body) == (None, b"fire")
