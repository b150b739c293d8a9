"""httpx transports that send only what a fuse allows; the SDK accepts them as its `transport`."""

from __future__ import annotations

import time
from typing import Final

import anyio
import httpx

from .fuse import Fuse
from .limits import BlockedError

# The event of a request that is held back, for httpx's extension `trace`: the SDK takes it as proof that nothing was sent.
_BLOCKED: Final = "fuse.request_blocked"


class FusedTransport(httpx.BaseTransport):
    """A transport that sends only what a fuse allows, through an inner one."""

    def __init__(self, inner: httpx.BaseTransport, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request if the fuse allows it.

        Raises:
            BlockedError: The fuse does not allow it.
        """
        request.read()
        try:
            passed = self._fuse.check(request)
        except BlockedError:
            if (trace := request.extensions.get("trace")) is not None:
                trace(_BLOCKED, {"request": request})
            raise
        if passed.delay > 0:
            time.sleep(passed.delay)
        with self._fuse.sending(passed, request):
            response = self._inner.handle_request(request)
            response.request = request
            if passed.effect != "read":
                response.read()  # The fuse records what the response shows as created.
        self._fuse.record_response(passed, request, response)
        return response

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


class FusedAsyncTransport(httpx.AsyncBaseTransport):
    """Same as `FusedTransport`, but for async clients, on asyncio and trio."""

    def __init__(self, inner: httpx.AsyncBaseTransport, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request if the fuse allows it.

        Raises:
            BlockedError: The fuse does not allow it.
        """
        await request.aread()
        try:
            passed = self._fuse.check(request)
        except BlockedError:
            if (trace := request.extensions.get("trace")) is not None:
                await trace(_BLOCKED, {"request": request})
            raise
        if passed.delay > 0:
            await anyio.sleep(passed.delay)
        with self._fuse.sending(passed, request):
            response = await self._inner.handle_async_request(request)
            response.request = request
            if passed.effect != "read":
                await response.aread()
        self._fuse.record_response(passed, request, response)
        return response

    async def aclose(self) -> None:
        """Close the inner transport."""
        await self._inner.aclose()
