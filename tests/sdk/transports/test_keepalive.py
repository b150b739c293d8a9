"""Idle connections are reused only where that is safe."""

from __future__ import annotations

import ssl
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from project_platform import Response
from project_platform.transports import origins

from .carrier import get
from .server import OK, PATIENT, serve_ok


def test_a_connection_closed_while_the_event_loop_was_blocked_is_not_used_again(serve, carrier):
    """The transport detects the close before it sends, although the event loop has not processed it."""
    server = serve(lambda line: (line.request(), line.send(OK)))

    response = carrier.block_loop_until(get(server), server.wait_for_an_end, get(server))

    assert isinstance(response, Response)
    assert server.opened == 2


def test_an_idle_connection_is_closed_after_the_keepalive_expiry(serve, make):
    server = serve()
    carrier = make(keepalive_expiry=0.05)
    carrier.send(get(server))
    time.sleep(0.15)

    assert carrier.send(get(server)).status == 200
    assert server.opened == 2
    server.wait_for_an_end()


def test_expired_connections_are_closed_while_others_are_in_use(serve, make):
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
    monkeypatch,
):
    """Each would keep connections of its own, which nothing closes with the transport."""
    both = threading.Barrier(2)

    class Slow(origins.Origin[Any]):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            both.wait(60)

    monkeypatch.setattr(origins, "Origin", Slow)
    of_pool = origins.Origins(origins.Connectable(ssl.create_default_context, None, 5.0))

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(of_pool.split, ["http://platform.example/a"] * 2)

    assert one[0] is other[0]
