"""A transport that uses aiohttp, whose parser is in C: for an `AsyncClient` with many concurrent calls under asyncio.

It needs the extra `project-platform[aiohttp]`:

    async with AiohttpTransport() as transport:
        client = AsyncClient(transport=transport)

aiohttp's cookies, redirects and retries after a broken connection are disabled. The proxies of the environment are not
used.
"""

from __future__ import annotations

import asyncio
import functools
import io
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

import aiohttp
from yarl import URL

from ..calls.headers import Headers
from ..calls.operation import Request, Response, Timeout
from ..errors import ConnectionLostError, NotSentError, TimeoutError, TransportError
from .asyncio_streams import is_readable
from .connection_pool import KEEPALIVE_EXPIRY, MAX_CONNECTIONS
from .transport import tls_context

if TYPE_CHECKING:
    import ssl

    from ..calls.fate import Outcome

# The request had no connection, or the name of its host cannot be encoded (UnicodeError). After any other exception of
# aiohttp the request may have arrived.
_NOT_SENT: Final = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL, UnicodeError)
_FAILURES: Final = (aiohttp.ClientError, OSError, asyncio.TimeoutError, UnicodeError)
_LARGE: Final = 64 * 1024  # bytes above which a body is written in pieces; aiohttp warns about large `bytes`
# Headers that aiohttp adds to a request without them.
_SKIPPED_HEADERS: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


class AiohttpTransport:
    """An `AsyncTransport` that uses aiohttp.

    aiohttp has no write timeout: a request with a body may take the sum of all four until the response begins.

    Args:
        verify: Whether certificates are verified, or the `ssl.SSLContext` to use.
        max_connections: Maximum number of connections in use; a request waits for one up to its pool and connect timeouts.
        keepalive_expiry: Seconds after which an idle connection is not reused.
    """

    def __init__(
        self,
        *,
        verify: bool | ssl.SSLContext = True,
        max_connections: int = MAX_CONNECTIONS,
        keepalive_expiry: float = KEEPALIVE_EXPIRY,
    ) -> None:
        self._verify = verify
        self._max_connections = max_connections
        self._keepalive_expiry = keepalive_expiry
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one."""
        if asyncio.get_running_loop() is not self._loop:
            await self._enter_loop()
        try:
            if request.body:
                limits = request.timeout
                async with asyncio.timeout(limits.pool + limits.connect + limits.write + limits.read):
                    answer = await self._start(request)
            else:
                answer = await self._start(request)
        except _FAILURES as error:
            return _failure(error, request)
        headers = Headers.from_raw(answer.raw_headers)
        if request.stream and 200 <= answer.status < 300:  # noqa: PLR2004  # RFC 9110, section 15.3
            return Response(answer.status, headers, stream=_Stream(answer, request))
        chunks: list[bytes] = []
        complete = True
        try:
            while not answer.content.at_eof():
                chunks.append(await answer.content.readany())
        except _FAILURES:
            complete = False
        finally:
            # Return the connection to the pool if the body was read to its end, else close it.
            answer.close() if not answer.content.at_eof() else answer.release()
        return Response(answer.status, headers, b"".join(chunks), complete)

    def _start(self, request: Request) -> Awaitable[aiohttp.ClientResponse]:
        return self._session.request(
            request.method,
            URL(request.url, encoded=True),
            headers=request.headers,
            data=io.BytesIO(request.body) if len(request.body) > _LARGE else request.body or None,
            allow_redirects=False,
            timeout=_timeout(request.timeout),
            ssl=tls_context(self._verify) if request.url.startswith("https:") else True,
        )

    async def _enter_loop(self) -> None:
        """Open a session in a new event loop, as after a second `asyncio.run`."""
        self._loop = asyncio.get_running_loop()
        session = aiohttp.ClientSession(
            connector=_Connector(limit=self._max_connections, keepalive_timeout=self._keepalive_expiry),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_SKIPPED_HEADERS,
        )
        # aiohttp repeats a GET or PUT when an idle connection breaks. Only the client's own retries may do that.
        session._retry_connection = False  # pyright: ignore[reportPrivateUsage]  # what aiohttp's own test client does
        self._session = session
        # An event loop closes its asynchronous generators when it ends, and this generator closes the session.
        self._end = _close_at_loop_end(session)
        await anext(self._end)

    async def aclose(self) -> None:
        """Close every connection."""
        if self._loop is not None and self._loop is asyncio.get_running_loop():
            self._loop = None
            await self._end.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()


class _Connector(aiohttp.TCPConnector):
    """Does not reuse a connection on which the server has sent bytes, or closed it, since the last response."""

    def __init__(self, *, limit: int, keepalive_timeout: float) -> None:
        super().__init__(limit=limit, keepalive_timeout=keepalive_timeout)  # pyright: ignore[reportUnknownMemberType]  # aiohttp's
        self._used: weakref.WeakSet[Any] = weakref.WeakSet()

    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:  # noqa: ASYNC109  # aiohttp's signature
        while True:
            connection = await super().connect(req, traces, timeout)
            protocol: Any = connection.protocol
            if protocol not in self._used:
                self._used.add(protocol)
                return connection
            # aiohttp would take an unsolicited response as the response to this request.
            if not protocol.should_close and not is_readable(protocol.transport.get_extra_info("socket")):
                return connection
            connection.close()


async def _close_at_loop_end(session: aiohttp.ClientSession) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await session.close()


@functools.lru_cache(maxsize=16)  # a client uses one, and others for the remaining time of a call
def _timeout(limits: Timeout) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(
        total=limits.total,
        connect=limits.pool + limits.connect,
        sock_connect=limits.connect,
        sock_read=limits.read,
    )


def _failure(error: Exception, request: Request) -> TransportError:
    kind: type[TransportError]
    if isinstance(error, _NOT_SENT):
        kind, message = NotSentError, "no connection to"
    elif isinstance(error, asyncio.TimeoutError):  # the timeouts of aiohttp are subclasses
        kind, message = TimeoutError, "no answer in time from"
    else:
        kind, message = ConnectionLostError, "the connection broke to"
    origin = "/".join(request.url.split("/", 3)[:3])
    return kind(f"{message} {origin}" + (f": {error}" if str(error) else ""))


class _Stream:
    """The unread body of a response."""

    def __init__(self, answer: aiohttp.ClientResponse, request: Request) -> None:
        self._answer = answer
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._answer.content.iter_any():
                yield chunk
        except _FAILURES as error:
            raise _failure(error, self._request) from None

    async def aclose(self) -> None:
        answer: Any = self._answer
        answer.close() if not answer.content.at_eof() else answer.release()
