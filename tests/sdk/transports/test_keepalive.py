"""Idle connections are reused only where that is safe."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest

from project_platform import ConnectionLostError, Response
from project_platform.transports.connections import ConnectionTransport
from project_platform.transports.transport import tls_context

from .carrier import Carrier, get
from .server import OK, PATIENT, Line, serve_ok


def test_two_calls_use_one_connection(serve: Any, carrier: Carrier) -> None:
    """After an answer was read to its end, its connection is used for the next request."""
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


def test_a_connection_closed_while_the_event_loop_was_blocked_is_not_used_again(serve: Any, carrier: Carrier) -> None:
    """The transport detects the close before it sends, although the event loop has not processed it."""
    server = serve(lambda line: (line.request(), line.send(OK)))

    answer = carrier.block_loop_until(get(server), server.wait_for_an_end, get(server))

    assert isinstance(answer, Response)
    assert server.opened == 2


def test_unsolicited_bytes_on_an_idle_connection_close_it(serve: Any, carrier: Carrier) -> None:
    """An unsolicited answer, such as 408, is not taken for the answer to the next request."""

    def twice(line: Line) -> None:
        line.request()
        line.send(OK)
        if line.number == 1:
            time.sleep(0.05)
            line.send(b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n")
            sent.set()
        line.until_closed()

    sent = threading.Event()
    server = serve(twice)
    carrier.send(get(server))
    assert sent.wait(PATIENT)
    time.sleep(0.05)

    assert carrier.send(get(server)).status == 200
    assert server.opened == 2


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstale",
        b"HTTP/1.1 204 No Content\r\n\r\n{}",
    ],
    ids=["a surplus answer", "a body after 204"],
)
def test_bytes_after_an_answer_close_its_connection(serve: Any, carrier: Carrier, answer: bytes) -> None:
    """Surplus bytes after an answer are not taken for the answer to the next request.

    aiohttp also discards the answer before such bytes.
    """

    def more(line: Line) -> None:
        while True:
            line.request()
            line.send(answer)

    server = serve(more)

    answers = [carrier.send(get(server)) for _ in range(3)]

    assert all(isinstance(answer, ConnectionLostError) or answer.body in {b"ok", b""} for answer in answers)
    assert server.opened == 3


def test_a_forked_process_opens_new_connections(serve: Any) -> None:
    """A forked process does not use the open connections of its parent."""
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


def test_closing_a_transport_closes_its_idle_connections(serve: Any, carrier: Carrier) -> None:
    """Closing leaves no connection open."""
    server = serve()
    carrier.send(get(server))

    carrier.close()

    server.wait_for_an_end()
