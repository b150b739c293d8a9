"""A flow is fed values: no event loop, no server, no waiting."""

from __future__ import annotations

import dataclasses
from email.utils import formatdate

import pytest

from project_platform import (
    AuthenticationError,
    ConflictError,
    ConnectionLostError,
    DecodingError,
    NotFoundError,
    NotSentError,
    OutcomeUnknownError,
    RateLimitError,
    Response,
    RetryPolicy,
    ServerError,
    StalePreconditionError,
    StatusError,
    Timeout,
    TimeoutError,
    UsageError,
)
from project_platform.calls.flow import Attempt, GetToken, call
from project_platform.calls.headers import Headers

DONE = Response(200, body=b"done")
BUSY = Response(503, Headers({"retry-after": "0"}))
BUSY_FOR_NOW = Response(503)
CUT = Response(200, body=b"half", complete=False)
LOST = ConnectionLostError("the connection broke")
NOT_SENT = NotSentError("no connection")


def refusal(status: int, **headers: str) -> Response:
    """Return an answer of the service that carries an error body."""
    return Response(status, Headers(headers), b'{"message": "said the service"}')


def at_once(settings, **policy):
    """Return settings that repeat without waiting."""
    return dataclasses.replace(settings, retry=RetryPolicy(initial_delay=0.0, **policy))


def test_a_call_is_one_request_and_its_answer(a_call, settings, play):
    """The request has the call and the configuration of the client; the answer has the value and the attempts."""
    commands, answer = play(call(a_call(), settings), Response(201, Headers({"X-Request-Id": "r1"}), b"done"))

    (attempt,) = commands
    assert (attempt.delay, attempt.request.method) == (0.0, "GET")
    assert attempt.request.url == "https://platform.example/things?colour=red"
    assert attempt.request.headers["authorization"] == f"Bearer {settings.token}"
    assert (answer.value, answer.status, answer.applied) == (b"done", 201, "yes")
    assert answer.attempts == ((settings.now(), "applied", 201, "r1", None),)


def test_a_body_is_sent_as_json(a_call, settings):
    """A call with a body says that it is JSON; one without does not."""
    without = next(call(a_call(), settings)).request
    with_body = next(call(a_call(method="POST", body=b"{}"), settings)).request

    assert (without.body, "content-type" in without.headers) == (b"", False)
    assert (with_body.body, with_body.headers["content-type"]) == (b"{}", "application/json")


def test_the_delay_travels_with_the_next_attempt(a_call, settings):
    """What the driver is sent next says how long to wait before it."""
    flow = call(a_call(), settings)

    first = next(flow)
    second = flow.send(refusal(503, **{"retry-after": "7"}))

    assert first.delay == 0.0
    assert second == Attempt(second.request, delay=7.0)


def test_the_same_bytes_are_sent_again(a_call, settings, play):
    """A repeated request differs from the first in nothing that the service can see."""
    commands, _ = play(call(a_call(body=b"{}"), at_once(settings)), BUSY, LOST, DONE)

    sent = {(o.request.method, o.request.url, tuple(o.request.headers.items()), o.request.body) for o in commands}
    assert (len(commands), len(sent)) == (3, 1)


@pytest.mark.parametrize("outcome", [LOST, TimeoutError("late"), BUSY, refusal(408), Response(200, complete=False)])
@pytest.mark.parametrize("effect", ["read", "write"])
def test_what_is_safe_is_sent_again_when_an_answer_is_lost(a_call, settings, play, outcome, effect):
    """Twice is as good as once."""
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
def test_a_write_that_surely_was_not_applied_is_sent_again(a_call, settings, play, outcome):
    """No connection, and a refusal for now, are worth another try whatever the operation does."""
    _, answer = play(call(a_call("never", "irreversible"), at_once(settings)), outcome, outcome, DONE)

    assert answer.applied == "yes"
    assert [attempt.delivery for attempt in answer.attempts[:2]] in (["not sent"] * 2, ["not applied"] * 2)


