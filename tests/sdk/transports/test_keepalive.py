"""Idle connections are reused only where that is safe."""

from __future__ import annotations

import functools
import ssl
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from project_platform import Response
from project_platform.transports import origins

from .carrier import Carrier, get
from .certificates import Certificates
from .server import OK, PATIENT, Line, serve_ok


def test_a_connection_that_the_server_closed_is_not_used_again(serve: Any, carrier: Carrier) -> None:
    """A server may close an idle connection; the next request goes over a new one and does not fail."""

    def once(line: Line) -> None:
        line.request()
        line.send(OK)

    server = serve(once)
    carrier.send(get(server))
    server.wait_for_an_end()

    assert carrier.send(get(server)).status == 200
    assert server.opened == 2


def test_a_connection_closed_while_the_event_loop_was_blocked_is_not_used_again(serve: Any, carrier: Carrier) -> None:
    """The transport detects the close before it sends, although the event loop has not processed it."""
    server = serve(lambda line: (line.request(), line.send(OK)))

    answer = carrier.block_loop_until(get(server), server.wait_for_an_end, get(server))

    assert isinstance(answer, Response)
    assert server.opened == 2


def test_unsolicited_bytes_on_an_idle_connection_close_it(serve: Any, carrier: Carrier) -> None:
    """An unsolicited answer, such as 408, is not taken for the response to the next request."""

    def twice(line: Line) -> None:
        line.request()
        line.send(OK)
        if line.number == 1:
            read.wait(PATIENT)
            line.send(b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n")
            sent.set()
        line.until_closed()

    read, sent = threading.Event(), threading.Event()
    server = serve(twice)
    carrier.send(get(server))
    read.set()
    assert sent.wait(PATIENT)

    assert carrier.send(get(server)).status == 200
    assert server.opened == 2


@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("separate", [False, True], ids=["at once", "separately"])
@pytest.mark.parametrize(
    ("answer", "surplus"),
    [
        (OK, b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstale"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b"{}"),
    ],
    ids=["a surplus response", "a body after 204"],
)
def test_bytes_after_an_answer_close_its_connection(  # noqa: PLR0917
    serve: Any, make: Any, certificates: Certificates, answer: bytes, surplus: bytes, separate: bool, tls: bool
) -> None:
    """Surplus bytes are not taken for the response to the next request, whichever layer holds them."""

    def more(line: Line) -> None:
        while True:
            line.request()
            for data in (answer, surplus) if separate else (answer + surplus,):
                line.send(data)  # over TLS, each is a separate record
            sent.release()

    sent = threading.Semaphore(0)
    server = serve(more, tls=certificates.server("localhost") if tls else None)
    carrier = make(certificates.client())
    bodies: list[bytes] = []
    for _ in range(3):
        bodies.append(carrier.send(get(server)).body)
        # Bytes that arrive after the next request was sent cannot be recognised in HTTP/1.1.
        assert sent.acquire(timeout=PATIENT)

    assert bodies == [answer.partition(b"\r\n\r\n")[2]] * 3
    assert server.opened == 3


def test_a_part_of_a_tls_record_after_an_answer_closes_its_connection(
    serve: Any, make: Any, certificates: Certificates
) -> None:
    """Bytes that cannot be decrypted before the rest of them arrives are surplus bytes as well."""

    def a_part(line: Line) -> None:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_side=True)
        steps: list[Callable[[], object]] = [tls.do_handshake, functools.partial(tls.read, 1000)]
        while steps:
            try:
                steps[0]()
                del steps[0]
            except ssl.SSLWantReadError:
                line.sock.sendall(outgoing.read())
                incoming.write(line.sock.recv(65536))
        tls.write(OK)
        answer = outgoing.read()
        tls.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstale")
        surplus = outgoing.read()
        line.sock.sendall(answer + surplus[:50])
        line.sock.recv(65536)
        line.sock.sendall(surplus[50:])
        line.until_closed()

    context = certificates.server("localhost")
    server = serve(a_part)
    carrier = make(certificates.client())
    request = replace(get(server), url=f"https://localhost:{server.port}/")

    assert [carrier.send(request).body for _ in range(2)] == [b"ok", b"ok"]
    assert server.opened == 2


def test_an_idle_connection_is_closed_after_the_keepalive_expiry(serve: Any, make: Any) -> None:
    """A connection that was idle for the keep-alive expiry is closed and not reused."""
    server = serve()
    carrier = make(keepalive_expiry=0.05)
    carrier.send(get(server))
    time.sleep(0.15)

    assert carrier.send(get(server)).status == 200
    assert server.opened == 2
    server.wait_for_an_end()


def test_expired_connections_are_closed_while_others_are_in_use(serve: Any, make: Any) -> None:
    server = serve(lambda line: (line.request(), time.sleep(0.1), line.send(OK), serve_ok(line)))
    carrier = make(keepalive_expiry=0.3)
    for started in [carrier.start(get(server)) for _ in range(4)]:
        started.result(PATIENT)
    until = time.monotonic() + PATIENT
    while not server.ended.acquire(blocking=False) and time.monotonic() < until:
        carrier.send(get(server))
        time.sleep(0.15)

    assert time.monotonic() < until


def test_threads_that_send_the_first_requests_at_once_share_the_idle_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each would keep connections of its own, which nothing closes with the transport."""
    both = threading.Barrier(2)

    class Slow(origins.Origin[Any]):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            both.wait(60)

    monkeypatch.setattr(origins, "Origin", Slow)
    of_pool = origins.Origins(origins.Connectable(ssl.create_default_context, None, 5.0))

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(of_pool.split, ["http://platform.example/a"] * 2)

    assert one[0] is other[0]


def test_closing_a_transport_closes_its_idle_connections(serve: Any, carrier: Carrier) -> None:
    """Closing leaves no connection open."""
    server = serve()
    carrier.send(get(server))

    carrier.close()

    server.wait_for_an_end()
