"""A listener gets typed events of each call; it never changes what a call does."""

from __future__ import annotations

import anyio
import httpx
import pytest

from project_platform import (
    AsyncClient,
    AttemptEnded,
    AttemptStarted,
    CallEnded,
    CallStarted,
    Client,
    OutcomeUnknownError,
    Settled,
    TokenEndpoint,
    TokenFetched,
    UsageError,
)
from project_platform.models import ObjectRecord

TOKENS = ("first-token-of-the-source", "second-token-of-the-source")
URL = "https://platform.example"
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
LOST = httpx.ReadError("reset")
RECORD = {"record": {"id": "rec_1", "typeSlug": "deal", "data": {"stage": "won"}}}
OPEN = ObjectRecord(id="rec_1", type_slug="deal", data={"stage": "open"})
STALE = httpx.Response(409, json={"message": "stale"})


def done(**headers):
    return httpx.Response(200, json=RECORD, headers=headers)


def names(events):
    return [type(event).__name__ for event in events]


def change_of(project):
    """Return a change from open to won, whose guard fences."""
    return project.records.change(OPEN, {"stage": "won"})


def test_a_call_has_a_beginning_its_attempts_and_an_end(connect, service):
    service.will(httpx.Response(200, json={"allowed": True}, headers={"x-request-id": "req-17"}))
    events = []

    connect(on_event=events.append).auth.check_permission("billing:manage")

    started, attempt, ended, call_ended = events
    assert names(events) == ["CallStarted", "AttemptStarted", "AttemptEnded", "CallEnded"]
    assert (started.call.operation_id, started.call.method, started.call.effect) == (
        "auth_check_permission",
        "GET",
        "read",
    )
    assert (attempt.attempt, attempt.cause) == (1, "first")
    assert attempt.url == "https://platform.example/prefix/auth/check-permission", "without the query"
    assert (ended.status, ended.fate, ended.request_id, ended.error) == (200, "applied", "req-17", None)
    assert (call_ended.applied, call_ended.attempts, call_ended.error) == ("yes", 1, None)
    assert len({event.call for event in events}) == 1


def test_a_change_and_its_look_belong_together(connect, service):
    """`client.settle` is the parent of the update and of the look, and settles the doubt that `records.apply` leaves."""
    service.will(LOST, STALE, STALE, done())
    events = []
    client = connect(on_event=events.append)
    project = client.project(PROJECT)

    with pytest.raises(OutcomeUnknownError) as raised:
        project.records.apply(change_of(project))
    result = client.settle(raised.value)

    ends = [event for event in events if isinstance(event, CallEnded)]
    assert result.applied == "in effect"
    assert [(end.call.operation_id, end.applied, end.attempts) for end in ends] == [
        ("records_update", "unknown", 2),
        ("records.apply", "unknown", 2),
        ("records_update", "unknown", 1),
        ("records_update", "yes", 1),
        ("client.settle", "in effect", 2),
    ]
    applied, whole = ends[1], ends[-1]
    assert [end.call.parent for end in ends] == [applied.call, None, whole.call, whole.call, None]
    assert events[0] == CallStarted(applied.call)
    (settled,) = [event for event in events if isinstance(event, Settled)]
    assert (settled.call, settled.applied, settled.attempts) == (whole.call, "in effect", 2)


def test_a_renewed_token_and_a_redirect_are_further_attempts(connect, service):
    """Each attempt says why it is sent; the token of the source is an event without the token."""
    service.will(
        httpx.Response(401),
        httpx.Response(307, headers={"location": "/prefix/elsewhere?code=s3cret"}),
        httpx.Response(200, json={"allowed": True}),
    )
    events, tokens = [], iter(TOKENS)

    connect(on_event=events.append, token=lambda: next(tokens)).auth.check_permission("billing:manage")

    assert [event.cause for event in events if isinstance(event, AttemptStarted)] == ["first", "new token", "redirect"]
    assert [event.renewed for event in events if isinstance(event, TokenFetched)] == [False, True]
    assert events[-1].attempts == 3
    shown = repr(events)
    assert not [secret for secret in (*TOKENS, "s3cret") if secret in shown]


