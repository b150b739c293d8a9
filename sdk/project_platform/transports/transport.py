"""The transport protocols, and adapters for the transports and clients of httpx.

A transport turns one `Request` into one `Response`, or into a `TransportError` that it returns and does not raise. It
does not retry, follow redirects or interpret bodies. The default connections are in `connections.py`.
"""

from __future__ import annotations

import functools
import re
import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ..calls.headers import Headers
from ..calls.operation import Request, Response
from ..errors import ConnectionLostError, NotSentError, TimeoutError, TransportError, UsageError

if TYPE_CHECKING:
    import ssl

    import httpx

    from ..calls.fate import Outcome


@runtime_checkable
class Transport(Protocol):
    """Sends requests for a `Client`."""

    def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one. Must not raise for a failure of the network."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


@runtime_checkable
class AsyncTransport(Protocol):
    """Same as `Transport`, but for an `AsyncClient`."""

    async def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one. Must not raise for a failure of the network."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...


# httpx and httpcore have the same names for exceptions. After any other exception the request may have arrived.
_NOT_SENT = {
    "ConnectError": "no connection to",
    "ConnectTimeout": "no connection in time to",
    "ConnectionNotAvailable": "no connection to",
    "LocalProtocolError": "the request cannot be sent to",
    "PoolTimeout": "no connection became free in time to",
    "ProxyError": "the proxy refused to connect to",
    "UnsupportedProtocol": "the URL scheme is not supported:",
}
_QUOTED = re.compile(r"bytearray\(|\bb['\"]|\n")
_TIMEOUTS = {"ReadTimeout": "no answer in time from", "WriteTimeout": "the request could not be written in time to"}


def failure(error: Exception, request: Request) -> TransportError:
    """Return the `TransportError` for an exception of httpx or httpcore."""
    name = type(error).__name__
    kind: type[TransportError]
    if name in _NOT_SENT:
        kind, message = NotSentError, _NOT_SENT[name]
    elif name in _TIMEOUTS:
        kind, message = TimeoutError, _TIMEOUTS[name]
    else:
        kind, message = ConnectionLostError, "the connection broke to"
    origin = "/".join(request.url.split("/", 3)[:3])
    # The messages of parsers quote the bytes that they do not understand, which may be part of a body.
    why = _QUOTED.split(str(error), maxsplit=1)[0].rstrip(": .")
    return kind(f"{message} {origin}" + (f": {why}" if why else ""))


def tls_context(verify: bool | ssl.SSLContext) -> ssl.SSLContext:
    """Return the TLS context to use; those for True and False are created on first use and shared by the process."""
    return _tls_context(verify) if isinstance(verify, bool) else verify


@functools.cache  # creating one takes 17 ms
def _tls_context(verify: bool) -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context(verify=verify)


def proxied_transport(verify: bool | ssl.SSLContext) -> Transport:
    """Return a transport that uses the proxies of the environment, as httpx does."""
    import httpx

    return HttpxTransport(httpx.Client(verify=tls_context(verify)))


def proxied_async_transport(verify: bool | ssl.SSLContext) -> AsyncTransport:
    """Same as `proxied_transport`, but for an `AsyncClient`."""
    import httpx

    return AsyncHttpxTransport(httpx.AsyncClient(verify=tls_context(verify)))


def adapt(transport: Any) -> Transport:
    """Return a `Transport` for a `Transport`, an `httpx.BaseTransport` or an `httpx.Client`."""
    import httpx

    if isinstance(transport, httpx.BaseTransport | httpx.Client):
        return HttpxTransport(transport)
    if isinstance(transport, httpx.AsyncBaseTransport | httpx.AsyncClient):
        raise UsageError(f"transport is an asynchronous {type(transport).__name__}; give it to an AsyncClient")
    if isinstance(transport, Transport):
        return transport
    raise UsageError(
        f"transport is of type {type(transport).__name__}; give an httpx.BaseTransport, an httpx.Client, or an object "
        "with send(request) and close()"
    )


def adapt_async(transport: Any) -> AsyncTransport:
    """Same as `adapt`, but for an `AsyncClient`."""
    import httpx

    if isinstance(transport, httpx.AsyncBaseTransport | httpx.AsyncClient):
        return AsyncHttpxTransport(transport)
    if isinstance(transport, httpx.BaseTransport | httpx.Client):
        raise UsageError(f"transport is a synchronous {type(transport).__name__}; give it to a Client")
    if isinstance(transport, AsyncTransport):
        return transport
    raise UsageError(
        f"transport is of type {type(transport).__name__}; give an httpx.AsyncBaseTransport, an httpx.AsyncClient, or "
        "an object with async send(request) and aclose()"
    )


