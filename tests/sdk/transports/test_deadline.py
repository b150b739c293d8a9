"""The deadline ends an attempt, however slowly the parts of a response arrive."""

from __future__ import annotations

import functools
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from project_platform import NotSentError, Response, TimeoutError
from project_platform.transports.proxies import Proxy

from .carrier import get, within
from .server import OK, PATIENT, Line, dead_address

DEADLINE = 2.0
LATEST = 6 * DEADLINE  # Seconds; a call without a deadline takes at least 10 times its deadline in these tests.
OK_HEAD = b"HTTP/1.1 200 OK\r\n"

DRIPS = {
    "head": (b"HTTP/1.1 200 OK\r\nx", b"-a"),
    "1xx": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "header fields": (OK_HEAD, b"x-a: b\r\n"),
    "body": (OK_HEAD + b"content-length: 999\r\n\r\n", b"."),
    "body without a length": (OK_HEAD + b"\r\n", b"."),
    "chunks": (OK_HEAD + b"transfer-encoding: chunked\r\n\r\n", b"1\r\n.\r\n"),
    "chunk extension": (OK_HEAD + b"transfer-encoding: chunked\r\n\r\n1;", b"a"),
    "trailers": (OK_HEAD + b"transfer-encoding: chunked\r\n\r\n1\r\n.\r\n0\r\n", b"x-a: b\r\n"),
}


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
def test_a_response_that_arrives_slowly_ends_with_the_deadline(serve, make, certificates, tls):
    """Each part arrives well within the read timeout, and the whole never does."""

    def drip(first, again, line):
        line.request()
        line.send(first)
        until = time.monotonic() + 10 * DEADLINE
        while time.monotonic() < until:
            time.sleep(0.05)
            line.send(again)

    context = certificates.server("localhost") if tls else None
    servers = [serve(functools.partial(drip, *parts), tls=context) for parts in DRIPS.values()]
    carrier = make(certificates.client())
    began = time.monotonic()

    calls = [carrier.start(within(get(server), total=DEADLINE)) for server in servers]
    outcomes = {part: call.result(PATIENT) for part, call in zip(DRIPS, calls, strict=True)}

    assert DEADLINE <= time.monotonic() - began < LATEST
    for part, outcome in outcomes.items():
        if part in {"head", "1xx", "header fields"}:
            assert type(outcome) is TimeoutError, part
        else:
            assert isinstance(outcome, Response), part
            assert (outcome.complete, outcome.timed_out) == (False, True), part


def test_each_wait_on_a_connection_has_its_timeout(serve, carrier):
    """A connection may have waited before, for a shorter or for a longer time."""

    def four_times(line):
        for delay in (0.0, 1.5 * DEADLINE, 0.0, 10 * DEADLINE):
            line.request()
            time.sleep(delay)
            line.send(OK)

    server = serve(four_times)

    assert carrier.send(within(get(server), read=DEADLINE)).status == 200
    assert carrier.send(within(get(server), read=PATIENT)).status == 200
    assert carrier.send(within(get(server), read=PATIENT)).status == 200
    began = time.monotonic()
    assert type(carrier.send(within(get(server), read=DEADLINE))) is TimeoutError
    assert DEADLINE <= time.monotonic() - began < LATEST
    assert server.opened == 1


def test_a_server_that_reads_slowly_ends_with_the_deadline(serve, carrier):
    """Each piece is taken within the write timeout, and the whole body is not."""

    def slowly(line):
        line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        until = time.monotonic() + 10 * DEADLINE
        while time.monotonic() < until:
            line.sock.recv(4096)
            time.sleep(0.02)

    began = time.monotonic()

    outcome = carrier.send(within(replace(get(serve(slowly)), method="PUT", body=bytes(30_000_000)), total=DEADLINE))

    assert type(outcome) is TimeoutError
    assert time.monotonic() - began < LATEST


@pytest.fixture(name="dead_address")
def _dead_address() -> Iterator[tuple[str, int]]:
    with dead_address() as where:
        yield where


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], list[Any]]], None]:
    """Return a function that sets what the resolver of the system does for the host `some.test`."""
    real = socket.getaddrinfo

    def resolve(answer: Callable[[], list[Any]]) -> None:
        def getaddrinfo(host: Any, *arguments: Any, **more: Any) -> Any:
            if host not in {"some.test", b"some.test"} or more.get("flags"):
                return real(host, *arguments, **more)
            return answer()

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    return resolve


def address(where: tuple[str, int]) -> tuple[Any, ...]:
    return (socket.AF_INET, socket.SOCK_STREAM, 6, "", where)


@pytest.mark.parametrize("stalls", ["resolver", "addresses", "proxy"])
def test_what_stalls_before_the_request_is_sent_ends_with_the_deadline(serve, make, resolver, dead_address, stalls):
    """The resolver cannot be interrupted, all addresses of a host share the time, and connecting includes the tunnel."""
    resolver(lambda: [address(dead_address)] * 4 if stalls == "addresses" else time.sleep(10 * DEADLINE) or [])
    silent = serve(Line.until_closed)
    proxy = Proxy.of(f"http://127.0.0.1:{silent.port}", "HTTPS_PROXY") if stalls == "proxy" else None
    request = replace(get(silent), url=f"{'https' if proxy else 'http'}://some.test/")
    limit = {"connect": DEADLINE} if stalls == "addresses" else {"total": DEADLINE}
    carrier = make(proxy=proxy)
    began = time.monotonic()

    outcome = carrier.send(within(request, **limit))

    assert type(outcome) is NotSentError
    assert time.monotonic() - began < LATEST


def test_the_next_address_is_tried_while_the_first_one_does_not_answer(serve, make, resolver, dead_address):
    """A dead address costs a quarter of a second (RFC 8305), and one that refuses costs nothing."""
    server = serve()
    with socket.create_server(("127.0.0.1", 0)) as closed:
        refusing = closed.getsockname()
    resolver(lambda: [address(refusing), address(dead_address), address(("127.0.0.1", server.port))])
    carrier = make()
    began = time.monotonic()

    outcome = carrier.send(replace(get(server), url="http://some.test/"))

    assert outcome.status == 200
    assert time.monotonic() - began < LATEST


def test_an_unreachable_network_is_not_a_connection(make, resolver, serve):
    """`connect` itself fails, as for an IPv6 address without a route; the socket looks connected afterwards."""
    resolver(lambda: [address(("255.255.255.255", 80))])
    server = serve()

    outcome = make().send(within(replace(get(server), url="http://some.test/"), connect=DEADLINE))

    assert type(outcome) is NotSentError
