"""Adapters for the clients and transports of httpx and httpx2, and the client of httpx with the defaults of the SDK.

An adapter returns every exception as a `TransportError`, whether it is from httpx, from a transport or from an event hook
(`sent_proof.py`), and reads bodies under the limit of the request (`httpx_responses.py`). An asynchronous adapter limits the time
of an attempt as a whole. A synchronous one limits each step by its timeout, and the whole between two pieces of a body: there is
no public way to end the wait for the head of a response.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import anyio

from ..calls.configuration import is_loopback
from ..calls.headers import Headers
from ..errors import NotSentError, TimeoutError, UsageError
from .httpx_responses import response_in_memory, response_seen_by_hook, streamed, streamed_async
from .proxies import environment_proxy
from .responses import BodyReader
from .sent_proof import AsyncTrace, Trace, failure, httpx_of, is_timeout, origin
from .transport import AsyncTransport, Transport

if TYPE_CHECKING:
    import ssl
    from collections.abc import Generator

    from ..calls.fate import Outcome
    from ..calls.operation import Request

_CLOSING: Final = 1.0  # seconds in which the connection of an attempt whose time is over is closed


def own_transport(verify: bool | ssl.SSLContext, base_url: str) -> HttpxTransport:
    """Return a transport over an `httpx.Client` with the SDK's defaults, through the proxy of the environment.

    Args:
        verify: Whether certificates are verified, or the TLS context.
        base_url: URL of the service. This machine is never behind a proxy.
    """
    import httpx

    with _proxy_checked(base_url):
        return HttpxTransport(httpx.Client(**_defaults(verify, base_url)), traced=True)


def own_async_transport(verify: bool | ssl.SSLContext, base_url: str) -> AsyncHttpxTransport:
    """Same as `own_transport`, but for an `AsyncClient`."""
    import httpx

    with _proxy_checked(base_url):
        return AsyncHttpxTransport(httpx.AsyncClient(**_defaults(verify, base_url)), traced=True)


@contextlib.contextmanager
def _proxy_checked(base_url: str) -> Generator[None]:
    """Let the error of a proxy variable be a `UsageError`, which names the variable."""
    import httpx

    environment_proxy(base_url)  # httpx notices some mistakes only when it sends
    try:
        yield
    except (httpx.InvalidURL, ValueError) as error:
        raise UsageError(f"httpx does not take a proxy of the environment ({type(error).__name__})") from None


def _defaults(verify: bool | ssl.SSLContext, base_url: str) -> dict[str, Any]:
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx

    from .origins import MAX_CONNECTIONS
    from .tls import tls_context

    return {
        "verify": tls_context(verify),
        "trust_env": not is_loopback(urlsplit(base_url).hostname or ""),
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=())),  # stores none
        "limits": httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS),
    }


def adapt(transport: Any) -> Transport:
    """Return a `Transport` for a client or transport of httpx or httpx2; a `Transport` is returned as it is.

    Raises:
        UsageError: It is for an asynchronous client, or is not a transport.
    """
    library = httpx_of(transport)
    if library is not None:
        if isinstance(transport, library.BaseTransport | library.Client):
            return HttpxTransport(transport)
        if isinstance(transport, library.AsyncBaseTransport | library.AsyncClient):
            raise UsageError(f"transport is an asynchronous {type(transport).__name__}; give it to an AsyncClient")
    elif isinstance(transport, Transport) and not _is_foreign(transport):
        return transport
    raise UsageError(
        f"transport is of type {_type_name(transport)}; give an httpx.BaseTransport, an httpx.Client, or an object "
        "with send(request) and close()"
    )


def adapt_async(transport: Any) -> AsyncTransport:
    """Same as `adapt`, but for an `AsyncClient`."""
    library = httpx_of(transport)
    if library is not None:
        if isinstance(transport, library.AsyncBaseTransport | library.AsyncClient):
            return AsyncHttpxTransport(transport)
        if isinstance(transport, library.BaseTransport | library.Client):
            raise UsageError(f"transport is a synchronous {type(transport).__name__}; give it to a Client")
    elif isinstance(transport, AsyncTransport) and not _is_foreign(transport):
        return transport
    raise UsageError(
        f"transport is of type {_type_name(transport)}; give an httpx.AsyncBaseTransport, an httpx.AsyncClient, or "
        "an object with async send(request) and aclose()"
    )


def _type_name(value: object) -> str:
    """Return the name of a type with its package, such as `requests.Session`."""
    package = type(value).__module__.partition(".")[0]
    return type(value).__name__ if package == "builtins" else f"{package}.{type(value).__name__}"


def _is_foreign(value: object) -> bool:
    """Return whether the method `send` has another meaning, as that of a socket or of a session of requests."""
    kind = next((kind for kind in type(value).__mro__ if "send" in vars(kind)), object)
    package = kind.__module__.partition(".")[0]
    return package in {"requests", "niquests"} or (package in sys.stdlib_module_names and kind is not object)


class _Adapter:
    """The part that both adapters share: the request that is handed to httpx.

    Args:
        backend: The client or transport of httpx.
        handle: Name of the method that sends a request through a transport.
        traced: Whether every request of the backend goes through a transport of httpx itself.
    """

    def __init__(self, backend: Any, handle: str, *, traced: bool) -> None:
        library: Any = httpx_of(backend)
        self._backend = backend
        self._library = library
        self._is_client = isinstance(backend, library.Client | library.AsyncClient)
        # Which transport a client has is not public, so no event of a given client proves nothing.
        self._traced = traced or type(backend) in {library.HTTPTransport, library.AsyncHTTPTransport}
        self._handle: Any = (
            # Redirects and the authentication of a client could send a token to an unintended host.
            functools.partial(backend.send, stream=True, follow_redirects=False, auth=None)
            if self._is_client
            else getattr(backend, handle)
        )

    def _build(self, request: Request, trace: Trace) -> Any:
        """Return a request of httpx, with the headers and parameters of the client and without its cookies.

        `Client.build_request` would add the cookies of earlier responses, and raises for those that no header can carry.
        """
        limits = request.timeout
        timeout = {"connect": limits.connect, "read": limits.read, "write": limits.write, "pool": limits.pool}
        url, headers = self._library.URL(request.url), self._library.Headers()
        if self._is_client:
            headers.update(self._backend.headers)
            if self._backend.params:
                url = url.copy_merge_params(self._backend.params)
        headers.update(dict(request.headers))
        return self._library.Request(
            request.method,
            url,
            headers=headers,
            content=request.body or None,
            extensions={"timeout": timeout, "trace": trace},
        )


class HttpxTransport(_Adapter):
    """Sends through a `BaseTransport` or a `Client` of httpx or httpx2.

    The headers and parameters of a client are added. Its cookies, its redirects and its authentication are not used.
    """

    def __init__(self, backend: Any, *, traced: bool = False) -> None:
        super().__init__(backend, "handle_request", traced=traced)

    def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        end = float("inf") if request.timeout.total is None else time.monotonic() + request.timeout.total
        trace = Trace(request.method, complete=self._traced)
        try:
            sent = self._build(request, trace)
        except Exception as error:  # noqa: BLE001  # whatever it is, nothing was handed to httpx
            return failure(error, request, not_sent=True)
        try:
            response = self._handle(sent)
        except Exception as error:  # noqa: BLE001  # event hooks and transports may raise anything
            return response_seen_by_hook(error, sent, request) or failure(
                error, request, not_sent=trace.proves_not_sent(error)
            )
        if request.stream and response.is_success:
            return streamed(response, request)
        if response.is_stream_consumed:
            return response_in_memory(response, request)
        reader = BodyReader(response.status_code, Headers(response.headers), request)
        try:
            for chunk in response.iter_raw():
                if not reader.add(chunk) or time.monotonic() >= end:
                    return reader.cut_off(timed_out=True)
            return reader.whole()
        except Exception as error:  # noqa: BLE001  # the status of the response is known, whatever it is
            return reader.cut_off(timed_out=is_timeout(error))
        finally:
            with contextlib.suppress(Exception):
                response.close()

    def close(self) -> None:
        """Close the transport or client of httpx."""
        self._backend.close()


class AsyncHttpxTransport(_Adapter):
    """Same as `HttpxTransport`, but for an `AsyncBaseTransport` or an `AsyncClient`."""

    def __init__(self, backend: Any, *, traced: bool = False) -> None:
        super().__init__(backend, "handle_async_request", traced=traced)

    async def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        trace = AsyncTrace(request.method, complete=self._traced)
        reader: BodyReader | None = None
        try:
            sent = self._build(request, trace)
        except Exception as error:  # noqa: BLE001  # whatever it is, nothing was handed to httpx
            return failure(error, request, not_sent=True)
        with anyio.move_on_after(request.timeout.total) as scope:
            try:
                response = await self._handle(sent)
            except Exception as error:  # noqa: BLE001  # event hooks and transports may raise anything
                return response_seen_by_hook(error, sent, request) or failure(
                    error, request, not_sent=trace.proves_not_sent(error)
                )
            if request.stream and response.is_success:
                return streamed_async(response, request)
            if response.is_stream_consumed:
                return response_in_memory(response, request)
            reader = BodyReader(response.status_code, Headers(response.headers), request)
            try:
                async for chunk in response.aiter_raw():
                    if not reader.add(chunk):
                        # Cancellation ends the generators of httpx, of which trio would warn; closing the response does not.
                        scope.cancel()
                        if reader.ignored_enough:
                            break
                return reader.whole()
            except Exception as error:  # noqa: BLE001  # the status of the response is known, whatever it is
                return reader.cut_off(timed_out=is_timeout(error))
            finally:
                with anyio.move_on_after(_CLOSING, shield=True), contextlib.suppress(Exception):
                    await response.aclose()
        if reader is not None:
            return reader.cut_off(timed_out=True)
        kind = NotSentError if trace.proves_not_sent() else TimeoutError
        return kind(f"no response within {request.timeout.total:g} s from {origin(request)}")

    async def aclose(self) -> None:
        """Close the transport or client of httpx."""
        await self._backend.aclose()
