"""With a client or transport of httpx, "not sent" is proven by what happened, and never by the name of an exception."""

from __future__ import annotations

import httpx
import pytest

from project_platform import NotSentError, OutcomeUnknownError

from ..server import Line
from .bookings import Bookings, closed_port, respond


@pytest.mark.parametrize("elsewhere", [False, True], ids=["the same address", "a closed port"])
def test_a_transport_that_repeats_a_lost_write_is_not_believed(serve, library, given, book, way, *, elsewhere):
    """Whether a write is sent again is decided by the SDK. The error of the last attempt says nothing of the first."""
    bookings = Bookings(serve, Line.reset)
    inner = given("HTTPTransport")
    other = f"http://127.0.0.1:{closed_port()}"

    class Repeating(library.BaseTransport if way == "sync" else library.AsyncBaseTransport):
        def handle_request(self, request):
            try:
                return inner.handle_request(request)
            except library.TransportError:
                request.url = library.URL(other) if elsewhere else request.url
                return inner.handle_request(request)

        async def handle_async_request(self, request):
            try:
                return await inner.handle_async_request(request)
            except library.TransportError:
                request.url = library.URL(other) if elsewhere else request.url
                return await inner.handle_async_request(request)

    with pytest.raises(OutcomeUnknownError) as raised:
        book(bookings.url, Repeating())

    assert (raised.value.applied, bookings.arrived) == ("unknown", 1)


@pytest.mark.parametrize("name", ["Client", "HTTPTransport"])
def test_a_refused_connection_is_proof(given, book, name):
    """The client began to connect and never to send, so the request may be repeated."""
    with pytest.raises(NotSentError, match=r"nothing was sent to http://127\.0\.0\.1:\d+: .*refused|failed") as raised:
        book(f"http://127.0.0.1:{closed_port()}", given(name))

    assert raised.value.applied == "no"
    assert [attempt.delivery for attempt in raised.value.attempts] == ["not sent"] * 3


def test_a_proxy_that_refuses_to_connect_is_proof(serve, given, book):
    proxy = Bookings(serve, respond("502 Bad Gateway", b""))

    with pytest.raises(NotSentError) as raised:
        book("https://platform.example", given(proxy=proxy.url))

    assert raised.value.applied == "no"
    assert {head.split()[0] for head in proxy.heads} == {b"CONNECT"}


@pytest.mark.parametrize(("transport", "applied"), [("HTTPTransport", "no"), ("named", "no"), ("Client", "unknown")])
def test_no_event_is_proof_for_a_transport_of_httpx_only(library, given, book, monkeypatch, *, transport, applied):
    """A pool without a free connection begins nothing. Which transport a given client has is not public."""
    module = httpx if transport == "named" else library  # the name is that of httpx

    def handle(self, request):
        raise module.PoolTimeout("all connections are in use")

    async def handle_async(self, request):
        handle(self, request)

    monkeypatch.setattr(module.HTTPTransport, "handle_request", handle)
    monkeypatch.setattr(module.AsyncHTTPTransport, "handle_async_request", handle_async)

    with pytest.raises(NotSentError if applied == "no" else OutcomeUnknownError) as raised:
        book("http://127.0.0.1:1", "httpx" if transport == "named" else given(transport))

    assert raised.value.applied == applied


def test_a_request_that_httpx_cannot_build_was_not_sent(given, connect, project_id):
    """A URL of more than 64 KiB is refused before anything is handed to a transport."""
    project = connect(transport=given()).project(project_id)

    with pytest.raises(NotSentError, match="URL too long") as raised:
        project.records.update("r" * 70_000, data={"stage": "won"})

    assert raised.value.applied == "no"
