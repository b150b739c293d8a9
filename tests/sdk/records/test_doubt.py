"""A change that may have been applied before, as after a crash, is never reported as not applied, unless tokens prove it."""

from __future__ import annotations

import pickle

import pytest

from project_platform import (
    ConflictError,
    NotSentError,
    OutcomeUnknownError,
    PlatformError,
    Response,
)
from project_platform.settling import settled

from .deal import BASE, FIRST, GONE, NOT_SENT, STALE, TOKENS, WON, after_another, record_response, sent

WITH_TOKENS = {"base": {**BASE, **FIRST}, "tokens": TOKENS}
OVERTAKEN = after_another({**BASE, **FIRST}, stage="lost")
LANDED = object()  # stands for the record after the change


@pytest.fixture
def stored(change):
    """Return a function that makes a change as it is read from a file after a crash."""
    return lambda **options: pickle.loads(pickle.dumps(change(**options)))


@pytest.fixture
def settle(at_once, stored):
    """Return a function that settles a stored change; it returns the change, what was sent, and the result or the error."""

    def settle(options, outcomes):
        change = stored(**options)
        steps, bodies = settled(change, at_once), []
        try:
            command = next(steps)
            for outcome in outcomes:
                bodies.append(sent(command))
                shown = change.predicted if outcome is LANDED else outcome
                command = steps.send(record_response(shown) if isinstance(shown, dict) else shown)
        except StopIteration as done:
            return change, bodies, done.value
        except PlatformError as error:
            return change, bodies, error
        raise AssertionError(f"the flow goes on: {command}")

    return settle


@pytest.mark.parametrize(
    ("options", "outcomes", "sends", "verdict"),
    [
        # A 2xx means that the guard still held, so the earlier request was not applied.
        ({}, [WON], "update", "yes"),
        # Its head says so, too.
        ({}, [Response(200, body=b"{")], "update", "yes"),
        # The earlier request may have caused the conflict.
        ({}, [STALE, WON], "update look", "in effect"),
        ({}, [STALE, BASE], "update look", "unknown"),
        # It could be applied twice, so it is not sent.
        ({"guard": None}, [WON], "look", "in effect"),
        ({"guard": ["note"]}, [WON], "look", "in effect"),
        ({"guard": ["note"]}, [BASE], "look", "unknown"),
        # The ring proves whether the earlier request was applied.
        (WITH_TOKENS, [STALE, LANDED], "update look", "yes"),
        (WITH_TOKENS, [STALE, OVERTAKEN], "update look", "no"),
        # A refusal says nothing about the earlier request, and neither does a request that is not sent.
        *(({}, [refusal], "update", "unknown") for refusal in (GONE, Response(400), Response(401), Response(403))),
        ({}, [NOT_SENT] * 3, "update update update", "unknown"),
    ],
)
def test_a_change_that_was_sent_before_a_crash_is_settled(settle, options, outcomes, sends, verdict):
    """By sending it again if its guard fences, and by a look; only tokens prove that it was not applied."""
    change, bodies, ended = settle(options, outcomes)

    assert (ended.applied, len(ended.attempts)) == (verdict, len(outcomes))
    update, look = {"data": change.patch, "expectedData": change.guard}, {"data": {}}
    assert bodies == [update if name == "update" else look for name in sends.split()]
    assert isinstance(ended, ConflictError) == (verdict == "no")
    assert isinstance(ended, OutcomeUnknownError) == (verdict == "unknown")
    assert getattr(ended, "repeated", False) is False
    if verdict in {"no", "unknown"}:
        assert ended.change == change


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
