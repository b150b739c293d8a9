"""Waiting, sending, renewed tokens and redirects share the deadline of a call, and shorten its timeouts."""

from __future__ import annotations

import dataclasses
import time
from collections import UserDict

import pytest

from project_platform import (
    NotSentError,
    OutcomeUnknownError,
    RetryPolicy,
    ServerError,
    StatusError,
    Timeout,
)
from project_platform.calls.flow import GetToken, Wait, call
from project_platform.calls.headers import Secret

from .outcomes import BUSY, BUSY_FOR_NOW, at_once, refusal


def test_the_timeouts_of_an_attempt_end_at_the_deadline(a_call, settings, clock):
    flow = call(a_call(), at_once(settings, deadline=20.0))

    first = next(flow).request.timeout
    clock.advance(15)
    assert flow.send(refusal(503, **{"retry-after": "2"})) == Wait(2.0)
    clock.advance(2.5)
    second = next(flow).request.timeout

    assert (first.connect, first.read, first.total) == (5.0, 20.0, 20.0)
    assert (second.connect, second.read, second.total) == (2.5, 2.5, 2.5)


def test_a_new_token_and_a_redirect_do_not_extend_the_deadline(a_call, settings, clock):
    flow = call(a_call(), dataclasses.replace(at_once(settings, deadline=20.0), token=None))
    next(flow)
    flow.send("old-token")
    clock.advance(15)

    assert flow.send(refusal(401)) == GetToken(refused=Secret("old-token"), seconds=5.0)
    clock.advance(1)
    renewed = flow.send("new-token")
    clock.advance(1)
    redirected = flow.send(refusal(307, location="/elsewhere"))

    assert renewed.request.timeout.total == pytest.approx(4.0)
    assert redirected.request.timeout.total == pytest.approx(3.0)


@pytest.mark.parametrize("policy", [{"deadline": None}, {"max_retry_after": 3600.0, "deadline": None}])
def test_without_a_deadline_each_attempt_has_the_full_timeouts(a_call, settings, policy):
    own = dataclasses.replace(at_once(settings, **policy), timeout=Timeout(1.0, 2.0, 3.0, 4.0))
    flow = call(a_call(), own)

    assert next(flow).request.timeout == flow.send(BUSY).request.timeout == Timeout(1.0, 2.0, 3.0, 4.0)


def test_a_strategy_receives_attempts_and_seconds_so_far(a_call, settings, clock):
    seen = []

    def wait(state):
        seen.append((state.attempt_number, state.seconds_since_start, state.idle_for))
        return 4.0

    flow = call(a_call(), dataclasses.replace(settings, retry=RetryPolicy(max_attempts=4, wait=wait)))
    next(flow)
    for _ in range(3):
        clock.advance(5)
        assert flow.send(BUSY_FOR_NOW) == Wait(4.0)
        next(flow)

    assert seen == [(1, 5.0, 0.0), (2, 10.0, 4.0), (3, 15.0, 8.0)]


@pytest.mark.parametrize("order", ["token", "redirect"])
def test_nothing_is_sent_after_the_deadline(a_call, settings, clock, order):
    flow = call(a_call(), dataclasses.replace(at_once(settings, deadline=20.0), token=None))
    next(flow)
    flow.send("old")

    if order == "token":
        flow.send(refusal(401))
    clock.advance(20)
    with pytest.raises(StatusError) as raised:
        flow.send("new" if order == "token" else refusal(307, location="/elsewhere"))

    assert raised.value.status == (401 if order == "token" else 307)


@pytest.mark.parametrize("effect", ["read", "write"])
def test_nothing_is_sent_if_the_token_took_all_the_time(a_call, settings, clock, effect):
    """A token function that blocks cannot be interrupted, but no request follows it."""
    flow = call(a_call("never", effect), dataclasses.replace(at_once(settings, deadline=20.0), token=None))
    next(flow)
    clock.advance(20)

    with pytest.raises(NotSentError, match="the deadline passed before the request was sent") as raised:
        flow.send("token")

    assert (raised.value.applied, raised.value.operation_id, raised.value.attempts) == ("no", "things_do", ())


def test_nothing_is_sent_if_a_wait_takes_longer_than_the_deadline(a_call, settings, clock):
    """A machine may wake up late; the call ends with the last response."""
    flow = call(a_call("safe", "write"), at_once(settings, deadline=20.0))
    next(flow)
    assert flow.send(refusal(503, **{"retry-after": "5"})) == Wait(5.0)
    clock.advance(60)

    with pytest.raises(OutcomeUnknownError) as raised:
        next(flow)

    assert isinstance(raised.value, ServerError)
    assert len(raised.value.attempts) == 1


def test_the_calls_of_one_flow_share_a_deadline(a_call, settings, clock):
    """`started` fixes the deadline of several calls, whatever the policy says about each."""
    shared = dataclasses.replace(at_once(settings, deadline=20.0), token=None).started()
    clock.advance(15)
    later = call(a_call(), shared)

    assert next(later) == GetToken(seconds=5.0)
    clock.advance(1)
    assert later.send("token").request.timeout.total == 4.0
    clock.advance(1)
    with pytest.raises(ServerError):
        later.send(refusal(503, **{"retry-after": "3"}))
    clock.advance(3)
    with pytest.raises(NotSentError):
        next(call(a_call(), shared))


class SlowData(UserDict[str, object]):
    """Data that takes a second to encode, as many megabytes do."""

    def items(self):
        time.sleep(1.0)
        return super().items()


def test_encoding_the_request_counts_towards_the_deadline(connect, service, project_id):
    project = connect(retry=RetryPolicy(deadline=0.5)).project(project_id)

    with pytest.raises(NotSentError, match="the deadline passed before the request was sent"):
        project.records.create(type_slug="deal", data=SlowData(a=1))

    assert service.requests == []
