"""How do I put my own code between the SDK and the network? Times each request, and answers one without a network.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It only reads.
"""

from __future__ import annotations

import os
import time

import httpx

from project_platform import Client, NotSentError, Request, Response, TransportError
from project_platform_stub import Stub


class Timed(httpx.BaseTransport):
    """Any httpx transport, with a line for each request. A path may name people: log it where you may keep it."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Hand the request on and say how long it took."""
        began = time.perf_counter()
        response = self._inner.handle_request(request)
        took = (time.perf_counter() - began) * 1000
        print(f"{request.method} {request.url.path} -> {response.status_code} in {took:.0f} ms")
        return response

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


class Canned:
    """The SDK's own protocol, without httpx: an answer, or the reason there is none, is returned and never raised."""

    def send(self, request: Request, /) -> Response | TransportError:
        """Answer a permission check; refuse to connect for anything else."""
        if "/auth/check-permission" in request.url:
            return Response(200, body=b'{"allowed": true}')
        return NotSentError(f"nothing is canned for {request.method}")

    def close(self) -> None:
        """Nothing is open."""


def connect() -> tuple[Client, httpx.BaseTransport]:
    """Return a client whose requests are timed, and its transport."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        timed = Timed(httpx.HTTPTransport())
        return Client(transport=timed), timed
    stub = Stub()
    timed = Timed(stub.transport())
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=timed), timed


def main() -> None:
    """Read through both transports."""
    client, transport = connect()
    # A client leaves the transport that it was given open: whoever made it closes it.
    with transport, client:
        print(f"{len(client.project().posts.list())} posts")

    with Client("https://canned.example", token="canned", transport=Canned()) as canned:
        print(f"canned: {canned.auth.check_permission('billing:manage')}")


if __name__ == "__main__":
    main()
