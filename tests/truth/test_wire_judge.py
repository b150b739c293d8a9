"""The judge of the trials over sockets finds what a lying client does: it can fail."""

from __future__ import annotations

import httpx
import pytest
from wire.actions import Action
from wire.certificates import contexts
from wire.judge import Outcome, judge
from wire.runs import drive
from wire.service import Arrival, Ledger
from wire.transports import Lane

from project_platform import Change, NotSentError, OutcomeUnknownError, Response, StalePreconditionError
from project_platform.models import BookingResult, ObjectRecord

NONCE = "the-call"
RUNS = range(60)  # every claim is broken in the first fifty


class Honest(httpx.BaseTransport):
    """A transport over httpx, from which the lying ones differ."""

    def __init__(self):
        self._inner = httpx.HTTPTransport(verify=contexts().client, trust_env=False)

    def handle_request(self, request):
        return self._inner.handle_request(request)

    def close(self):
        self._inner.close()


class Repeating(Honest):
    """Sends every request again after a failure, and hides that from the extension `trace`."""

    def handle_request(self, request):
        request.extensions = {"timeout": request.extensions["timeout"]}
        try:
            return self._inner.handle_request(request)
        except httpx.TransportError:
            return self._inner.handle_request(request)


class Lying:
    """A transport of the SDK that reports something else for a failure."""

    def __init__(self, failure):
        self._client, self._failure = httpx.Client(trust_env=False, timeout=0.2), failure

    def send(self, request):
        try:
            headers = {"X-Nonce": request.headers["x-nonce"]}
            response = self._client.request(request.method, request.url, headers=headers, content=request.body)
        except httpx.HTTPError:
            return self._failure
        return Response(response.status_code, body=response.content)

    def close(self):
        self._client.close()


def wrong_claims(make_transport, transport="httpx"):
    """Return the claims that are broken when calls are sent over a transport."""
    tally = drive(Lane(transport, "sync", tls=False), RUNS, make_transport=make_transport)
    return {claim for _, claim in tally.claims}


def test_a_lost_answer_that_is_called_not_sent_is_found():
    """A transport that reports a read error as "not sent" makes the SDK say no, and send bookings again."""
    claims = wrong_claims(lambda: Lying(NotSentError("not sent")))

    assert {"no, and it was applied", "applied twice", "sent again after it may have arrived"} <= claims


def test_an_invented_answer_is_found():
    """A transport that answers a lost request by itself makes the SDK say yes."""
    claims = wrong_claims(lambda: Lying(Response(200, body=b'{"bookingUid": "it", "record": {"id": "it"}}')))

    assert {"yes, and it was not applied", "the response is that of another call"} <= claims


def test_a_repeated_booking_is_found():
    """A transport that sends requests again by itself duplicates bookings, and makes a landed update a conflict."""
    claims = wrong_claims(Repeating)

    assert {"applied twice", "sent again after it may have arrived", "a conflict, and it was applied"} <= claims


def test_surplus_bytes_that_reach_the_next_call_are_found():
    """A client that reads surplus bytes as the next response returns the response of another call."""
    assert "the response is that of another call" in wrong_claims(Honest, transport="default")


# Each claim of the judge by itself


def action(**more):
    """Return a booking, or another call."""
    return Action(
        **{"kind": "book", "nonce": NONCE, "do": lambda *_: None, "identify": lambda result: result.booking_uid, **more}
    )


def error(kind=OutcomeUnknownError, applied="unknown", **more):
    """Return an error of the SDK."""
    return kind("as planned", operation_id="calendar_book", applied=applied, **more)


OWN = BookingResult(booking_uid=NONCE)
CHANGE = Change.between(ObjectRecord.model_validate({"id": NONCE, "data": {"stage": "open"}}), {"stage": "won"})


class InEffect:
    """The result of a change that is in effect."""

    applied = "in effect"
    booking_uid = NONCE


@pytest.mark.parametrize(
    ("claim", "outcome", "landed"),
    [
        ("", Outcome(action(), OWN, landed=1), 1),
        ("", Outcome(action(), error=error()), 1),
        ("", Outcome(action(), error=error()), 0),
        ("", Outcome(action(), error=error(NotSentError, "no")), 0),
        ("", Outcome(action(resending="safe"), OWN, landed=2), 2),
        ("yes, and it was not applied", Outcome(action(), OWN, landed=0), 1),
        ("no, and it was applied", Outcome(action(), error=error(NotSentError, "no")), 1),
        ("in effect, and the record never met the change", Outcome(action(change=CHANGE), InEffect(), landed=1), 1),
        (
            "a conflict, and it was applied",
            Outcome(action(), error=error(StalePreconditionError, "no", status=409)),
            1,
        ),
        ("unknown, and not an error that says so", Outcome(action(), error=error(NotSentError, "unknown")), 0),
        ("applied twice", Outcome(action(), OWN, landed=2), 2),
        ("the response is that of another call", Outcome(action(), BookingResult(booking_uid="other"), landed=1), 1),
        ("is not an error of the SDK", Outcome(action(), error=OSError("bare")), 0),
        ("the call took 9.0 s", Outcome(action(), OWN, landed=1, seconds=9.0), 1),
        ("a read, and 'unknown'", Outcome(action(writes=False), error=error()), 0),
    ],
)
def test_a_broken_claim_is_found(claim, outcome, landed):
    """Each claim is broken by an outcome that contradicts it, and by no other."""
    ledger = Ledger()
    ledger.landed[NONCE] = landed
    ledger.states[NONCE] = [{"stage": "open"}]

    wrong = judge(outcome, ledger).wrong

    assert bool(wrong) == bool(claim)
    assert not claim or any(claim in broken for broken in wrong)


@pytest.mark.parametrize(
    ("arrivals", "wrong"),
    [
        ([Arrival(b"a")], []),
        ([Arrival(b"a", permits_resending=True), Arrival(b"a")], []),
        ([Arrival(b"a"), Arrival(b"a")], ["sent again after it may have arrived"]),
        ([Arrival(b"a", permits_resending=True), Arrival(b"b")], ["other bytes were sent again"]),
    ],
)
def test_a_write_that_is_sent_again_is_found(arrivals, wrong):
    """A write that must not be sent again is sent twice only if the first was refused for now."""
    ledger = Ledger()
    ledger.landed[NONCE] = 1
    ledger.arrivals[NONCE] = arrivals

    assert judge(Outcome(action(), OWN, landed=1), ledger).wrong == wrong


def test_a_token_that_is_sent_to_a_proxy_is_found():
    """What a proxy reports to the ledger is a broken claim."""
    ledger = Ledger(leaks=["the token was sent to the proxy"])

    assert judge(Outcome(action(), error=error()), ledger).wrong == ["the token was sent to the proxy"]
