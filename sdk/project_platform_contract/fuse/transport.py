"""Transports behind a fuse: for httpx, for the SDK with a client of the user's own, and for whatever drives them."""

from __future__ import annotations

import time
from collections.abc import Callable

import anyio
import httpx

from .fuse import Fuse


class FusedTransport(httpx.BaseTransport):
    """A transport behind a fuse.

    Args:
        inner: What sends the requests that may pass.
        fuse: What decides.
        sleep: Waits for some seconds.
    """

    def __init__(self, inner: httpx.BaseTransport, fuse: Fuse, sleep: Callable[[float], None] = time.sleep) -> None:
        self._inner = inner
        self._fuse = fuse
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that may pass.

        Raises:
            BlockedError: It may not.
        """
        request.read()
        passed = self._fuse.check(request)
        if passed.delay > 0:
            self._sleep(passed.delay)
        self._fuse.on_pass(passed, request)
        response = self._inner.handle_request(request)
        response.request = request
        if passed.effect != "read":
            response.read()  # What it has created is noted before anybody can lose it.
        self._fuse.answered(passed, request, response)
        return response

    def close(self) -> None:
        """Close the transport inside."""
        self._inner.close()


class FusedAsyncTransport(httpx.AsyncBaseTransport):
    """Same as `FusedTransport`, but for async clients, on asyncio and trio."""

    def __init__(self, inner: httpx.AsyncBaseTransport, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that may pass.

        Raises:
            BlockedError: It may not.
        """
        await request.aread()
        passed = self._fuse.check(request)
        if passed.delay > 0:
            await anyio.sleep(passed.delay)
        self._fuse.on_pass(passed, request)
        response = await self._inner.handle_async_request(request)
        response.request = request
        if passed.effect != "read":
            await response.aread()
        self._fuse.answered(passed, request, response)
        return response

    async def aclose(self) -> None:
        """Close the transport inside."""
        await self._inner.aclose()
