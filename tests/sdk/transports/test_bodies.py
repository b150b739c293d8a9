"""Bodies are sent and received whole, and a request has only the headers that it needs."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from project_platform import TimeoutError

from .carrier import get, within
from .server import OK, PATIENT, serve_ok

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


def test_a_request_has_host_length_and_the_given_headers(serve, carrier):
    heads: list[bytes] = []

    def keep(line):
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


def test_cookies_are_not_stored_and_redirects_not_followed(serve, carrier):
    """A transport sends only the given request; cookies and redirects are left to the caller."""
    heads: list[bytes] = []

    def elsewhere(line):
        while True:
            heads.append(line.request()[0].lower())
            line.send(b"HTTP/1.1 302 Found\r\nlocation: /b\r\nset-cookie: a=b; Path=/\r\ncontent-length: 0\r\n\r\n")

    server = serve(elsewhere)

    responses = [carrier.send(get(server)) for _ in range(2)]

    assert [response.status for response in responses] == [302, 302]
    assert responses[0].headers["location"] == "/b"
    assert len(heads) == 2
    assert not any(b"cookie" in head for head in heads)
