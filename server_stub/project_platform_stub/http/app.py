"""A handler of requests as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Literal, TypeAlias

from .connection import TRANSPORT, end
from .framing import framed
from .messages import MAX_BODY_BYTES, Handler, Request, join_headers

# What ASGI calls them (version 3.0, "HTTP connection scope").
Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_SETTLE = 0.05  # Seconds in which what was sent reaches a client on the same machine.


def build_app(handler: Handler) -> ASGIApp:
    """Return an application that hands every request to the handler.

    It needs a server whose connections are `StubProtocol`s: no other can end a connection in the middle. Paths are
    the handler's to read: a router would decode them first, and answer some of them itself.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        if body is None:
            return  # Nobody is left to answer, and what came in part is no request.
        request = Request(
            method=scope["method"],
            raw_path=scope["raw_path"],
            query=scope["query_string"],
            headers=join_headers(scope["headers"]),
            body=body,
        )
        if handler.takes_long(request):
            response = await asyncio.to_thread(handler.handle, request)
        else:  # In the loop itself: it takes less time than handing it to a thread would.
            response = handler.handle(request)
        if response.delay and await _gone(receive, within=response.delay):
            return
        fields, content = framed(response, request.method)
        cut = response.cut
        if cut is None or cut.after is not None:
            await send({"type": "http.response.start", "status": response.status, "headers": fields})
            part = content if cut is None else content[: cut.after]
            await send({"type": "http.response.body", "body": part, "more_body": cut is not None})
        if cut is not None:
            # A reset after the whole body says no more than a close, and could overtake the body.
            whole = cut.after is not None and cut.after >= len(content)
            await _end(scope["extensions"][TRANSPORT], "close" if whole else cut.how, receive)

    return app


async def _body(receive: Receive) -> bytes | None:
    """Return the body, or None if the client left before it was whole.

    It is cut off just over the limit; the rest is read and dropped, so that the answer can be read.
    """
    message = await receive()
    body = bytearray()
    while message["type"] == "http.request":
        body += message["body"][: MAX_BODY_BYTES + 1 - len(body)]
        if not message["more_body"]:
            return bytes(body)
        message = await receive()
    return None


async def _gone(receive: Receive, within: float | None) -> bool:
    """Wait, and return whether the client left in the meantime; None waits until it has."""
    try:
        async with asyncio.timeout(within):
            while (await receive())["type"] != "http.disconnect":
                pass
    except TimeoutError:
        return False
    return True


async def _end(transport: asyncio.Transport, how: Literal["close", "reset"], receive: Receive) -> None:
    """End the connection where it stands."""
    if how == "reset":
        # A reset overtakes what has not left yet, and on some systems what the client has not read yet.
        unsent = True
        while unsent:
            if await _gone(receive, within=_SETTLE):
                return
            unsent = transport.get_write_buffer_size() > 0
    end(transport, how)
    # The server takes an application that returns without an answer for a broken one, unless the client has gone.
    await _gone(receive, within=None)
