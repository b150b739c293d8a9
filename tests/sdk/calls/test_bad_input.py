"""What a user sees when something is wrong: the class, what the message says, and what became of the call."""

from __future__ import annotations

import socket
from operator import attrgetter

import httpx
import pytest

from project_platform import (
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ConnectionLostError,
    DecodingError,
    NotFoundError,
    NotSentError,
    OutcomeUnknownError,
    PermissionDeniedError,
    PlatformError,
    RateLimitError,
    RetryPolicy,
    ServerError,
    SlotTakenError,
    StatusError,
    TimeoutError,
    UsageError,
)

ONCE = RetryPolicy(max_attempts=1)
BOOKING = {"start": "2026-11-20T09:00:00Z", "summary": "Tasting"}


def said(status, message, **code):
    """Return an error of the service."""
    return httpx.Response(status, json={"message": message, **code}, headers={"X-Request-Id": "r1"})


@pytest.fixture
def seen():
    """Return a function that calls something and returns the error that the user sees."""

    def seen(kind, method, *args, **given):
        with pytest.raises(kind) as raised:
            method(*args, **given)
        assert type(raised.value) is kind or kind is OutcomeUnknownError  # which has a class for each way to end
        return raised.value

    return seen


@pytest.mark.parametrize("message", ["The token is not signed by a published key", "The token has expired"])
def test_a_wrong_or_expired_token(project, service, seen, token, message):
    """The error has the message of the service, without the token."""
    service.will(said(401, message, code="invalid_token"))

    error = seen(AuthenticationError, project.agents.list().first_page)

    assert str(error) == f"401 [invalid_token] agents_list: {message} (applied: no) (request r1)"
    assert token not in repr(error)


def test_a_missing_permission(project, service, seen):
    """The error says that nothing was created."""
    service.will(said(403, "sub_projects:write is required", code="forbidden"))

    error = seen(PermissionDeniedError, project.templates.apply, "t1", name="North")

    assert (error.message, error.applied) == ("sub_projects:write is required", "no")


def test_an_unknown_identifier(project, service, seen):
    """The service says what was not found, the SDK which operation was called."""
    service.will(said(404, "There is no record r404"))

    error = seen(NotFoundError, project.records.update, "r404", data={"a": 1})

    assert str(error) == "404 records_update: There is no record r404 (applied: no) (request r1)"


def test_an_identifier_in_the_wrong_format(client, service, seen):
    """It is refused before anything is sent."""
    error = seen(UsageError, client.project, "my-project")

    assert (
        str(error) == "project_id is 'my-project', which is not a UUID; give the project's UUID, not its name or slug"
    )


def test_a_name_that_is_too_long(project, service, seen):
    """The error has the field, the limit and the size of the value."""
    error = seen(
        UsageError, project.workflows.create, name="x" * 201, trigger_type_slug="form", trigger_event_type="sent"
    )

    assert str(error) == "name: string should have at most 200 characters; it has 201"


def test_several_mistakes_are_reported_in_one_error(project, seen):
    """One error lists all of them."""
    error = seen(UsageError, project.workflows.create, name="", trigger_type_slug="", trigger_event_type="sent")

    assert "name: " in str(error)
    assert "trigger_type_slug: " in str(error)


def test_a_value_outside_of_an_enumeration(project, client, seen):
    """The error suggests the most similar value."""
    stock = seen(UsageError, project.labels.export, stock="5x3")
    permission = seen(UsageError, client.auth.check_permission, "calender:read")

    assert "'5x3.5'" in str(stock)
    assert "permission is 'calender:read', which is not one of its values; did you mean calendar:read" in str(
        permission
    )


def test_an_unknown_field(project, seen):
    """A misspelt field of a nested value would otherwise be lost silently."""
    error = seen(UsageError, project.calendar.book, **BOOKING, attendee={"name": "Ada", "e_mail": "ada@b.example"})

    assert "attendee.e_mail" in str(error)


def test_a_refusal_of_the_service_names_the_field(project, service, seen):
    """An error that only the service can detect has the message of the service."""
    service.will(said(400, "body.typeSlug: there is no object type boat", code="unknown_type"))

    error = seen(BadRequestError, project.records.create, type_slug="boat")

    assert (error.code, error.applied) == ("unknown_type", "no")
    assert "body.typeSlug: there is no object type boat" in str(error)


def test_a_slot_that_was_taken(project, service, seen):
    """The error says that nothing was booked."""
    service.will(said(409, "The slot was taken"))

    error = seen(SlotTakenError, project.calendar.book, **BOOKING)

    assert error.applied == "no"
    assert isinstance(error, ConflictError)


