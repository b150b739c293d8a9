"""The service as an ASGI application."""

from __future__ import annotations

from starlette.requests import ClientDisconnect
from starlette.requests import Request as AsgiRequest
from starlette.responses import Response as AsgiResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from .exchange import MAX_BODY_BYTES, Request, join_headers
from .service import Service


def build_app(service: Service) -> ASGIApp:
    """Return an application that hands every request to the service.

    Paths are the service's to read: a router would decode them first, and answer some of them itself.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asgi_request = AsgiRequest(scope, receive)
        try:
            body = await _body(asgi_request)
        except ClientDisconnect:
            return  # Nobody is left to answer, and what came in part is no request.
        request = Request(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query=scope["query_string"],
            headers=join_headers(asgi_request.headers.raw),
            body=body,
        )
        # In the loop itself: an operation takes less time than handing it to a thread would.
        response = service.handle(request)
        await AsgiResponse(response.body, response.status, response.headers)(scope, receive, send)

    return app


async def _body(request: AsgiRequest) -> bytes:
    """Return the body, cut off just over the limit; the rest is read and dropped, so that the answer can be read."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk[: MAX_BODY_BYTES + 1 - len(body)]
    return bytes(body)
