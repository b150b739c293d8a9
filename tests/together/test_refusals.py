"""The SDK's errors for requests that the service refuses."""

from __future__ import annotations

import pytest

from project_platform import (
    AuthenticationError,
    BadRequestError,
    Call,
    NotFoundError,
    NotSentError,
    PermissionDeniedError,
    RetryPolicy,
)
from project_platform._generated.operations import workflows_create


def test_an_invalid_token_is_reported(way):
    """A token of an unknown key is a 401, and is not shown."""
    header, payload, _ = way.ids["tokens"]["owner"].split(".")

    with pytest.raises(AuthenticationError) as caught:
        way(lambda _, p: p.agents.list(), token=f"{header}.{payload}.{'A' * 86}")

    assert caught.value.status == 401
    assert payload not in str(caught.value) + repr(caught.value)


def test_an_expired_token_is_reported(way):
    """A 401 with the reason."""
    with pytest.raises(AuthenticationError, match="expired"):
        way(lambda _, p: p.agents.list(), token=way.stub.token("owner", lifetime=-10))


def test_a_missing_permission_is_named(way):
    """In the message of the 403."""
    with pytest.raises(PermissionDeniedError, match="crm_objects:write") as caught:
        way(lambda _, p: p.records.create(type_slug="deal"), token=way.ids["tokens"]["viewer"])

    assert (caught.value.applied, len(caught.value.attempts)) == ("no", 1)


def test_a_foreign_project_is_refused(way):
    """A 403 for a project that the caller is not a member of."""
    with pytest.raises(PermissionDeniedError):
        way(lambda _, p: p.agents.list(), project_id=way.ids["foreign_project_id"])


@pytest.mark.parametrize(
    "call",
    [
        lambda p, ids: p.records.update("rec_none", data={}),
        lambda p, ids: p.calendar.reschedule("evt_none", summary="x"),
        lambda p, ids: p.templates.apply("tpl_none", name="x"),
        lambda p, ids: p.memory.update("no/such/slug", title="x"),
        lambda p, ids: p.engagement.like("none", account_id=ids["accounts"][0]),
    ],
    ids=["record", "event", "template", "memory", "post"],
)
def test_an_unknown_identifier_is_not_found(way, call):
    """A 404 with `applied="no"`."""
    with pytest.raises(NotFoundError) as caught:
        way(lambda _, p: call(p, way.ids))

    assert caught.value.applied == "no"


def test_an_invalid_field_is_named(way):
    """By the service's 400, for a limit that the SDK does not check."""
    operation = workflows_create.OPERATION
    body = b'{"name": "' + b"n" * 201 + b'", "triggerTypeSlug": "a", "triggerEventType": "b"}'
    call = Call(operation, f"/projects/{way.ids['project_id']}/workflows", body)

    with pytest.raises(BadRequestError, match=r"body\.name"):
        way(lambda client, _: client.send(call))


def test_malformed_json_is_refused(way):
    """A body that is not JSON is a 400."""
    call = Call(workflows_create.OPERATION, f"/projects/{way.ids['project_id']}/workflows", b'{"name": ')

    with pytest.raises(BadRequestError, match="JSON"):
        way(lambda client, _: client.send(call))


def test_a_stopped_server_means_not_sent(way):
    """The connection is refused, so the write was certainly not applied."""
    if way.in_process:
        pytest.skip("there is no server to stop in-process")
    with way.stub.serve() as server:
        way.base_url = server.base_url

    with pytest.raises(NotSentError) as caught:
        way(lambda _, p: p.records.create(type_slug="deal"), retry=RetryPolicy(initial_delay=0))

    assert (caught.value.applied, len(caught.value.attempts)) == ("no", 3)