def test_a_guarded_update_is_sent_again_only_while_its_guard_fences(a_call, settings, play):
    """A guard that is false once the update has landed keeps a second delivery out; any other does not."""
    _, answer = play(call(a_call("fenced", "write", fences=True), at_once(settings)), LOST, DONE)
    with pytest.raises(OutcomeUnknownError) as raised:
        play(call(a_call("fenced", "write", fences=False), at_once(settings)), LOST)

    assert answer.applied == "yes"
    assert len(raised.value.attempts) == 1


@pytest.mark.parametrize("lost", [LOST, TimeoutError("late"), BUSY])
def test_a_landed_write_is_never_reported_as_a_conflict(a_call, settings, play, lost):
    """A 409 after a lost answer may be the caller's own doing: the fate is unknown, and the error is no conflict."""
    update = a_call("fenced", "write", conflict=StalePreconditionError, fences=True)

    with pytest.raises(OutcomeUnknownError) as raised:
        play(call(update, at_once(settings)), lost, refusal(409))

    assert not isinstance(raised.value, ConflictError)
    assert isinstance(raised.value.__cause__, StalePreconditionError)
    assert [attempt.delivery for attempt in raised.value.attempts] == ["lost", "not applied"]


def test_a_conflict_without_doubt_is_a_conflict(a_call, settings, play):
    """The first answer to a write tells the truth: nothing was applied."""
    update = a_call("fenced", "write", conflict=StalePreconditionError, fences=True)

    with pytest.raises(StalePreconditionError, match="said the service") as raised:
        play(call(update, settings), refusal(409))

    assert raised.value.applied == "no"


@pytest.mark.parametrize(("status", "cause"), [(400, StatusError), (401, AuthenticationError), (404, NotFoundError)])
def test_doubt_outlives_a_later_refusal(a_call, settings, play, status, cause):
    """A refusal of the second attempt says nothing about the first, which was lost."""
    with pytest.raises(OutcomeUnknownError, match="an earlier attempt was lost") as raised:
        play(call(a_call("safe", "write"), at_once(settings)), LOST, refusal(status))

    assert raised.value.applied == "unknown"
    assert isinstance(raised.value.__cause__, cause)


def test_doubt_outlives_an_attempt_that_was_not_sent(a_call, settings, play):
    """Lost, then not sent until the attempts are spent: still unknown, although the last error alone would say no."""
    with pytest.raises(OutcomeUnknownError) as raised:
        play(call(a_call("safe", "write"), at_once(settings)), LOST, NOT_SENT, NOT_SENT)

    assert raised.value.applied == "unknown"
    assert isinstance(raised.value.__cause__, NotSentError)
    assert [attempt.delivery for attempt in raised.value.attempts] == ["lost", "not sent", "not sent"]


def test_success_after_doubt_is_success(a_call, settings, play):
    """The answered repetition of a safe write settles it."""
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
    """A guard would refuse the repetition, and that would be read as a conflict."""
    with pytest.raises(DecodingError) as raised:
        play(call(a_call(retry, "write", fences=fences), at_once(settings)), CUT)

    assert raised.value.applied == "yes"


@pytest.mark.parametrize(
    ("outcome", "kind"), [(LOST, ConnectionLostError), (BUSY, ServerError), (NOT_SENT, NotSentError)]
)
def test_a_read_that_fails_applied_nothing(a_call, settings, play, outcome, kind):
    """There is no doubt about a read: it ends with the error of its last attempt."""
    with pytest.raises(kind) as raised:
        play(call(a_call(), at_once(settings, max_attempts=2)), outcome, outcome)

    assert not isinstance(raised.value, OutcomeUnknownError)
    assert raised.value.applied == "no"


@pytest.mark.parametrize(
    ("outcome", "kind"), [(LOST, ConnectionLostError), (TimeoutError("late"), TimeoutError), (BUSY, ServerError)]
)
def test_an_unknown_outcome_is_caught_by_what_happened_too(a_call, settings, play, outcome, kind):
    """Who handles timeouts, lost connections and server errors handles those of a write as well."""
    with pytest.raises(kind) as raised:
        play(call(a_call("never", "write"), settings), outcome)

    assert isinstance(raised.value, OutcomeUnknownError)
    assert "look before you repeat it" in str(raised.value)


