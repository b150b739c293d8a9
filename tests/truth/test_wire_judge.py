"""The judge of the trials over sockets finds what a lying client does: it can fail."""

from __future__ import annotations

import httpx
import pytest
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


# What lies, on which transport and in how many runs, and the claims that are broken.
LIES = {
    # A transport that reports a read error as "not sent" makes the SDK say no, and send bookings again.
    "a lost response that is called not sent": (
        lambda: Lying(NotSentError("not sent")), "httpx", RUNS,
        {"no, and it was applied", "applied twice", "sent again after it may have arrived"},
    ),
    "an invented response": (
        lambda: Lying(Response(200, body=b'{"bookingUid": "it", "record": {"id": "it"}}')), "httpx", RUNS,
        {"yes, and it was not applied", "the response is that of another call"},
    ),
    "a repeated booking": (
        lambda: Repeating(trust_env=False), "httpx", RUNS,
        {"applied twice", "sent again after it may have arrived", "a conflict, and it was applied"},
    ),
    # Whether surplus bytes arrive together with the response depends on the load of the machine, so this takes more runs.
    "surplus bytes that are read as the next response": (
        lambda: httpx.HTTPTransport(trust_env=False), "default", 200, {"the response is that of another call"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found(lie):
    make_transport, transport, runs, broken = LIES[lie]

    tally = drive(Lane(transport, "sync", tls=False), range(runs), make_transport=make_transport)

    assert broken <= {claim for _, claim in tally.claims}
