"""Sends over aiohttp, whose parser is in C: for an `AsyncClient` with many calls at once, under asyncio.

It needs the extra `project-platform[aiohttp]`:

    async with AiohttpTransport() as transport:
        client = AsyncClient(transport=transport)

Nothing of aiohttp's own policy is used: no cookies, no redirects, no second sending of a request whose connection broke.
Proxies of the environment are not used either.
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

# The request never had a connection, or its host no name that can be looked up (UnicodeError). Everything else that
# aiohttp raises leaves open whether it arrived.
_NOT_SENT: Final = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL, UnicodeError)
_FAILURES: Final = (aiohttp.ClientError, OSError, asyncio.TimeoutError, UnicodeError)
_LARGE: Final = 64 * 1024  # bytes from which a body is written in pieces; aiohttp warns of a large one that is not
_NOT_OURS: Final = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")  # aiohttp adds its own where we set none


class AiohttpTransport:
    """An `AsyncTransport` straight over aiohttp.

    aiohttp has no timeout for writing; a body is given the sum of all four to be written and answered.

    Args:
        verify: Whether certificates are verified, or the `ssl.SSLContext` to use.
        max_connections: Connections in use at once; a request waits for one as long as its timeout says.
        keepalive_expiry: Seconds after which a connection that nobody used is not used again.
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
        """Return the answer, or the reason there is none."""
        if asyncio.get_running_loop() is not self._loop:
            await self._enter_loop()
        try:
            if request.body:
                limits = request.timeout
                async with asyncio.timeout(limits.pool + limits.connect + limits.write + limits.read):
                    answer = await self._ask(request)
            else:
                answer = await self._ask(request)
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
            # Gives the connection back if the body is at its end, and breaks it off if not.
            answer.close() if not answer.content.at_eof() else answer.release()
        return Response(answer.status, headers, b"".join(chunks), complete)

    def _ask(self, request: Request) -> Awaitable[aiohttp.ClientResponse]:
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
        """Begin anew in another event loop: `asyncio.run` once more, a notebook restarted."""
        self._loop = asyncio.get_running_loop()
        session = aiohttp.ClientSession(
            connector=_Connector(limit=self._max_connections, keepalive_timeout=self._keepalive_expiry),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_NOT_OURS,
        )
        # aiohttp sends a GET or PUT again when a kept connection breaks, unseen; sending again is for the flow to decide.
        session._retry_connection = False  # pyright: ignore[reportPrivateUsage]  # what aiohttp's own test client does
        self._session = session
        # An event loop that ends closes the asynchronous generators that were begun in it, and this one the session.
        self._end = _close_in_the_end(session)
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
    """Does not use a connection again on which the server has said something, be it goodbye, since the last answer."""

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
            # aiohttp would take an answer that nobody asked for as the answer to this request.
            if not protocol.should_close and not is_readable(protocol.transport.get_extra_info("socket")):
                return connection
            connection.close()


async def _close_in_the_end(session: aiohttp.ClientSession) -> AsyncGenerator[None]:
    try:
        yield
    finally:
        await session.close()


@functools.lru_cache(maxsize=16)  # a client uses one, and one more for what an interrupted call has left
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
    elif isinstance(error, asyncio.TimeoutError):  # aiohttp's timeouts are
        kind, message = TimeoutError, "no answer in time from"
    else:
        kind, message = ConnectionLostError, "the connection broke to"
    origin = "/".join(request.url.split("/", 3)[:3])
    return kind(f"{message} {origin}" + (f": {error}" if str(error) else ""))


class _Stream:
    """The body of an answer that is still on its connection."""

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