def test_the_deadline_counts_waiting_and_sending(a_call, settings, clock):
    """A retry that would begin after the deadline is not made, however many attempts are left."""
    flow = call(a_call(), at_once(settings, max_attempts=100, deadline=10.0))
    next(flow)

    clock.advance(6)
    assert isinstance(flow.send(BUSY), Attempt)
    clock.advance(6)
    with pytest.raises(ServerError) as raised:
        flow.send(BUSY)

    assert len(raised.value.attempts) == 2


def test_an_attempt_may_take_no_longer_than_what_is_left(a_call, settings, clock):
    """The timeouts of each attempt shrink with the deadline."""
    flow = call(a_call(), at_once(settings, deadline=20.0))

    first = next(flow).request.timeout
    clock.advance(15)
    second = flow.send(refusal(503, **{"retry-after": "2"})).request.timeout

    assert (first.connect, first.read, first.total) == (5.0, 20.0, 20.0)
    assert (second.connect, second.read, second.total) == (3.0, 3.0, 3.0)


def test_a_new_token_and_a_redirect_do_not_buy_time(a_call, settings, clock):
    """Whatever is sent within a call shares its deadline."""
    flow = call(a_call(), dataclasses.replace(at_once(settings, deadline=20.0), token=None))
    next(flow)
    flow.send("old-token")
    clock.advance(15)

    assert flow.send(refusal(401)) == GetToken(refused="old-token")
    clock.advance(1)
    renewed = flow.send("new-token")
    clock.advance(1)
    redirected = flow.send(refusal(307, location="/elsewhere"))

    assert renewed.request.timeout.total == pytest.approx(4.0)
    assert redirected.request.timeout.total == pytest.approx(3.0)


@pytest.mark.parametrize("policy", [{"deadline": None}, {"max_retry_after": 3600.0, "deadline": None}])
def test_without_a_deadline_the_timeouts_stay(a_call, settings, policy):
    """Each attempt has the timeouts that the client was given."""
    own = dataclasses.replace(at_once(settings, **policy), timeout=Timeout(1.0, 2.0, 3.0, 4.0))
    flow = call(a_call(), own)

    assert next(flow).request.timeout == flow.send(BUSY).request.timeout == Timeout(1.0, 2.0, 3.0, 4.0)


@pytest.mark.parametrize("headers", [{"retry-after": "61"}, {"retry-after-ms": "60001"}])
def test_a_longer_wait_than_allowed_ends_the_call(a_call, settings, play, headers):
    """The error says how long the service asks to wait, and the caller decides."""
    with pytest.raises(RateLimitError) as raised:
        play(call(a_call(), settings), refusal(429, **headers))

    assert raised.value.retry_after == pytest.approx(61.0, abs=1.0)
    assert len(raised.value.attempts) == 1


def test_a_retry_after_that_is_a_date_is_waited_for(a_call, settings, clock):
    """The date is compared with the clock that the settings give."""
    flow = call(a_call(), settings)
    next(flow)

    again = flow.send(refusal(503, **{"retry-after": formatdate(clock() + 9, usegmt=True)}))

    assert again.delay == pytest.approx(9.0)


def test_a_strategy_learns_how_the_call_went_so_far(a_call, settings, clock):
    """Attempts, seconds since the call began, and seconds of it that were spent waiting."""
    seen = []

    def wait(state):
        seen.append((state.attempt_number, state.seconds_since_start, state.idle_for))
        return 4.0

    flow = call(a_call(), dataclasses.replace(settings, retry=RetryPolicy(max_attempts=4, wait=wait)))
    next(flow)
    for _ in range(3):
        clock.advance(5)
        flow.send(BUSY_FOR_NOW)

    assert seen == [(1, 5.0, 0.0), (2, 10.0, 4.0), (3, 15.0, 8.0)]


def test_every_attempt_is_recorded(a_call, settings, clock):
    """When it started, how it ended, what the service called it; the waiting before it is not part of it."""
    flow = call(a_call(), settings)
    began = clock()
    next(flow)
    clock.advance(2)
    flow.send(refusal(503, **{"retry-after": "5", "x-request-id": "r1"}))
    clock.advance(5)
    with pytest.raises(NotFoundError) as raised:
        flow.send(refusal(404, **{"x-request-id": "r2"}))

    assert raised.value.attempts == (
        (began, "lost", 503, "r1", None),
        (began + 7, "not applied", 404, "r2", None),
    )


