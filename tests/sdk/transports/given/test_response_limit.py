"""A response is read up to `max_response_bytes`, as received and as decompressed, and its error says what it means."""

from __future__ import annotations

import contextlib
import gzip
import importlib
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from project_platform import (
    BadRequestError,
    Client,
    ConflictError,
    DecodingError,
    OutcomeUnknownError,
    Request,
    Response,
    ResponseTooLargeError,
)
from project_platform.operations import labels_export

from ..server import PATIENT
from .bookings import Bookings, respond

KIB, MIB = 1024, 1024 * 1024
LARGE = b'{"event": {"id": "e1", "summary": "%s"}}' % (b"x" * 40_000)
GZIP = b"content-encoding: gzip\r\n"


@pytest.fixture(params=["connections", "named", "httpx", "httpx2"])
def library(request: pytest.FixtureRequest) -> Any:
    """The module of the given client; that of httpx if there is none."""
    return importlib.import_module("httpx2" if request.param == "httpx2" else "httpx")


@pytest.fixture
def transport(request: pytest.FixtureRequest, given: Any) -> Any:
    """The SDK's connections, httpx by its name, or a given client."""
    kind = request.node.callspec.params["library"]
    return given() if kind.startswith("httpx") else {"connections": None, "named": "httpx"}[kind]


@pytest.fixture
def project_at(connect: Callable[..., Any], transport: Any, project_id: str) -> Callable[..., Any]:
    def project_at(url: str, **options: Any) -> Any:
        return connect(url, **{"transport": transport, **options}).project(project_id)

    return project_at


def book(project: Any) -> Any:
    return project.calendar.book(start="2026-11-20T09:00:00Z", summary="Visit")


def test_a_booking_with_a_response_that_is_too_large_was_made(serve, project_at):
    """The status says that it was applied; the response is not needed for that."""
    bookings = Bookings(serve, respond(body=LARGE))

    with pytest.raises(
        ResponseTooLargeError, match="larger than max_response_bytes, 20000; the write was applied"
    ) as raised:
        book(project_at(bookings.url, max_response_bytes=20_000))

    error = raised.value
    assert isinstance(error, DecodingError)
    assert (error.applied, error.status, error.max_response_bytes, bookings.arrived) == ("yes", 201, 20_000, 1)
    assert LARGE.startswith(error.body)


def test_a_response_without_end_ends_at_the_limit(serve, project_at):
    """A service that never stops sending is stopped."""

    def endless(line):
        line.send(b"HTTP/1.1 201 Created\r\n\r\n")
        while True:
            line.send(b" " * 65536)

    bookings = Bookings(serve, endless)
    began = time.monotonic()

    with pytest.raises(ResponseTooLargeError):
        book(project_at(bookings.url, max_response_bytes=4 * MIB))

    assert time.monotonic() - began < PATIENT


@pytest.mark.parametrize(
    ("status", "kind", "applied", "arrived"),
    [
        ("409 Conflict", ConflictError, "no", 1),
        ("400 Bad Request", BadRequestError, "no", 1),
        ("503 Busy", OutcomeUnknownError, "unknown", 1),
        ("429 Slow", Exception, "no", 3),
    ],
)
def test_another_status_keeps_its_error(serve, project_at, *, status, kind, applied, arrived):
    """Its message is cut off; what it says about the write is in the status."""
    body = json.dumps({"message": "no " * 20_000}).encode()
    bookings = Bookings(serve, respond(status, body))

    with pytest.raises(kind, match="cut off") as raised:
        book(project_at(bookings.url, max_response_bytes=20_000))

    assert (raised.value.applied, bookings.arrived) == (applied, arrived)
    assert len(str(raised.value)) < KIB


def test_streamed_labels_have_no_limit(serve, project_at, tmp_path):
    pdf = b"%PDF-1.7\n" + bytes(3 * MIB)
    bookings = Bookings(serve, respond("200 OK", gzip.compress(pdf), GZIP))

    with project_at(bookings.url, max_response_bytes=KIB).labels.stream() as stream:
        assert stream.save(tmp_path / "labels.pdf").read_bytes() == pdf


def test_a_response_in_memory_has_the_limit_as_well(library, connect, project_id):
    """A mock, or an event hook that reads the body, leaves nothing to stop reading."""
    mock = library.MockTransport(lambda request: library.Response(201, content=LARGE))
    project = connect(transport=mock, max_response_bytes=20_000).project(project_id)

    with pytest.raises(ResponseTooLargeError) as raised:
        book(project)

    assert (raised.value.applied, len(raised.value.body)) == ("yes", 20_000)


def test_the_default_is_8_mib_of_json_and_64_of_a_pdf(project_id):
    """Thousands of times the size of a usual response; a limit of the client is for both."""
    requests = []

    class Own:
        def send(self, request):
            requests.append(request)
            return Response(200, body=b'{"allowed": true}' if "permission" in request.url else b"%PDF-1.4")

        def close(self):
            pass

    for limits in ({}, {"max_response_bytes": 9}, {"max_response_bytes": None}):
        with Client("https://platform.example", token="t", transport=Own(), **limits) as client:
            with contextlib.suppress(DecodingError):
                client.auth.check_permission("agents:read")
            with contextlib.suppress(DecodingError):
                client.send(labels_export(project_id))

    assert [request.max_response_bytes for request in requests] == [8 * MIB, 64 * MIB, 9, 9, None, None]
    assert Request("GET", "", {}).max_response_bytes == 64 * MIB
