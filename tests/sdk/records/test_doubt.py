"""A change that may have been applied before, as after a crash, is never reported as not applied, unless tokens prove it."""

from __future__ import annotations

import json
import pickle

import httpx
import pytest

from project_platform import (
    Change,
    ChangeOptions,
    ConflictError,
    DecodingError,
    NotSentError,
    OutcomeUnknownError,
    PlatformError,
    StalePreconditionError,
)
from project_platform._generated.operations import records_update
from project_platform.calls import flow
from project_platform.calls.flow import GetToken, Settings
from project_platform.json_values import exact_json
from project_platform.models import ObjectRecord

from .deal import BASE, FIRST, GONE, STALE, TOKENS, WON, after_another, answer


def http(response):
    """Return an answer as the scripted service sends it."""
    return httpx.Response(response.status, content=response.body)


@pytest.fixture
def stored(change):
    """Return a function that makes a change as it is read from a file after a crash."""
    return lambda **options: pickle.loads(pickle.dumps(change(**options)))


def test_a_conflict_of_a_change_that_was_sent_before_a_crash_is_unknown(client, project, service, stored):
    """The earlier request may have caused it; a change that is applied anew is reported as not applied."""
    new_change = stored()
    service.will(http(STALE), http(answer(BASE)), http(STALE))

    with pytest.raises(OutcomeUnknownError) as raised:
        client.settle(new_change)
    with pytest.raises(StalePreconditionError):
        project.records.apply(new_change)

    assert not isinstance(raised.value, ConflictError)
    assert (raised.value.applied, raised.value.change, len(raised.value.attempts)) == ("unknown", new_change, 2)


def test_a_look_settles_a_change_that_was_sent_before_a_crash(client, service, stored):
    """The conflict is looked into."""
    service.will(http(STALE), http(answer(WON)))

    settled = client.settle(stored())

    assert (settled.applied, settled.repeated, settled.value.data) == ("in effect", False, WON)


def test_operation_tokens_settle_a_change_that_was_sent_before_a_crash(client, service, stored):
    """The ring proves whether the earlier request was applied."""
    ours = stored(base={**BASE, **FIRST}, tokens=TOKENS)
    landed, overtaken = ours.predicted, after_another({**BASE, **FIRST}, stage="lost")
    service.will(http(STALE), http(answer(landed)), http(STALE), http(answer(overtaken)))

    settled = client.settle(ours)
    with pytest.raises(StalePreconditionError) as raised:
        client.settle(ours)

    assert (settled.applied, settled.value.data) == ("yes", landed)
    assert raised.value.applied == "no"


def test_a_change_whose_guard_fences_is_applied_once(client, service, stored):
    """A 2xx means that the guard still held, so the earlier request was not applied."""
    service.will(http(answer(WON)))

    settled = client.settle(stored())

    assert (settled.applied, settled.repeated) == ("yes", False)


@pytest.mark.parametrize("guard", [None, ["note"]])
def test_a_change_whose_guard_does_not_fence_is_not_sent_again(client, service, stored, guard):
    """It could be applied twice, so it is looked at."""
    service.will(http(answer(WON)), http(answer(BASE)))

    settled = client.settle(stored(guard=guard))
    with pytest.raises(OutcomeUnknownError) as raised:
        client.settle(stored(guard=guard))

    assert (settled.applied, settled.repeated) == ("in effect", False)
    assert (raised.value.applied, raised.value.seen.data) == ("unknown", BASE)
    assert [json.loads(request.content) for request in service.requests] == [{"data": {}}] * 2


@pytest.mark.parametrize(
    "outcome", [http(GONE), httpx.Response(403), httpx.Response(400), httpx.Response(401), httpx.ConnectError("no")]
)
def test_a_refusal_says_nothing_about_the_earlier_request(client, service, stored, outcome):
    """Whatever this request ends with, it may not be reported as `no`."""
    service.will(*[outcome] * (3 if isinstance(outcome, Exception) else 1))

    with pytest.raises(OutcomeUnknownError) as raised:
        client.settle(stored())

    assert raised.value.applied == "unknown"


def test_a_truncated_2xx_is_yes(client, service, stored):
    """Its head says that the change was applied."""
    service.will(httpx.Response(200, content=b"{"))

    with pytest.raises(DecodingError) as raised:
        client.settle(stored())

    assert raised.value.applied == "yes"


def test_a_token_that_cannot_be_fetched_leaves_the_outcome_unknown(connect, project_id, service, stored):
    """This request was not sent, and the earlier one may have been applied."""

    def no_token():
        raise NotSentError("no connection to the token endpoint")

    client = connect(token=no_token)

    with pytest.raises(OutcomeUnknownError) as raised:
        client.settle(stored())
    with pytest.raises(PlatformError) as without_doubt:
        client.project(project_id).records.apply(stored())

    assert not service.requests
    assert (raised.value.applied, raised.value.change) == ("unknown", stored())
    assert isinstance(raised.value.__cause__, NotSentError)
    assert without_doubt.value.applied == "no"


@pytest.mark.parametrize("options", [{}, {"tokens": TOKENS, "guard": "all", "status": True}, {"merge": "deep"}])
def test_a_change_is_the_same_after_it_was_stored(options):
    """Every field survives, and so do the digits of numbers."""
    data = exact_json.loads('{"n": 1.10, "o": {"a": [1]}}')
    before = ObjectRecord(id="rec_1", status="open", data=data)
    new_change = Change.between(before, {"n": 2, "o": {"a": [1]}}, change_options=ChangeOptions(**options))

    stored_change = pickle.loads(pickle.dumps(new_change))

    assert stored_change == new_change
    assert exact_json.dumps(stored_change.guard) == exact_json.dumps(new_change.guard)
    assert b"1.10" in exact_json.dumps(stored_change.guard)
    assert stored_change.patch == new_change.patch
    assert (stored_change.tokens, stored_change.token) == (new_change.tokens, new_change.token)


@pytest.mark.parametrize(("doubt", "applied"), [(False, "no"), (True, "unknown")])
def test_a_call_in_doubt_that_gets_no_token_does_not_say_no(project_id, doubt, applied):
    """Nothing was sent now, which says nothing about the earlier attempt."""
    call = records_update.call(project_id, "r1", data={"a": 1})
    steps = flow.call(call, Settings("https://platform.example"), doubt=doubt)
    assert isinstance(next(steps), GetToken)

    with pytest.raises(NotSentError) as raised:
        steps.throw(NotSentError("no token"))

    assert raised.value.applied == applied
