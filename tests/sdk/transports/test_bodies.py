"""Bodies are sent and received whole, and a request has only the headers that it needs."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from project_platform import TimeoutError

from .carrier import get, within
from .server import PATIENT, serve_ok

LARGE = 5_000_000


def test_a_body_that_cannot_be_decompressed_is_not_complete(serve, carrier):
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 8\r\n\r\nnonsense"
    server = serve(lambda line: (line.request(), line.send(head), line.until_closed()))

    response = carrier.send(get(server))

    assert (response.status, response.complete) == (200, False)


def test_large_bodies_are_sent_and_received_whole(serve, carrier):
    body = bytes(range(256)) * (LARGE // 256)

    def echo(line):
        _, got = line.request()
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(got))
        for at in range(0, len(got), 100_000):
            line.send(got[at : at + 100_000])
        serve_ok(line)

    server = serve(echo)

    response = carrier.send(replace(get(server), method="PUT", body=body))

    assert response.complete
    assert response.body == body
    assert carrier.send(get(server)).body == b"ok"
    assert server.opened == 1


def test_a_body_that_the_server_does_not_read_in_time_is_a_timeout(serve, carrier):
    """A server that stops reading does not block a request for ever; part of the request may have arrived."""
    go_on = threading.Event()
    server = serve(lambda line: go_on.wait(PATIENT))

    outcome = carrier.send(within(replace(get(server), method="PUT", body=bytes(20_000_000)), write=0.1))

    assert type(outcome) is TimeoutError
    go_on.set()
    server.wait_for_an_end()


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_a_refusal_of_a_large_body_is_read_although_the_body_could_not_be_written(serve, make, certificates, tls):
    """A server may response and close the connection before it has read the body (RFC 9112, section 9.6)."""

    def refuse(line):
        line.sock.recv(1000)
        line.send(b"HTTP/1.1 413 Content Too Large\r\nconnection: close\r\ncontent-length: 3\r\n\r\nbig")
        time.sleep(0.2)

    server = serve(refuse, tls=certificates.server("localhost") if tls else None)
    outcome = make(certificates.client()).send(replace(get(server), method="PUT", body=bytes(30_000_000)))

    assert (outcome.status, outcome.body) == (413, b"big")
