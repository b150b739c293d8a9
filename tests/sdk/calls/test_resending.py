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
    ServerError,
    StalePreconditionError,
    StatusError,
    TimeoutError,
)
from project_platform.calls.flow import call

from .outcomes import BUSY, CUT, DONE, LOST, NOT_SENT, at_once, refusal

LATE = TimeoutError("late")
FENCES = {"retry": "fenced", "effect": "write", "fences": True, "conflict": StalePreconditionError}
DOES_NOT_FENCE = {**FENCES, "fences": False}
SAFE = {"retry": "safe", "effect": "write"}
NEVER = {"retry": "never", "effect": "write"}
READ = {"retry": "safe", "effect": "read"}


@pytest.mark.parametrize(
    ("kind", "outcomes"),
    [
        # A second delivery of a safe request is harmless.
        *((kind, [outcome]) for kind in (READ, SAFE) for outcome in (LOST, LATE, BUSY, refusal(408), CUT)),
        (SAFE, [LOST, BUSY]),
        # A guard that no longer holds after the update prevents a second delivery.
        (FENCES, [LOST]),
        # After a failed connection or a 429, nothing was done.
        *(({"retry": "never", "effect": "irreversible"}, [outcome] * 2) for outcome in (NOT_SENT, refusal(429))),
    ],
)
def test_a_request_is_sent_again_where_that_is_harmless(a_call, settings, play, kind, outcomes):
    """The response to the last delivery settles the outcome."""
    _, response = play(call(a_call(**kind), at_once(settings)), *outcomes, DONE)

    assert (response.value, response.applied, len(response.attempts)) == (b"done", "yes", len(outcomes) + 1)


# The kind of call, its outcomes (no further request is sent), the error, its cause, and what it says of the write.
ENDS = [
    # A second delivery of a create or a booking would be a second record or invitation.
    *(
        (NEVER, [outcome], OutcomeUnknownError, None, "unknown")
        for outcome in (refusal(500), refusal(408), refusal(302))
    ),
    (DOES_NOT_FENCE, [LOST], OutcomeUnknownError, None, "unknown"),
    # `except` clauses for timeouts, lost connections and server errors also catch those of a write.
    (NEVER, [LOST], (OutcomeUnknownError, ConnectionLostError), None, "unknown"),
    (NEVER, [LATE], (OutcomeUnknownError, TimeoutError), None, "unknown"),
    (NEVER, [BUSY], (OutcomeUnknownError, ServerError), None, "unknown"),
    # A 409 to the only attempt shows that nothing was applied; after a lost one, it may be the caller's own doing.
    (FENCES, [refusal(409)], StalePreconditionError, None, "no"),
    *(
        (FENCES, [lost, refusal(409)], OutcomeUnknownError, StalePreconditionError, "unknown")
        for lost in (LOST, LATE, BUSY)
    ),
    # No refusal of the second attempt says anything about the first, which was lost, nor does one that was not sent.
    (SAFE, [LOST, refusal(400)], OutcomeUnknownError, StatusError, "unknown"),
    (SAFE, [LOST, refusal(401)], OutcomeUnknownError, AuthenticationError, "unknown"),
    (SAFE, [LOST, refusal(404)], OutcomeUnknownError, NotFoundError, "unknown"),
    (SAFE, [LOST, NOT_SENT, NOT_SENT], OutcomeUnknownError, NotSentError, "unknown"),
    # A 2xx settles it: whatever the repetition for its body meets, the write was carried out.
    *((SAFE, [CUT, *later], DecodingError, None, "yes") for later in ([refusal(409)], [LOST, LOST], [BUSY, NOT_SENT])),
    # A guard would refuse a second delivery, which would look like a conflict.
    *((kind, [CUT], DecodingError, None, "yes") for kind in (NEVER, FENCES, DOES_NOT_FENCE)),
    # A read is never in doubt: it ends with the error of its last attempt.
    (READ, [LOST] * 3, ConnectionLostError, None, "no"),
    (READ, [BUSY] * 3, ServerError, None, "no"),
    (READ, [NOT_SENT] * 3, NotSentError, None, "no"),
]


@pytest.mark.parametrize(("kind", "outcomes", "error", "cause", "applied"), ENDS)
def test_a_call_ends_with_an_error_that_says_whether_it_was_applied(  # noqa: PLR0917
    a_call, settings, play, kind, outcomes, error, cause, applied
):
    """No landed write is reported as a conflict, and no lost one as refused; the error has every attempt."""
    with pytest.raises(Exception) as raised:  # the classes are compared
        play(call(a_call(**kind), at_once(settings)), *outcomes)

    for each in error if isinstance(error, tuple) else [error]:
        assert isinstance(raised.value, each)
    assert cause is None or isinstance(raised.value.__cause__, cause)
    assert (raised.value.applied, len(raised.value.attempts)) == (applied, len(outcomes))
    assert isinstance(raised.value, OutcomeUnknownError) == (applied == "unknown")
    assert isinstance(raised.value, ConflictError) == (error is StalePreconditionError)
    assert applied != "unknown" or raised.value.call is not None


def test_a_failing_token_source_after_a_lost_attempt_is_an_unknown_outcome(a_call, settings):
    """A lost write may have been applied, although no new token could be obtained to send it again."""
    flow = call(a_call("safe", "write"), dataclasses.replace(at_once(settings), token=None))
    next(flow)
    for result in ("old", LOST, refusal(401)):
        flow.send(result)

    with pytest.raises(OutcomeUnknownError) as raised:
        flow.throw(RuntimeError("the vault is sealed"))

    assert raised.value.applied == "unknown"
    assert isinstance(raised.value.__cause__, RuntimeError)
