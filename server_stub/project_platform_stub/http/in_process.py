"""httpx transports that hand a request to the service without a socket, and fail as a socket would.

A response waits as long as it says, but no longer than the read timeout of the request; its body comes in pieces; and
where it is cut, the exception is the one that `httpx.HTTPTransport` raises when a connection ends at that point.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator

import anyio
import anyio.to_thread
import httpx

from .framing import framed
from .messages import MAX_BODY_BYTES, Cut, Handler, Request, Response, join_headers

_PIECE = 64 * 1024  # Bytes; as many as httpcore reads at once.


class StubTransport(httpx.BaseTransport):
    """Carries requests to a handler in the caller's own thread."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the handler's response.

        Raises:
            httpx.ReadTimeout: It would have come later than the read timeout allows; the wait takes that long.
            httpx.ReadError: The connection was reset.
            httpx.RemoteProtocolError: The connection was closed.
        """
        response = self._handler.handle(_taken(request, request.read()))
        if response.delay:
            patience = _patience(request)
            # A sleep cannot be longer than this, which is some hundred years.
            time.sleep(min(response.delay, patience, threading.TIMEOUT_MAX))
            if response.delay > patience:
                raise _timed_out(request)
        return _carried(response, request)


class AsyncStubTransport(httpx.AsyncBaseTransport):
    """Same as `StubTransport`, but for async clients, under asyncio and trio alike.

    What takes long is answered in a thread, so that the event loop stays free.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the handler's response; the exceptions are those of `StubTransport.handle_request`."""
        taken = _taken(request, await request.aread())
        response = None if self._handler.takes_long(taken) else self._handler.handle(taken)
        if response is None or response.delay:  # Most responses are there at once, and need nobody to watch the time.
            try:
                with anyio.fail_after(_patience(request)):
                    response = response or await self._in_thread(taken)
                    await anyio.sleep(response.delay)
            except TimeoutError:
                raise _timed_out(request) from None
        return _carried(response, request)

    async def _in_thread(self, request: Request) -> Response:
        return await anyio.to_thread.run_sync(self._handler.handle, request, abandon_on_cancel=True)


class _Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that comes in pieces, and after the last one perhaps an error."""

    def __init__(self, body: bytes, error: httpx.TransportError | None) -> None:
        self._body = body
        self._error = error

    def __iter__(self) -> Iterator[bytes]:
        for start in range(0, len(self._body), _PIECE):
            yield self._body[start : start + _PIECE]
        if self._error is not None:
            raise self._error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece


def _taken(request: httpx.Request, body: bytes) -> Request:
    raw_path, _, query = request.url.raw_path.partition(b"?")
    headers = join_headers(request.headers.raw)
    return Request(request.method, raw_path, query, headers, body[: MAX_BODY_BYTES + 1])


def _carried(response: Response, request: httpx.Request) -> httpx.Response:
    fields, body = framed(response, request.method)
    error = None
    if response.cut is not None:
        sent = response.cut.after
        if sent is None:
            raise _ended(response.cut, "Server disconnected without sending a response.", request)
        if sent < len(body):
            incomplete = "peer closed connection without sending complete message body"
            error = _ended(response.cut, f"{incomplete} (received {sent} bytes, expected {len(body)})", request)
            body = body[:sent]
    return httpx.Response(response.status, headers=fields, stream=_Body(body, error), request=request)


def _ended(cut: Cut, closed: str, request: httpx.Request) -> httpx.TransportError:
    """Return what a client finds where the connection ends: it reads that it was reset, or understands it was closed."""
    if cut.how == "reset":
        reset = f"[Errno {errno.ECONNRESET}] {os.strerror(errno.ECONNRESET)}"
        return httpx.ReadError(reset, request=request)
    return httpx.RemoteProtocolError(closed, request=request)


def _patience(request: httpx.Request) -> float:
    """Return the seconds that the client waits for something to read."""
    read: float | None = request.extensions.get("timeout", {}).get("read")
    return float("inf") if read is None else read


def _timed_out(request: httpx.Request) -> httpx.ReadTimeout:
    return httpx.ReadTimeout("timed out", request=request)
