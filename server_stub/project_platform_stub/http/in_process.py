"""httpx transports that pass a request to the service without a socket, with the failures of a socket.

A response is delayed by its `delay`, at most until the read timeout of the request. Its body arrives in chunks. A cut
response raises the exception that `httpx.HTTPTransport` raises when a connection ends at that point.
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

from project_platform_stub.http.messages import framed

from .messages import MAX_BODY_BYTES, Cut, Handler, Request, Response, join_headers

_CHUNK = 64 * 1024  # Bytes; the chunk size of httpcore.


class StubTransport(httpx.BaseTransport):
    """Passes requests to a handler in the thread of the caller."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the handler's response.

        Raises:
            httpx.ReadTimeout: The response is delayed for longer than the read timeout; raised after that timeout.
            httpx.ReadError: The connection was reset.
            httpx.RemoteProtocolError: The connection was closed.
        """
        response = self._handler.handle(_from_httpx(request, request.read()))
        if response.delay:
            read_timeout = _read_timeout(request)
            # `time.sleep` accepts at most TIMEOUT_MAX, about 300 years.
            time.sleep(min(response.delay, read_timeout, threading.TIMEOUT_MAX))
            if response.delay > read_timeout:
                raise _timed_out(request)
        return _to_httpx(response, request)


class AsyncStubTransport(httpx.AsyncBaseTransport):
    """Same as `StubTransport`, but for async clients, under asyncio and trio alike.

    Slow requests are handled in a thread, so that they do not block the event loop.
    """

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the handler's response; the exceptions are those of `StubTransport.handle_request`."""
        converted = _from_httpx(request, await request.aread())
        response = None if self._handler.takes_long(converted) else self._handler.handle(converted)
        if response is None or response.delay:  # Most responses are immediate and need no timeout.
            try:
                with anyio.fail_after(_read_timeout(request)):
                    if response is None:
                        handle = self._handler.handle
                        response = await anyio.to_thread.run_sync(handle, converted, abandon_on_cancel=True)
                    await anyio.sleep(response.delay)
            except TimeoutError:
                raise _timed_out(request) from None
        return _to_httpx(response, request)


class _Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that arrives in chunks, with an optional error after the last one."""

    def __init__(self, body: bytes, error: httpx.TransportError | None) -> None:
        self._body = body
        self._error = error

    def __iter__(self) -> Iterator[bytes]:
        for start in range(0, len(self._body), _CHUNK):
            yield self._body[start : start + _CHUNK]
        if self._error is not None:
            raise self._error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk


def _from_httpx(request: httpx.Request, body: bytes) -> Request:
    raw_path, _, query = request.url.raw_path.partition(b"?")
    headers = join_headers(request.headers.raw)
    return Request(request.method, raw_path, query, headers, body[: MAX_BODY_BYTES + 1])


def _to_httpx(response: Response, request: httpx.Request) -> httpx.Response:
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
    """Return the exception that httpx raises for a connection that was reset, or closed with this message."""
    if cut.how == "reset":
        reset = f"[Errno {errno.ECONNRESET}] {os.strerror(errno.ECONNRESET)}"
        return httpx.ReadError(reset, request=request)
    return httpx.RemoteProtocolError(closed, request=request)


def _read_timeout(request: httpx.Request) -> float:
    read: float | None = request.extensions.get("timeout", {}).get("read")
    return float("inf") if read is None else read


def _timed_out(request: httpx.Request) -> httpx.ReadTimeout:
    return httpx.ReadTimeout("timed out", request=request)
