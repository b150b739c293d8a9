"""Shares the responses to identical reads between the tests of a process, so that a run sends few requests."""

from __future__ import annotations

from typing import Final, TypeAlias

import httpx

from project_platform_contract.fuse.limits import BlockedError
from project_platform_contract.operations import operation_below

FRESH: Final = "fresh"
"""Extension of a request that must be sent although an identical one has been answered."""

MAX_KEPT: Final = 16 * 1024 * 1024
"""Maximum size in bytes of all bodies that are kept; with a few kilobytes each, all reads of a run have a tenth of it."""

_Key: TypeAlias = tuple[str, str, str, str, str, bytes]
_CONCLUSIVE: Final = range(200, 500)
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})  # RFC 9110 section 9.2.1


class SharingTransport(httpx.BaseTransport):
    """A transport that sends a read only if no identical one has got a response since the last write.

    Identical means the same credential, method, URL, accepted content types, content type and body. Closing it leaves the
    inner transport open, so that several clients can use it one after the other.
    """

    def __init__(self, inner: httpx.BaseTransport, base_url: str) -> None:
        self._inner = inner
        self._base_url = httpx.URL(base_url)
        self._responses: dict[_Key, httpx.Response] = {}
        self._kept = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response to an identical read, or send the request."""
        request.read()
        operation = operation_below(self._base_url, request)
        is_read = operation is not None and operation.effect == "read"
        known = self._responses.get(_key(request))
        if is_read and known is not None and not request.extensions.get(FRESH):
            headers = known.headers.copy()
            headers.pop("Content-Encoding", None)  # the content is decoded
            return httpx.Response(known.status_code, headers=headers, content=known.content, request=request)
        # A write may change what every read returns, even if it gets no response.
        changes = not is_read and request.method not in _SAFE
        try:
            response = self._inner.handle_request(request)
        except BlockedError:
            changes = False  # nothing was sent
            raise
        finally:
            if changes:
                self.clear()
        if is_read:
            self._add(_key(request), response)
        return response

    def clear(self) -> None:
        """Forget all responses."""
        self._responses.clear()
        self._kept = 0

    def _add(self, key: _Key, response: httpx.Response) -> None:
        """Share a response, unless it says to try later or there is no room for it."""
        if response.status_code not in _CONCLUSIVE or response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            return
        size = len(response.read())
        known = self._responses.pop(key, None)
        self._kept -= 0 if known is None else len(known.content)
        if self._kept + size <= MAX_KEPT:
            self._responses[key] = response
            self._kept += size


def _key(request: httpx.Request) -> _Key:
    headers = request.headers
    return (
        headers.get("Authorization", ""),
        request.method,
        str(request.url),
        headers.get("Accept", ""),
        headers.get("Content-Type", ""),
        request.content,
    )