class _HttpxAdapter:
    """The part that both adapters share: convert a request for httpx, and send it with a transport or client of httpx."""

    def __init__(self, backend: Any, handle: str) -> None:
        import httpx

        self._backend = backend
        self._failures = (httpx.TransportError, httpx.DecodingError)
        self._build: Any = httpx.Request
        self._handle: Any
        if isinstance(backend, httpx.Client | httpx.AsyncClient):
            self._build = backend.build_request
            self._handle = functools.partial(backend.send, stream=True, follow_redirects=False, auth=None)
        else:
            self._handle = getattr(backend, handle)

    def _open(self, request: Request) -> Any:
        """Return the response with its body unread, or an awaitable of it."""
        limits = request.timeout
        timeout = {"connect": limits.connect, "read": limits.read, "write": limits.write, "pool": limits.pool}
        return self._handle(
            self._build(
                request.method,
                request.url,
                headers=dict(request.headers),
                content=request.body or None,
                extensions={"timeout": timeout},
            )
        )


class HttpxTransport(_HttpxAdapter):
    """Sends through an `httpx.BaseTransport` or an `httpx.Client`.

    The headers, cookies and parameters of a client are added. Its redirects and its authentication are disabled, since
    both could send a token to an unintended host.
    """

    def __init__(self, backend: httpx.BaseTransport | httpx.Client) -> None:
        super().__init__(backend, "handle_request")

    def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        try:
            response: httpx.Response = self._open(request)
        except self._failures as error:
            return failure(error, request)
        headers = Headers(response.headers)
        if request.stream and response.is_success:
            return Response(response.status_code, headers, stream=_Stream(response, request, self._failures))
        chunks: list[bytes] = []
        limit = Limit(request.timeout.total)
        complete = True
        try:
            for chunk in response.iter_bytes():
                chunks.append(chunk)
                if limit.passed:
                    complete = False
                    break
        except self._failures:
            complete = False
        finally:
            response.close()
        return Response(response.status_code, headers, b"".join(chunks), complete)

    def close(self) -> None:
        """Close the transport or client of httpx."""
        self._backend.close()


class AsyncHttpxTransport(_HttpxAdapter):
    """Same as `HttpxTransport`, but for an `httpx.AsyncBaseTransport` or an `httpx.AsyncClient`."""

    def __init__(self, backend: httpx.AsyncBaseTransport | httpx.AsyncClient) -> None:
        super().__init__(backend, "handle_async_request")

    async def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        try:
            response: httpx.Response = await self._open(request)
        except self._failures as error:
            return failure(error, request)
        headers = Headers(response.headers)
        if request.stream and response.is_success:
            return Response(response.status_code, headers, stream=_AsyncStream(response, request, self._failures))
        chunks: list[bytes] = []
        limit = Limit(request.timeout.total)
        complete = True
        try:
            async for chunk in response.aiter_bytes():
                chunks.append(chunk)
                if limit.passed:
                    complete = False
                    break
        except self._failures:
            complete = False
        finally:
            await response.aclose()
        return Response(response.status_code, headers, b"".join(chunks), complete)

    async def aclose(self) -> None:
        """Close the transport or client of httpx."""
        await self._backend.aclose()


class Limit:
    """The total time of an attempt: the read timeout does not limit a body that arrives in many small parts."""

    __slots__ = ("_end",)

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def passed(self) -> bool:
        """Whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end


class _Stream:
    """The unread body of an `httpx.Response`."""

    def __init__(self, response: httpx.Response, request: Request, failures: tuple[type[Exception], ...]) -> None:
        self._response = response
        self._request = request
        self._failures = failures

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_bytes()
        except self._failures as error:
            raise failure(error, self._request) from None

    def close(self) -> None:
        self._response.close()


class _AsyncStream:
    """Same as `_Stream`, but to be iterated with `async for`."""

    def __init__(self, response: httpx.Response, request: Request, failures: tuple[type[Exception], ...]) -> None:
        self._response = response
        self._request = request
        self._failures = failures

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._response.aiter_bytes():
                yield chunk
        except self._failures as error:
            raise failure(error, self._request) from None

    async def aclose(self) -> None:
        await self._response.aclose()
