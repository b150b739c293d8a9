"""Whatever an event hook or a transport raises, the error of the call says whether the write was applied."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from project_platform import (
    AsyncClient,
    Client,
    ConflictError,
    NotFoundError,
    OutcomeUnknownError,
    Timeout,
    TransportError,
)

from ..server import Line
from .bookings import Bookings, respond


class HookError(Exception):
    """The error of a hook."""


def raising(error: BaseException) -> Any:
    def raise_error(value: object) -> None:
        raise error

    return raise_error


@pytest.mark.parametrize(("event", "arrived"), [("request", 0), ("response", 1)])
def test_a_hook_that_raises_ends_a_booking_with_an_error_that_says_what_is_known(
    serve, given, hook, book, *, event, arrived
):
    """The transport of a client is not public, so it is not known whether one that shows nothing was reached."""
    bookings = Bookings(serve, respond())
    error = HookError("the audit log is full")
    client = given(event_hooks={event: [hook(raising(error))]})

    with pytest.raises(OutcomeUnknownError, match=r"no complete response from .*: HookError") as raised:
        book(bookings.url, client)

    assert (raised.value.applied, raised.value.__cause__, bookings.arrived) == ("unknown", error, arrived)
    assert "audit log" not in str(raised.value)


@pytest.mark.parametrize("read", [False, True], ids=["unread", "read"])
def test_a_hook_that_calls_raise_for_status_does_not_hide_the_response(serve, given, book, way, *, read):
    """The documented example of a hook: the response that it saw is the response of the call."""
    bookings = Bookings(serve, respond("409 Conflict", b'{"message": "the slot is taken"}'))

    def raise_for_status(response):
        if read:
            response.read()
        response.raise_for_status()

    async def raise_for_status_async(response):
        if read:
            await response.aread()
        response.raise_for_status()

    hook = raise_for_status if way == "sync" else raise_for_status_async
    with pytest.raises(ConflictError, match="the slot is taken" if read else "no error message") as raised:
        book(bookings.url, given(event_hooks={"response": [hook]}))

    assert (raised.value.applied, raised.value.status, bookings.arrived) == ("no", 409, 1)


def test_a_read_that_a_hook_refuses_is_not_repeated(serve, given, hook, connect):
    """A 404 is a 404, although its body was not read."""
    bookings = Bookings(serve, respond("404 Not Found", b"{}"))
    client = given(event_hooks={"response": [hook(lambda response: response.raise_for_status())]})

    with pytest.raises(NotFoundError):
        connect(bookings.url, transport=client).auth.check_permission("agents:read")

    assert bookings.arrived == 1


def test_the_status_of_a_request_of_the_hook_is_not_that_of_the_call(serve, library, given, hook, book):
    """A hook that reports to an audit service, which refuses, says nothing about the booking."""
    bookings, audit = Bookings(serve, respond()), Bookings(serve, respond("409 Conflict", b"{}"))

    def report(response):
        library.post(audit.url).raise_for_status()

    with pytest.raises(OutcomeUnknownError) as raised:
        book(bookings.url, given(event_hooks={"response": [hook(report)]}))

    assert (raised.value.applied, bookings.arrived, audit.arrived) == ("unknown", 1, 1)
    assert isinstance(raised.value.__cause__, library.HTTPStatusError)


@pytest.mark.parametrize("runner", ["sync", "asyncio", "trio"])
def test_an_interruption_in_a_hook_passes(library, runner):
    """Ctrl+C ends the program, not the call."""

    def interrupt(request):
        raise KeyboardInterrupt

    async def interrupt_async(request):
        raise KeyboardInterrupt

    async def check():
        async with (
            library.AsyncClient(event_hooks={"request": [interrupt_async]}) as http,
            AsyncClient("https://platform.example", token="t", transport=http) as client,
        ):
            await client.auth.check_permission("agents:read")

    with library.Client(event_hooks={"request": [interrupt]}) as http:
        client = Client("https://platform.example", token="t", transport=http)
        with pytest.raises(KeyboardInterrupt):
            client.auth.check_permission("agents:read") if runner == "sync" else anyio.run(check, backend=runner)


@pytest.mark.parametrize("then", [Line.reset, Line.until_closed], ids=["reset", "silent"])
def test_an_error_shows_only_the_origin_of_the_url(serve, given, connect, then):
    """Path and query may contain what must not be logged."""
    bookings = Bookings(serve, then)
    client = connect(bookings.url, transport=given(), timeout=Timeout(read=0.2))

    with pytest.raises(TransportError, match=rf" {bookings.url}: ") as raised:
        client.auth.check_permission("agents:read")

    assert "permission" not in str(raised.value).removeprefix("auth_check_permission")