def test_too_many_requests(connect, service, project_id, seen):
    """The time to wait is a number of seconds."""
    service.will(httpx.Response(429, json={"message": "slow down"}, headers={"Retry-After": "120"}))

    error = seen(RateLimitError, connect().project(project_id).posts.list)

    assert (error.retry_after, error.applied) == (120.0, "no")


@pytest.mark.parametrize("body", [b"<html>Welcome</html>", b'{"entry": ', b"[]", b'{"entry": "text"}', b"\xff"])
def test_a_malformed_answer(project, service, seen, body):
    """The update was applied and its response cannot be read: the error says both."""
    service.will(httpx.Response(200, content=body))

    error = seen(DecodingError, project.memory.update, "welcome", title="T")

    assert (error.applied, error.status, error.body) == ("yes", 200, body)
    assert str(error).startswith("memory_update: the response 200 does not fit the contract: ")


def test_an_error_page_of_a_proxy(project, service, seen):
    """The error has the class of the status, describes the page, and says that the outcome is unknown."""
    service.will(httpx.Response(502, html="<h1>Bad gateway</h1>"))

    error = seen(OutcomeUnknownError, project.records.create, type_slug="deal")

    assert isinstance(error, ServerError)
    assert (error.status, error.applied) == (502, "unknown")
    assert "no error message (text/html, 20 bytes)" in str(error)
    assert str(error).endswith(f"; {error.advice}")


@pytest.fixture
def impatient(connect, project_id):
    """A project of a client that never repeats."""
    return connect(retry=ONCE).project(project_id)


@pytest.mark.parametrize(("method", "given"), [("records.create", {"type_slug": "deal"}), ("posts.list", {})])
def test_a_truncated_answer(impatient, service, seen, method, given):
    """The status arrived and the body did not: the write was applied and its result is lost."""

    class Cut(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self):
            yield b'{"rec'
            raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")

        async def __aiter__(self):
            for chunk in self:
                yield chunk

    service.will(httpx.Response(200, stream=Cut()))

    error = seen(DecodingError, attrgetter(method)(impatient), **given)

    assert (error.applied, error.body) == ("yes", b'{"rec')
    assert "the response 200 was cut off after 5 bytes" in str(error)
    assert "time limit" not in str(error)


def test_a_closed_port(connect, project_id, seen):
    """Nothing listens on the port: nothing was sent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    client = connect(f"http://127.0.0.1:{port}", transport=None)

    error = seen(NotSentError, client.project(project_id).calendar.book, **BOOKING)

    assert (error.applied, len(error.attempts)) == ("no", 3)
    assert f"no connection to http://127.0.0.1:{port}" in str(error)
    assert [attempt.delivery for attempt in error.attempts] == ["not sent"] * 3


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (httpx.ReadTimeout("timed out"), TimeoutError),
        (httpx.ReadError("reset by peer"), ConnectionLostError),
        (httpx.RemoteProtocolError("disconnected"), ConnectionLostError),
    ],
)
def test_an_answer_that_never_comes(project, service, seen, failure, kind):
    """A booking that may have been made is not repeated, and is reported as unknown."""
    service.will(failure)

    error = seen(OutcomeUnknownError, project.calendar.book, **BOOKING)

    assert isinstance(error, kind)
    assert (error.applied, len(service.requests)) == ("unknown", 1)
    assert f" https://platform.example: {failure}" in str(error)
    assert str(error).endswith(f"; {error.advice}")


def test_a_redirect_to_another_origin(project, service, seen):
    """The error says that the base URL is wrong, and the token is not sent to the other origin."""
    service.will(httpx.Response(301, headers={"Location": "https://www.platform.example/elsewhere?token=x"}))

    error = seen(StatusError, project.posts.list)

    assert error.status == 301
    assert "redirects GET to https://www.platform.example, which is not followed" in str(error)
    assert "the token is for the base URL only; correct base_url" in str(error)
    assert [request.url.host for request in service.requests] == ["platform.example"]


def test_platform_error_catches_every_error(project, service, client):
    """`except PlatformError` catches every error of a call."""
    service.will(
        said(404, "no"), httpx.Response(200, content=b"?"), httpx.ConnectError("no"), *[httpx.Response(500)] * 2
    )

    for _ in range(2):
        with pytest.raises(PlatformError):
            project.memory.update("welcome", title="T")
    with pytest.raises(PlatformError):
        project.posts.list()
    with pytest.raises(PlatformError):
        client.project("x")