def test_an_attempt_without_an_answer_is_recorded_with_its_reason(a_call, settings, play):
    """The record says what happened instead of a status."""
    _, answer = play(call(a_call(), at_once(settings)), NOT_SENT, DONE)

    assert answer.attempts[0].status is None
    assert answer.attempts[0].error == "NotSentError: no connection"


def test_a_fixed_token_is_never_asked_for(a_call, settings, play):
    """A text cannot change: it is sent at once, and a refusal of it is final."""
    assert isinstance(next(call(a_call(), settings)), Attempt)
    with pytest.raises(AuthenticationError):
        play(call(a_call(), settings), refusal(401))


def test_a_refused_token_is_renewed_once(a_call, settings, play):
    """The token may have been revoked: one new one is worth a try, a second is not."""
    asking = dataclasses.replace(settings, token=None)

    commands, answer = play(call(a_call("never", "write"), asking), "old", refusal(401), "new", DONE)
    with pytest.raises(AuthenticationError) as raised:
        play(call(a_call(), asking), "old", refusal(401), "new", refusal(401))

    assert [type(command) for command in commands] == [GetToken, Attempt, GetToken, Attempt]
    assert commands[2] == GetToken(refused="old")
    assert [command.request.headers["authorization"] for command in commands[1::2]] == ["Bearer old", "Bearer new"]
    assert answer.applied == "yes"
    assert len(raised.value.attempts) == 2


def test_the_token_that_was_refused_is_not_sent_again(a_call, settings, play):
    """A source that knows no newer token ends the call with the refusal."""
    asking = dataclasses.replace(settings, token=None)

    with pytest.raises(AuthenticationError, match="said the service") as raised:
        play(call(a_call(), asking), "old", refusal(401), "old")

    assert len(raised.value.attempts) == 1


@pytest.mark.parametrize("bad", ["", "with space", "line\nbreak", "nul\0", "bell\x07", "delete\x7f", "café"])
def test_a_token_that_no_header_can_carry_is_refused(a_call, settings, bad):
    """Whatever a source gives is checked before it stands in a header, and not shown."""
    flow = call(a_call(), dataclasses.replace(settings, token=None))
    next(flow)

    with pytest.raises(UsageError, match="token") as raised:
        flow.send(bad)

    assert not bad or bad not in str(raised.value)


def test_doubt_outlives_a_token_source_that_fails(a_call, settings):
    """A write was lost, and no new token could be had for its repetition: it may have been applied all the same."""
    flow = call(a_call("safe", "write"), dataclasses.replace(at_once(settings), token=None))
    next(flow)
    flow.send("old")
    flow.send(LOST)
    flow.send(refusal(401))

    with pytest.raises(OutcomeUnknownError) as raised:
        flow.throw(RuntimeError("the vault is sealed"))

    assert raised.value.applied == "unknown"
    assert isinstance(raised.value.__cause__, RuntimeError)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", ["https://platform.example/elsewhere", "/elsewhere"])
def test_a_read_follows_a_redirect_within_its_origin(a_call, settings, play, status, location):
    """The token is meant for this origin, so it may go there."""
    commands, answer = play(call(a_call(), settings), refusal(status, location=location), DONE)

    assert commands[1].request.url == "https://platform.example/elsewhere"
    assert commands[1].request.headers["authorization"] == f"Bearer {settings.token}"
    assert answer.value == b"done"


@pytest.mark.parametrize(
    "location",
    [
        "https://evil.example/things",
        "http://platform.example/things",
        "https://platform.example:444/things",
        "//evil.example/things",
        "https://platform.example@evil.example/things",
        "https://user:secret@platform.example/things",
    ],
)
def test_a_redirect_to_another_origin_is_never_followed(a_call, settings, play, location):
    """Whoever answers there must not get the token; the error says where it pointed, without what may be secret."""
    with pytest.raises(StatusError, match="base_url") as raised:
        play(call(a_call(), settings), Response(302, Headers({"location": location})))

    assert raised.value.status == 302
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_write_is_never_redirected(a_call, settings, play, status):
    """What a redirect did with a write is not known in general; two say that nothing was done."""
    with pytest.raises(StatusError if status in {307, 308} else OutcomeUnknownError) as raised:
        play(call(a_call("safe", "write"), settings), refusal(status, location="/elsewhere"))

    assert raised.value.applied == ("no" if status in {307, 308} else "unknown")


