"""httpx transports that hand a request to the service without a socket.

The asynchronous one awaits nothing of an event loop's own, so it works under asyncio and trio alike.
"""

from __future__ import annotations

import httpx

from .exchange import MAX_BODY_BYTES, Request, Response, join_headers
from .service import Service


class StubTransport(httpx.BaseTransport):
    """Carries requests to the service in the caller's own thread."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the service's response."""
        return _carried(self._service.handle(_taken(request, request.read())), request)


class AsyncStubTransport(httpx.AsyncBaseTransport):
    """Same as `StubTransport`, but for async clients."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the service's response."""
        return _carried(self._service.handle(_taken(request, await request.aread())), request)


def _taken(request: httpx.Request, body: bytes) -> Request:
    raw_path, _, query = request.url.raw_path.partition(b"?")
    headers = join_headers(request.headers.raw)
    return Request(request.method, raw_path, query, headers, body[: MAX_BODY_BYTES + 1])


def _carried(response: Response, request: httpx.Request) -> httpx.Response:
    headers = {**response.headers, "Content-Length": str(len(response.body))}
    # A socket carries no body in the answer to a HEAD (RFC 9110 section 9.3.2).
    content = b"" if request.method == "HEAD" else response.body
    return httpx.Response(response.status, headers=headers, content=content, request=request)
