"""After a timeout, a cancellation or a broken connection, the outcome says whether the request may have arrived."""

from __future__ import annotations

import threading
import time

import pytest

from project_platform import ConnectionLostError, NotSentError, Request, TimeoutError

from .carrier import get, within
from .server import OK, PATIENT, Line


def test_no_response_in_time_is_a_timeout_and_ends_the_connection(serve, carrier):
    """After a read timeout the response may still arrive, so the connection is not used again."""

    def late(line):
        line.request()
        if line.number == 1:
            line.until_closed()
        line.send(OK)
        line.until_closed()

    server = serve(late)

    outcome = carrier.send(within(get(server), read=0.1))

    assert type(outcome) is TimeoutError
    server.wait_for_an_end()
    assert carrier.send(get(server)).status == 200
    assert server.opened == 2


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"], ids=["head", "body"])
def test_a_cancelled_call_closes_its_connection(kind, serve, make, sent):
    if kind == "sync":
        pytest.skip("a thread cannot be cancelled")
    reached = threading.Event()

    def late(line):
        line.request()
        if line.number == 1:
            line.send(sent)
            reached.set()
            line.until_closed()
        line.send(OK)

    server = serve(late)
    carrier = make(max_connections=1)
    started = carrier.start(get(server))
    assert reached.wait(PATIENT)

    started.cancel()

    server.wait_for_an_end()
    assert carrier.send(get(server)).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "unknown.invalid",
        "a..b",
        f"{'a' * 64}.example",
        "a" * 300,
        "127.0.0.1?.evil.test",
        "u@127.0.0.1",
        "a b",
        "a\\b",
        "[::1",
        "a:b",
        "a:123456",
        "",
    ],
)
def test_a_request_to_an_unknown_host_is_not_sent(carrier, host):
    assert isinstance(carrier.send(Request("GET", f"http://{host}/", {})), NotSentError)


def test_a_request_without_a_file_descriptor_for_its_socket_is_not_sent(serve, carrier):
    """A process that has as many files open as it may gets an error that says so, and that nothing was sent."""
    resource = pytest.importorskip("resource")
    server = serve(lambda line: (line.request(), line.send(OK)))
    assert carrier.send(get(server)).status == 200  # imports everything
    server.wait_for_an_end()
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))  # the standard streams are open
    try:
        outcome = carrier.send(get(server))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    assert isinstance(outcome, NotSentError)
    assert "Too many open files" in str(outcome)
    assert carrier.send(get(serve())).status == 200  # the first server may have ended at its limit, too


@pytest.mark.parametrize("end", [Line.reset, lambda line: None], ids=["reset", "closed"])
@pytest.mark.parametrize("reused", [False, True], ids=["new", "reused"])
def test_a_response_is_lost_when_the_connection_breaks_before_the_head(serve, carrier, end, reused):
    """Whether a request arrived is not known when the connection breaks; the transport does not send it again."""
    requests: list[bytes] = []

    def broken(line):
        if reused:
            line.request()
            line.send(OK)
        requests.append(line.request()[0])
        end(line)

    server = serve(broken)
    if reused:
        assert carrier.send(get(server)).status == 200

    assert type(carrier.send(get(server))) is ConnectionLostError
    assert len(requests) == server.opened == 1


def reset_later(line: Line) -> None:
    """Reset the connection once the client has read what was sent, which a reset would discard."""
    time.sleep(2.0)
    line.reset()


LENGTH, CHUNKED = b"content-length: 9\r\n\r\nhalf", b"transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"


@pytest.mark.parametrize(
    ("end", "head"),
    [(reset_later, LENGTH), (lambda line: None, LENGTH), (lambda line: None, CHUNKED)],
    ids=["reset", "closed", "closed in chunks"],
)
def test_a_response_is_incomplete_when_the_connection_breaks_after_the_head(serve, carrier, end, head):
    def broken(line):
        line.request()
        line.send(b"HTTP/1.1 200 OK\r\n" + head)
        end(line)

    outcome = carrier.send(get(serve(broken)))

    assert (outcome.status, outcome.body, outcome.complete) == (200, b"half", False)