def test_a_token_source_that_fails_is_an_event(connect, service):
    events = []

    def token():
        raise LookupError("no secret store")

    with pytest.raises(LookupError):
        connect(on_event=events.append, token=token).auth.check_permission("billing:manage")

    assert [event.error for event in events if isinstance(event, TokenFetched | CallEnded)] == ["LookupError"] * 2


def test_a_listener_adds_header_fields_to_an_attempt(connect, service):
    """It cannot replace what the call sends, nor send what no header can carry."""
    service.will(httpx.Response(200, json={"allowed": True}))

    def listen(event):
        if isinstance(event, AttemptStarted):
            event.headers.update(
                {"Traceparent": "00-1-2-01", "Authorization": "Bearer other", "x-own": "other", "x-bad": "a\r\nb"}
            )

    connect(on_event=listen, headers={"X-Own": "mine"}).auth.check_permission("billing:manage")

    (request,) = service.requests
    assert request.headers["traceparent"] == "00-1-2-01"
    assert request.headers["authorization"] == "Bearer a-token-that-stays-secret"
    assert (request.headers["x-own"], "x-bad" in request.headers) == ("mine", False)


def test_a_listener_that_raises_changes_no_call(connect, service, caplog):
    """Neither a response nor an error differs, and the exception is logged once."""
    service.will(httpx.Response(200, json={"allowed": True}), LOST)

    def listen(event):
        raise RuntimeError("of the listener")

    client = connect(on_event=listen)
    assert client.auth.check_permission("billing:manage") is True
    with pytest.raises(OutcomeUnknownError):
        client.project(PROJECT).records.create(type_slug="deal")

    reports = [record for record in caplog.records if "raised RuntimeError" in record.message]
    assert len(reports) == 1


def test_an_interrupted_listener_is_an_interruption_of_the_call(service):
    """Ctrl+C in a listener leaves the note that says whether a write was applied."""
    service.will(done())

    def listen(event):
        if isinstance(event, AttemptEnded):
            raise KeyboardInterrupt

    client = Client(URL, token="any", transport=httpx.MockTransport(service), on_event=listen)
    with pytest.raises(KeyboardInterrupt) as raised:
        client.project(PROJECT).records.create(type_slug="deal")

    assert "it is not known whether it was applied" in raised.value.__notes__[0]


async def asynchronous(event):
    """Not a listener."""


def test_an_asynchronous_listener_is_refused(connect):
    """An asynchronous function would never run."""
    with pytest.raises(UsageError, match="on_event"):
        connect(on_event=asynchronous)


def test_the_requests_of_a_token_endpoint_are_calls(connect, service):
    """Their events come between those of the call that waits for the token."""
    service.will(httpx.Response(200, json={"token": TOKENS[0]}), httpx.Response(200, json={"allowed": True}))
    events = []

    connect(on_event=events.append, token=TokenEndpoint("session-credential")).auth.check_permission("billing:manage")

    assert [(type(event).__name__, event.call.operation_id) for event in events if isinstance(event, CallEnded)] == [
        ("CallEnded", "token"),
        ("CallEnded", "auth_check_permission"),
    ]
    assert "session-credential" not in repr(events)
    assert TOKENS[0] not in repr(events)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_call_ends_as_unknown(backend, caplog):
    """The attempt was interrupted after it was sent, so its fate is lost, and the log warns."""
    events = []

    async def run():
        async def answer_never(request):
            scope.cancel()
            await anyio.sleep_forever()

        transport = httpx.MockTransport(answer_never)
        async with AsyncClient(URL, token="any", transport=transport, on_event=events.append) as client:
            with anyio.CancelScope() as scope:
                await client.project(PROJECT).records.create(type_slug="deal")

    anyio.run(run, backend=backend)

    attempt, end = events[-2:]
    assert (type(attempt), attempt.fate, attempt.status) == (AttemptEnded, "lost", None)
    assert (type(end), end.applied, end.error) == (CallEnded, "unknown", attempt.error)
    assert attempt.error in {"CancelledError", "Cancelled"}
    assert [record.levelname for record in caplog.records if record.name == "project_platform"] == ["WARNING"]
