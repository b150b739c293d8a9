"""Responses of httpx and httpx2 that were read already, or are streamed; the others are read by `responses.py`."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import anyio

from ..calls.headers import Headers
from ..calls.operation import Request, Response
from .bodies import EXCERPT, BodyDecoder
from .sent_proof import failure, httpx_of

if TYPE_CHECKING:
    import httpx


def response_in_memory(response: httpx.Response, request: Request) -> Response:
    """Return the response for a response that was read already: by a mock, or by an event hook."""
    headers, content, limit = Headers(response.headers), response.content, request.limit(response.status_code)
    if limit is None or len(content) <= limit:
        return Response(response.status_code, headers, content)
    return Response(response.status_code, headers, content[: min(limit, EXCERPT)], complete=False, too_large=True)


def response_seen_by_hook(error: Exception, sent: Any, request: Request) -> Response | None:
    """Return the response if an event hook raised `HTTPStatusError` for it, as `raise_for_status` does, and None otherwise.

    Args:
        error: The exception.
        sent: The request that was handed to httpx. A hook may raise the error of a request that it sent itself.
        request: The request.
    """
    library: Any = httpx_of(error)
    if library is None or not isinstance(error, library.HTTPStatusError):
        return None
    raised: Any = error
    response: httpx.Response = raised.response
    with contextlib.suppress(RuntimeError):  # as a response without a request raises
        if response.request is sent:
            if response.is_stream_consumed:
                return response_in_memory(response, request)
            # httpx has closed the response. A body that was not read does not make a refusal worth repeating.
            return Response(response.status_code, Headers(response.headers), complete=not response.is_success)
    return None


def streamed(response: httpx.Response, request: Request) -> Response:
    """Return the response with its body left on the connection."""
    return Response(response.status_code, Headers(response.headers), stream=_Stream(response, request))


def streamed_async(response: httpx.Response, request: Request) -> Response:
    """Same as `streamed`, but for an asynchronous client."""
    return Response(response.status_code, Headers(response.headers), stream=_AsyncStream(response, request))


class _Stream:
    """The unread body of a response."""

    def __init__(self, response: httpx.Response, request: Request) -> None:
        self._response = response
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        response = self._response
        try:
            if response.is_stream_consumed:
                yield from BodyDecoder("").decode(response.content)
                return
            decoder = BodyDecoder(response.headers.get("content-encoding", ""))
            for chunk in response.iter_raw():
                yield from decoder.decode(chunk)
            decoder.finish()
        except Exception as error:  # whatever it is, the body is not whole
            raise failure(error, self._request, not_sent=False) from error

    def close(self) -> None:
        self._response.close()


class _AsyncStream:
    """Same as `_Stream`, but to be iterated with `async for`."""

    def __init__(self, response: httpx.Response, request: Request) -> None:
        self._response = response
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        response = self._response
        try:
            if response.is_stream_consumed:
                for piece in BodyDecoder("").decode(response.content):
                    yield piece
                return
            decoder = BodyDecoder(response.headers.get("content-encoding", ""))
            async for chunk in response.aiter_raw():
                for piece in decoder.decode(chunk):
                    yield piece
            decoder.finish()
        except Exception as error:  # whatever it is, the body is not whole
            raise failure(error, self._request, not_sent=False) from error

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):
            await self._response.aclose()
