"""A request is sent again only where a second delivery is harmless, and an error never reports a lost write as refused."""

from __future__ import annotations

import dataclasses

import pytest

from project_platform import (
    AuthenticationError,
    ConflictError,
    ConnectionLostError,
    DecodingError,
    NotFoundError,
    NotSentError,
    OutcomeUnknownError,
    Response,
    ServerError,
    StalePreconditionError,
    StatusError,
    TimeoutError,
)
from project_platform.calls.flow import call

from .outcomes import BUSY, CUT, DONE, LOST, NOT_SENT, at_once, refusal


def test_the_same_bytes_are_sent_again(a_call, settings, play):
    """A repeated request differs from the first in nothing that the service can see."""
    commands, _ = play(call(a_call(body=b"{}"), at_once(settings)), BUSY, LOST, DONE)

    sent = {(o.request.method, o.request.url, tuple(o.request.headers.items()), o.request.body) for o in commands}
    assert (len(commands), len(sent)) == (3, 1)


@pytest.mark.parametrize("outcome", [LOST, TimeoutError("late"), BUSY, refusal(408), Response(200, complete=False)])
@pytest.mark.parametrize("effect", ["read", "write"])
def test_a_safe_request_is_sent_again_when_its_answer_is_lost(a_call, settings, play, outcome, effect):
    """A second delivery of a safe request is harmless."""
    _, answer = play(call(a_call("safe", effect), at_once(settings)), outcome, DONE)

    assert answer.value == b"done"
    assert len(answer.attempts) == 2


@pytest.mark.parametrize("outcome", [LOST, TimeoutError("late"), BUSY, refusal(500), refusal(408), refusal(302)])
def test_a_write_that_may_have_arrived_is_never_sent_again(a_call, settings, play, outcome):
    """A second delivery of a create or a booking would be a second record or invitation: it is an error instead."""
    with pytest.raises(OutcomeUnknownError) as raised:
        play(call(a_call("never", "write"), at_once(settings)), outcome)

    assert raised.value.applied == "unknown"
    assert [attempt.delivery for attempt in raised.value.attempts] == ["lost"]


@pytest.mark.parametrize("outcome", [NOT_SENT, refusal(429)])
def test_a_write_that_was_certainly_not_applied_is_sent_again(a_call, settings, play, outcome):
    """After a failed connection or a 429, every operation is sent again."""
    _, answer = play(call(a_call("never", "irreversible"), at_once(settings)), outcome, outcome, DONE)

    assert answer.applied == "yes"
    assert [attempt.delivery for attempt in answer.attempts[:2]] in (["not sent"] * 2, ["not applied"] * 2)


def test_a_guarded_update_is_sent_again_only_while_its_guard_fences(a_call, settings, play):
    """A guard that no longer holds after the update prevents a second delivery; other guards do not."""
    _, answer = play(call(a_call("fenced", "write", fences=True), at_once(settings)), LOST, DONE)
    with pytest.raises(OutcomeUnknownError) as raised:
        play(call(a_call("fenced", "write", fences=False), at_once(settings)), LOST)

    assert answer.applied == "yes"
    assert len(raised.value.attempts) == 1


@pytest.mark.parametrize("lost", [LOST, TimeoutError("late"), BUSY])
def test_a_landed_write_is_never_reported_as_a_conflict(a_call, settings, play, lost):
    """A 409 after a lost response may be the caller's own doing: the fate is unknown, and the error is not a conflict."""
    update = a_call("fenced", "write", conflict=StalePreconditionError, fences=True)

    with pytest.raises(OutcomeUnknownError) as raised:
        play(call(update, at_once(settings)), lost, refusal(409))

    assert not isinstance(raised.value, ConflictError)
    assert isinstance(raised.value.__cause__, StalePreconditionError)
    assert [attempt.delivery for attempt in raised.value.attempts] == ["lost", "not applied"]


def test_a_conflict_on_the_first_attempt_is_raised_as_a_conflict(a_call, settings, play):
    """A 409 to the only attempt shows that nothing was applied."""
    update = a_call("fenced", "write", conflict=StalePreconditionError, fences=True)

    with pytest.raises(StalePreconditionError, match="said the service") as raised:
        play(call(update, settings), refusal(409))

    assert raised.value.applied == "no"


@pytest.mark.parametrize(("status", "cause"), [(400, StatusError), (401, AuthenticationError), (404, NotFoundError)])
def test_a_refusal_after_a_lost_attempt_is_an_unknown_outcome(a_call, settings, play, status, cause):
    """A refusal of the second attempt says nothing about the first, which was lost."""
    with pytest.raises(OutcomeUnknownError, match="an earlier attempt was lost") as raised:
        play(call(a_call("safe", "write"), at_once(settings)), LOST, refusal(status))

    assert raised.value.applied == "unknown"
    assert isinstance(raised.value.__cause__, cause)


