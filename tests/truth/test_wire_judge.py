"""The judge of the trials over sockets finds what a lying client does: it can fail."""

from __future__ import annotations

import httpx
from wire.runs import drive
from wire.transports import Lane

from project_platform import NotSentError, Response

RUNS = 60  # every claim is broken in the first fifty


class Repeating(httpx.HTTPTransport):
    """Sends every request again after a failure, and hides that from the extension `trace`."""

    def handle_request(self, request):
        request.extensions = {"timeout": request.extensions["timeout"]}
        try:
            return super().handle_request(request)
        except httpx.TransportError:
            return super().handle_request(request)


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


def wrong_claims(make_transport, transport="httpx", runs=RUNS):
    """Return the claims that are broken when calls are sent over a transport."""
    tally = drive(Lane(transport, "sync", tls=False), range(runs), make_transport=make_transport)
    return {claim for _, claim in tally.claims}


def test_a_lost_response_that_is_called_not_sent_is_found():
    """A transport that reports a read error as "not sent" makes the SDK say no, and send bookings again."""
    claims = wrong_claims(lambda: Lying(NotSentError("not sent")))

    assert {"no, and it was applied", "applied twice", "sent again after it may have arrived"} <= claims


def test_an_invented_response_is_found():
    """A transport that responds to a lost request by itself makes the SDK say yes."""
    claims = wrong_claims(lambda: Lying(Response(200, body=b'{"bookingUid": "it", "record": {"id": "it"}}')))

    assert {"yes, and it was not applied", "the response is that of another call"} <= claims


def test_a_repeated_booking_is_found():
    """A transport that sends requests again by itself duplicates bookings, and makes a landed update a conflict."""
    claims = wrong_claims(lambda: Repeating(trust_env=False))

    assert {"applied twice", "sent again after it may have arrived", "a conflict, and it was applied"} <= claims


def test_surplus_bytes_that_reach_the_next_call_are_found():
    """A client that reads surplus bytes as the next response returns the response of another call."""
    # Whether they arrive together with the response depends on the load of the machine, so this takes more runs.
    claims = wrong_claims(lambda: httpx.HTTPTransport(trust_env=False), transport="default", runs=200)

    assert "the response is that of another call" in claims
