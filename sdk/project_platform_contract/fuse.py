"""The fuse: the last thing before the socket. No bug, retry, redirect or fuzzer above it gets past it.

It is a transport around a transport, for the SDK, plain httpx and Schemathesis alike. What it does not know is treated as
the worst: a request that means no operation counts as irreversible.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import httpx

from .operations import Operation, operation_of
from .rule import EFFECTS, Effect


class BlockedError(httpx.TransportError):
    """The fuse did not let a request through. It was not sent."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What may pass.

    Attributes:
        origin: The only scheme, host and port that requests go to.
        effects: Effects that are allowed.
        projects: Projects that may be written to, by identifier; reading others is part of proving who may not.
        recipients: Addresses that may be written to.
        requests: Requests in all.
        pace: Seconds from one request to the next, at least.
    """

    origin: str
    effects: frozenset[Effect]
    projects: Collection[str] = ()
    recipients: Collection[str] = ()
    requests: int = 5000
    pace: float = 0.0


@dataclass(slots=True)
class Fuse:
    """Decides about each request, and counts those it lets through.

    Attributes:
        limits: What may pass.
        passed: How many requests were let through.
        on_pass: Called with each operation and request just before it is sent.
    """

    limits: Limits
    passed: int = 0
    on_pass: Callable[[Operation | None, httpx.Request], None] = lambda operation, request: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _last: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, request: httpx.Request) -> None:
        """Let a request through, after its pace, or refuse it.

        Raises:
            BlockedError: The request may not pass; the message says why.
        """
        url = request.url
        origin = f"{url.scheme}://{url.netloc.decode('ascii')}"
        if origin != self.limits.origin:
            raise BlockedError(f"{origin} is not the target, {self.limits.origin}", request=request)
        raw_path = url.raw_path.decode("ascii").partition("?")[0]
        operation = operation_of(request.method, raw_path)
        effect = self._effect(operation, request, raw_path)
        if effect not in self.limits.effects:
            allowed = ", ".join(sorted(self.limits.effects, key=EFFECTS.index))
            raise BlockedError(f"{request.method} {raw_path} is {effect!r}; allowed: {allowed}", request=request)
        if effect != "read":
            self._check_aim(operation, request, raw_path)
        with self._lock:
            if self.passed >= self.limits.requests:
                raise BlockedError(f"all {self.limits.requests} requests are spent", request=request)
            self.passed += 1
            if self._last is not None and (wait := self._last + self.limits.pace - self.clock()) > 0:
                self.sleep(wait)
            self._last = self.clock()
        self.on_pass(operation, request)

    def _effect(self, operation: Operation | None, request: httpx.Request, raw_path: str) -> Effect:
        if operation is not None:
            return operation.effect
        # The token endpoint and paths that are tried to be refused: a GET that means no operation changes nothing by HTTP's
        # own word (RFC 9110 section 9.2.1); anything else might be an operation that this suite does not know.
        return "read" if request.method in {"GET", "HEAD"} else "irreversible"

    def _check_aim(self, operation: Operation | None, request: httpx.Request, raw_path: str) -> None:
        if not any(f"/{project}" in raw_path.lower() for project in map(str.lower, self.limits.projects)):
            raise BlockedError(f"{raw_path} is none of the projects that were given to be written to", request=request)
        if operation is not None and operation.effect == "notify":
            for address in _addresses(request):
                if address not in self.limits.recipients:
                    raise BlockedError(f"{address!r} is none of the recipients that were given", request=request)


class FusedTransport(httpx.BaseTransport):
    """A transport behind a fuse."""

    def __init__(self, inner: httpx.BaseTransport, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that may pass.

        Raises:
            BlockedError: It may not.
        """
        request.read()
        self._fuse.check(request)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the transport inside."""
        self._inner.close()


class FusedAsyncTransport(httpx.AsyncBaseTransport):
    """Same as `FusedTransport`, but for async clients."""

    def __init__(self, inner: httpx.AsyncBaseTransport, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that may pass.

        Raises:
            BlockedError: It may not.
        """
        await request.aread()
        self._fuse.check(request)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the transport inside."""
        await self._inner.aclose()


def _addresses(request: httpx.Request) -> list[str]:
    """Return all texts of a body that look like an address, wherever they stand: the stricter reading is the safer one.

    Identifiers of calendars look like addresses, so what stands in `calendarId` is left out.
    """
    try:
        body = json.loads(request.content or b"null")
    except ValueError:
        raise BlockedError("the body is no JSON, so nobody knows whom it tells", request=request) from None
    found: list[str] = []
    level = [body]
    while level:
        item = level.pop()
        if isinstance(item, dict):
            level.extend(value for key, value in item.items() if key != "calendarId")
            level.extend(item)
        elif isinstance(item, list):
            level.extend(item)
        elif isinstance(item, str) and "@" in item:
            found.append(item)
    return found