def test_an_unsent_attempt_after_a_lost_one_is_an_unknown_outcome(a_call, settings, play):
    """Lost, then not sent until the attempts are spent: still unknown, although the last error alone would say no."""
    with pytest.raises(OutcomeUnknownError) as raised:
        play(call(a_call("safe", "write"), at_once(settings)), LOST, NOT_SENT, NOT_SENT)

    assert raised.value.applied == "unknown"
    assert isinstance(raised.value.__cause__, NotSentError)
    assert [attempt.delivery for attempt in raised.value.attempts] == ["lost", "not sent", "not sent"]


def test_a_success_after_a_lost_attempt_is_a_success(a_call, settings, play):
    """The response to the second delivery of a safe write settles its outcome."""
    _, answer = play(call(a_call("safe", "write"), at_once(settings)), LOST, BUSY, DONE)

    assert answer.applied == "yes"
    assert [attempt.delivery for attempt in answer.attempts] == ["lost", "lost", "applied"]


@pytest.mark.parametrize("later", [[refusal(409)], [refusal(404)], [LOST, LOST], [BUSY, NOT_SENT]])
def test_a_write_whose_answer_was_cut_off_was_applied(a_call, settings, play, later):
    """A 2xx settles it: whatever the repetition for its body meets, the write was carried out."""
    with pytest.raises(DecodingError, match="cut off after 4 bytes") as raised:
        play(call(a_call("safe", "write"), at_once(settings)), CUT, *later)

    assert (raised.value.applied, raised.value.body) == ("yes", b"half")


@pytest.mark.parametrize(("retry", "fences"), [("never", False), ("fenced", False), ("fenced", True)])
def test_a_write_that_landed_is_not_sent_again_for_its_answer(a_call, settings, play, retry, fences):
    """The guard would refuse a second delivery, which would look like a conflict."""
    with pytest.raises(DecodingError) as raised:
        play(call(a_call(retry, "write", fences=fences), at_once(settings)), CUT)

    assert raised.value.applied == "yes"


@pytest.mark.parametrize(
    ("outcome", "kind"), [(LOST, ConnectionLostError), (BUSY, ServerError), (NOT_SENT, NotSentError)]
)
def test_a_read_that_fails_applied_nothing(a_call, settings, play, outcome, kind):
    """A read is never in doubt: it ends with the error of its last attempt."""
    with pytest.raises(kind) as raised:
        play(call(a_call(), at_once(settings, max_attempts=2)), outcome, outcome)

    assert not isinstance(raised.value, OutcomeUnknownError)
    assert raised.value.applied == "no"


@pytest.mark.parametrize(
    ("outcome", "kind"), [(LOST, ConnectionLostError), (TimeoutError("late"), TimeoutError), (BUSY, ServerError)]
)
def test_an_unknown_outcome_is_also_an_error_of_its_cause(a_call, settings, play, outcome, kind):
    """`except` clauses for timeouts, lost connections and server errors also catch those of a write."""
    with pytest.raises(kind) as raised:
        play(call(a_call("never", "write"), settings), outcome)

    assert isinstance(raised.value, OutcomeUnknownError)
    assert raised.value.call is not None


def test_a_failing_token_source_after_a_lost_attempt_is_an_unknown_outcome(a_call, settings):
    """A lost write may have been applied, although no new token could be obtained to send it again."""
    flow = call(a_call("safe", "write"), dataclasses.replace(at_once(settings), token=None))
    next(flow)
    flow.send("old")
    flow.send(LOST)
    flow.send(refusal(401))

    with pytest.raises(OutcomeUnknownError) as raised:
        flow.throw(RuntimeError("the vault is sealed"))

    assert raised.value.applied == "unknown"
    assert isinstance(raised.value.__cause__, RuntimeError)


@pytest.mark.parametrize("status", [302, 418, 444, 499])
def test_an_answer_that_does_not_say_whether_a_write_was_applied_is_reported_as_such(a_call, settings, play, status):
    """There was one attempt, so the message does not name an earlier one."""
    with pytest.raises(
        OutcomeUnknownError, match=r"the last response does not say whether it was applied: .* \(said the service\)"
    ) as raised:
        play(call(a_call("never", "write"), settings), refusal(status))

    assert raised.value.__cause__.status == status
    assert "earlier" not in str(raised.value)
