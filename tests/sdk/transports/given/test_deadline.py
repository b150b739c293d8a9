"""A given asynchronous client ends within the deadline; a synchronous one between two pieces of a body."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from project_platform import DecodingError, NotSentError, OutcomeUnknownError, RetryPolicy, Timeout, TimeoutError

from ..server import PATIENT, Line, dead_address
from .bookings import Bookings

ONCE = RetryPolicy(max_attempts=1, deadline=2.0)


def drip(first: bytes, piece: bytes) -> Callable[[Line], object]:
    """Return a script that sends a piece every 50 milliseconds, and so never waits for a read timeout."""

    def script(line: Line) -> None:
        line.send(first)
        until = time.monotonic() + PATIENT
        while time.monotonic() < until:
            line.send(piece)
            time.sleep(0.05)

    return script


HEAD = drip(b"HTTP/1.1 201 Created\r\n", b"x-more: 1\r\n")
BODY = drip(b"HTTP/1.1 201 Created\r\ncontent-length: 9999\r\n\r\n", b" ")


def took(call: Callable[[], object], error: type[Exception]) -> tuple[float, Any]:
    began = time.monotonic()
    with pytest.raises(error) as raised:
        call()
    return time.monotonic() - began, raised.value


def test_a_body_that_drips_ends_at_the_deadline(serve, given, book):
    """The status says that the booking was made."""
    bookings = Bookings(serve, BODY)

    seconds, error = took(lambda: book(bookings.url, given(), retry=ONCE), DecodingError)

    assert (error.applied, bookings.arrived) == ("yes", 1)
    assert "its body did not end within the time limit" in str(error)
    assert seconds < PATIENT / 2


def test_a_head_that_drips_ends_at_the_deadline_of_an_asynchronous_client(serve, given, book, way):
    """The socket of a synchronous client is not public before its response has a head."""
    if way == "sync":
        pytest.skip("the guide says so: a synchronous client of the user waits as long as the head drips")
    bookings = Bookings(serve, HEAD)

    seconds, error = took(lambda: book(bookings.url, given(), retry=ONCE), OutcomeUnknownError)

    assert isinstance(error, TimeoutError)
    assert (error.applied, bookings.arrived) == ("unknown", 1)
    assert seconds < PATIENT / 2


@pytest.mark.skipif(sys.platform != "linux", reason="how a full backlog behaves differs between systems")
def test_a_connection_that_takes_too_long_is_not_sent(given, book):
    """The deadline ends while httpx connects, of which its events are proof."""
    with dead_address() as (host, port):
        url = f"http://{host}:{port}"
        seconds, error = took(lambda: book(url, given(), retry=ONCE, timeout=Timeout(connect=PATIENT)), NotSentError)

    assert error.applied == "no"
    assert seconds < PATIENT / 2
