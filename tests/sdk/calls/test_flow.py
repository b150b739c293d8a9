"""A flow yields the request of a call, renews a refused token once, and records every attempt."""

from __future__ import annotations

import dataclasses

import pytest

from project_platform import AuthenticationError, NotFoundError
from project_platform.calls.flow import Attempt, GetToken, Wait, call
from project_platform.calls.headers import Secret

from .outcomes import DONE, NOT_SENT, at_once, refusal


def test_every_attempt_is_recorded(a_call, settings, clock):
    """An attempt has its start, its fate, its status and its request id; the wait before it is not part of it."""
    flow = call(a_call(), settings)
    began = clock()
    next(flow)
    clock.advance(2)
    assert flow.send(refusal(503, **{"retry-after": "5", "x-request-id": "r1"})) == Wait(5.0)
    clock.advance(5)
    next(flow)
    with pytest.raises(NotFoundError) as raised:
        flow.send(refusal(404, **{"x-request-id": "r2"}))

    assert raised.value.attempts == (
        (began, "lost", 503, "r1", None),
        (began + 7, "not applied", 404, "r2", None),
    )


def test_an_attempt_without_a_response_is_recorded_with_its_reason(a_call, settings, play):
    _, response = play(call(a_call(), at_once(settings)), NOT_SENT, DONE)

    assert response.attempts[0].status is None
    assert response.attempts[0].error == "NotSentError: no connection"


def test_a_refused_token_is_renewed_once(a_call, settings, play):
    asking = dataclasses.replace(settings, token=None)

    commands, response = play(call(a_call("never", "write"), asking), "old", refusal(401), "new", DONE)
    with pytest.raises(AuthenticationError) as raised:
        play(call(a_call(), asking), "old", refusal(401), "new", refusal(401))

    assert [type(command) for command in commands] == [GetToken, Attempt, GetToken, Attempt]
    assert commands[2] == GetToken(refused=Secret("old"), seconds=120.0)
    assert [command.request.headers["authorization"] for command in commands[1::2]] == ["Bearer old", "Bearer new"]
    assert response.applied == "yes"
    assert len(raised.value.attempts) == 2


def test_the_token_that_was_refused_is_not_sent_again(a_call, settings, play):
    asking = dataclasses.replace(settings, token=None)

    with pytest.raises(AuthenticationError, match="said the service") as raised:
        play(call(a_call(), asking), "old", refusal(401), "old")

    assert len(raised.value.attempts) == 1
