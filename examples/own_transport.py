"""How do I put my own code between the SDK and the network? Times requests, and returns responses without a network.

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
    """Wraps an httpx transport and prints a line per request. A path may contain personal data."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Forward the request and print its duration."""
        began = time.perf_counter()
        response = self._inner.handle_request(request)
        took = (time.perf_counter() - began) * 1000
        print(f"{request.method} {request.url.path} -> {response.status_code} in {took:.0f} ms")
        return response

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


class Canned:
    """Implements the SDK's `Transport` protocol, which returns a response or an error and never raises."""

    def send(self, request: Request, /) -> Response | TransportError:
        """Return a response to a permission check, and an error for any other request."""
        if "/auth/check-permission" in request.url:
            return Response(200, body=b'{"allowed": true}')
        return NotSentError(f"there is no canned response for {request.method} {request.url}")

    def close(self) -> None:
        """Do nothing: there is no connection to close."""


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
    # A client does not close a transport that was passed to it.
    with transport, client:
        print(f"{len(client.project().posts.list())} posts")

    with Client("https://canned.example", token="canned", transport=Canned()) as canned:
        print(f"canned: {canned.auth.check_permission('billing:manage')}")


if __name__ == "__main__":
    main()
