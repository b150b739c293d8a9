"""Shares the responses to identical reads between the tests of a process, so that a run sends few requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

import httpx

from project_platform_contract.fuse.limits import BlockedError
from project_platform_contract.operations import operation_of

FRESH: Final = "fresh"
"""Extension of a request that must be sent although an identical one has been answered."""

MAX_KEPT: Final = 16 * 1024 * 1024
"""Maximum size in bytes of all bodies that are kept; with a few kilobytes each, all reads of a run have a tenth of it."""

_Key: TypeAlias = tuple[str, str, str, str, str, bytes]
_CONCLUSIVE: Final = range(200, 500)
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})  # RFC 9110 section 9.2.1


@dataclass(slots=True)
class SharedReads:
    """The responses to the reads since the last write.

    Attributes:
        base_url: Base URL of the target.
        reused: Number of requests that were not sent.
    """

    base_url: httpx.URL
    reused: int = 0
    _responses: dict[_Key, httpx.Response] = field(default_factory=dict)
    _kept: int = 0

    def find(self, request: httpx.Request) -> httpx.Response | None:
        """Return the response to an identical read; None if the request must be sent."""
        if not self._is_read(request) or request.extensions.get(FRESH):
            return None
        known = self._responses.get(_key(request))
        if known is None:
            return None
        self.reused += 1
        headers = known.headers.copy()
        headers.pop("Content-Encoding", None)  # the content is decoded
        return httpx.Response(known.status_code, headers=headers, content=known.content, request=request)

    def record_sent(self, request: httpx.Request) -> None:
        """Forget all responses after a write: it may change what every read returns."""
        if request.method not in _SAFE and not self._is_read(request):
            self.clear()

    def add(self, request: httpx.Request, response: httpx.Response) -> None:
        """Share the response to a read, unless it says to try later or there is no room for it."""
        if (
            self._is_read(request)
            and response.status_code in _CONCLUSIVE
            and response.status_code != httpx.codes.TOO_MANY_REQUESTS
        ):
            key, size = _key(request), len(response.read())
            known = self._responses.pop(key, None)
            self._kept -= 0 if known is None else len(known.content)
            if self._kept + size <= MAX_KEPT:
                self._responses[key] = response
                self._kept += size

    def clear(self) -> None:
        """Forget all responses."""
        self._responses.clear()
        self._kept = 0

    def _is_read(self, request: httpx.Request) -> bool:
        path = request.url.raw_path.decode("ascii").partition("?")[0]
        operation = operation_of(request.method, path.removeprefix(self.base_url.raw_path.decode("ascii").rstrip("/")))
        return operation is not None and operation.effect == "read"


class SharingTransport(httpx.BaseTransport):
    """A transport that sends a read only if no identical one has got a response since the last write.

    Identical means the same credential, method, URL, accepted content types, content type and body.

    Args:
        inner: The transport that sends the others.
        reads: The responses so far.
    """

    def __init__(self, inner: httpx.BaseTransport, reads: SharedReads) -> None:
        self._inner = inner
        self._reads = reads

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response to an identical read, or send the request."""
        request.read()
        known = self._reads.find(request)
        if known is not None:
            return known
        try:
            response = self._inner.handle_request(request)
        except BlockedError:
            raise  # nothing was sent
        except httpx.TransportError:
            self._reads.record_sent(request)
            raise
        self._reads.record_sent(request)
        self._reads.add(request, response)
        return response

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


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
