"""Wraps a request handler as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Literal, TypeAlias

from project_platform_stub.http.messages import framed

from .connection import TRANSPORT, end
from .messages import MAX_BODY_BYTES, Handler, Request, join_headers

# The names of the ASGI specification (version 3.0, "HTTP connection scope").
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_SETTLE = 0.05  # Seconds until sent data has reached a client on the same machine.


def build_app(handler: Handler) -> ASGIApp:
    """Return an application that hands every request to the handler.

    The application needs a server with `StubProtocol`, which gives access to the connection: faults end connections in
    the middle of a response. There is no ASGI router, because a router decodes paths and answers some requests itself.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        if body is None:
            return  # The client has disconnected, and an incomplete request is not handled.
        request = Request(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query=scope["query_string"],
            headers=join_headers(scope["headers"]),
            body=body,
        )
        if handler.takes_long(request):
            response = await asyncio.to_thread(handler.handle, request)
        else:  # In the event loop: a hand-over to a thread would take longer than the request.
            response = handler.handle(request)
        if response.delay and await _disconnected(receive, within=response.delay):
            return
        fields, content = framed(response, request.method)
        cut = response.cut
        if cut is None or cut.after is not None:
            await send({"type": "http.response.start", "status": response.status, "headers": fields})
            part = content if cut is None else content[: cut.after]
            await send({"type": "http.response.body", "body": part, "more_body": cut is not None})
        if cut is not None:
            # After the complete body a reset adds nothing to a close, and it could discard a part of the body.
            is_complete = cut.after is not None and cut.after >= len(content)
            await _end(scope["extensions"][TRANSPORT], "close" if is_complete else cut.how, receive)

    return app


async def _body(receive: Receive) -> bytes | None:
    """Return the body, or None if the client disconnected before it was complete.

    A body over the limit is cut off one byte after the limit. The rest is read and dropped, so that the client can read
    the response.
    """
    message = await receive()
    body = bytearray()
    while message["type"] == "http.request":
        body += message["body"][: MAX_BODY_BYTES + 1 - len(body)]
        if not message["more_body"]:
            return bytes(body)
        message = await receive()
    return None


async def _disconnected(receive: Receive, within: float | None) -> bool:
    """Wait, and return whether the client disconnected in that time; None waits until it disconnects."""
    try:
        async with asyncio.timeout(within):
            while (await receive())["type"] != "http.disconnect":
                pass
    except TimeoutError:
        return False
    return True


async def _end(transport: asyncio.Transport, how: Literal["close", "reset"], receive: Receive) -> None:
    """End the connection before the response is complete."""
    if how == "reset":
        # A reset discards data that is not sent yet, and on some systems data that the client has not read yet.
        unsent = True
        while unsent:
            if await _disconnected(receive, within=_SETTLE):
                return
            unsent = transport.get_write_buffer_size() > 0
    end(transport, how)
    # uvicorn logs an error if an application returns without a complete response, unless the client disconnected.
    await _disconnected(receive, within=None)
