"""The number of connections is limited, and requests wait for a free one."""

from __future__ import annotations

import threading

from project_platform import NotSentError

from .carrier import get, within
from .server import OK, PATIENT, serve_ok


def test_requests_beyond_the_connection_limit_wait_for_a_connection(serve, make):
    at_once: list[int] = [0]
    most: list[int] = [0]
    lock = threading.Lock()
    both = threading.Barrier(2)

    def slowly(line):
        while True:
            line.request()
            with lock:
                at_once[0] += 1
                most[0] = max(most[0], at_once[0])
            both.wait(PATIENT)
            with lock:
                at_once[0] -= 1
            line.send(OK)

    server = serve(slowly)
    carrier = make(max_connections=2)

    responses = [started.result(PATIENT) for started in [carrier.start(get(server)) for _ in range(8)]]

    assert {response.status for response in responses} == {200}
    assert most == [2]
    assert server.opened == 2


def test_a_request_that_gets_no_connection_from_the_pool_in_time_is_not_sent(serve, make):
    reached = threading.Event()
    go_on = threading.Event()

    def wait(line):
        line.request()
        reached.set()
        go_on.wait(PATIENT)
        line.send(OK)
        serve_ok(line)

    server = serve(wait)
    carrier = make(max_connections=1)
    first = carrier.start(get(server))
    assert reached.wait(PATIENT)

    second = carrier.send(within(get(server), pool=0.05))
    go_on.set()

    assert isinstance(second, NotSentError)
    assert first.result(PATIENT).status == 200
    assert carrier.send(get(server)).status == 200
    assert server.opened == 1