@pytest.mark.parametrize("status", [302, 418, 444, 499])
def test_an_answer_that_does_not_say_whether_a_write_was_applied_is_reported_as_such(a_call, settings, play, status):
    """There was one attempt, so it is not blamed on an earlier one."""
    with pytest.raises(
        OutcomeUnknownError, match=r"the last answer does not say whether it was applied: .* \(said the service\)"
    ) as raised:
        play(call(a_call("never", "write"), settings), refusal(status))

    assert raised.value.__cause__.status == status
    assert "earlier" not in str(raised.value)


@pytest.mark.parametrize(("status", "followed"), [(301, False), (302, False), (303, False), (307, True), (308, True)])
def test_a_read_with_a_body_follows_only_what_keeps_its_method(a_call, settings, play, status, followed):
    """A client that turns the POST of an export into a GET would ask for something else."""
    export = a_call(method="POST", body=b"{}")
    redirect = refusal(status, location="/elsewhere")

    if followed:
        commands, _ = play(call(export, settings), redirect, DONE)
        assert (commands[1].request.method, commands[1].request.body) == ("POST", b"{}")
    else:
        with pytest.raises(StatusError):
            play(call(export, settings), redirect)


@pytest.mark.parametrize(
    "location", ["//[no-host/things", "/caf\xe9", "/a b", "", "mailto:somebody", "javascript:alert(1)"]
)
def test_a_redirect_that_leads_nowhere_is_an_error_of_the_service(a_call, settings, play, location):
    """Whatever stands in `Location`, the caller gets a status error and not an accident."""
    with pytest.raises(StatusError) as raised:
        play(call(a_call(), settings), *[Response(302, Headers({"location": location}))] * (6 if not location else 1))

    assert (raised.value.status, raised.value.applied) == (302, "no")


def test_a_fragment_stays_with_the_caller(a_call, settings, play):
    """A fragment is not part of a request (RFC 3986, section 3.5)."""
    commands, _ = play(call(a_call(), settings), refusal(302, location="/elsewhere#top"), DONE)

    assert commands[1].request.url == "https://platform.example/elsewhere"


@pytest.mark.parametrize("order", ["token", "redirect"])
def test_nothing_is_sent_after_the_deadline(a_call, settings, clock, order):
    """Neither a new token nor a redirect is worth a request that comes too late."""
    flow = call(a_call(), dataclasses.replace(at_once(settings, deadline=20.0), token=None))
    next(flow)
    flow.send("old")

    if order == "token":
        flow.send(refusal(401))
    clock.advance(20)
    with pytest.raises(StatusError) as raised:
        flow.send("new" if order == "token" else refusal(307, location="/elsewhere"))

    assert raised.value.status == (401 if order == "token" else 307)


def test_redirects_come_to_an_end(a_call, settings, play):
    """A loop is an error and not an endless call."""
    with pytest.raises(StatusError) as raised:
        play(call(a_call(), settings), *[refusal(307, location="/things")] * 6)

    assert len(raised.value.attempts) == 6


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_an_interrupted_write_says_that_its_outcome_is_unknown(a_call, settings, interruption):
    """The interruption goes on, with a note that tells whoever reads the traceback."""
    flow = call(a_call("never", "write", id="records_create"), settings)
    next(flow)

    with pytest.raises(interruption) as raised:
        flow.throw(interruption())

    assert raised.value.__notes__ == ["records_create was interrupted; it is not known whether it was applied"]


def test_an_interrupted_read_needs_no_note(a_call, settings):
    """There is nothing to be in doubt about."""
    flow = call(a_call(), settings)
    next(flow)

    with pytest.raises(KeyboardInterrupt) as raised:
        flow.throw(KeyboardInterrupt())

    assert not hasattr(raised.value, "__notes__")
