"""A cached token that threads and tasks share, and the one request that replaces it.

The first caller that needs a token sends the request; the others wait for its end, each until its deadline, and get the
token, or a copy of the error. If the deadline of the sending caller passes, or it is cancelled, the token endpoint has not failed,
so one of the waiting callers sends another request. They do not wait for a caller that runs past its deadline, such as a task in
a blocked event loop.
"""

from __future__ import annotations

import contextlib
import copy
import os
import threading
import time
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ..errors import NotSentError, PlatformError
from .headers import Secret

# Seconds in which a token that the service issued again after it had refused it is not fetched once more: the calls that sent
# it at the same time are refused one after another.
_REISSUE_PAUSE: Final = 1.0

# Seconds. A request that failed with less than that left of its caller's time may have failed for that reason; and a caller
# with less than that more would fail in the same way.
_SHORT: Final = 0.1


class _Cached(NamedTuple):
    """A token, when it has to be replaced (on the clock of the cache), and until when it is used even if it was refused."""

    token: Secret
    until: float
    reissued_until: float


@dataclass(slots=True, eq=False)
class _Flight:
    """A request for a token: who may use its result, and how it ended."""

    refused: Secret | None
    ends_at: float
    token: Secret | None = None
    until: float = 0.0
    error: Exception | None = None
    late: bool = False
    landed: bool = False
    wakers: list[Callable[[], object]] = field(default_factory=list[Callable[[], object]])

    def left(self) -> float:
        """Return the seconds before the deadline of the caller that sends the request."""
        return self.ends_at - time.monotonic()

    def fail(self, error: Exception) -> None:
        """Record the error of the request."""
        self.error = _copied(error)  # the caller that raises the original adds its notes to it
        self.late = self.left() < _SHORT


class SharedToken:
    """A cached token, fetched by one caller at a time.

    Args:
        usable_until: Returns when a token that was just fetched has to be replaced, on the clock `now`.
        now: A clock that returns seconds since the epoch.
    """

    def __init__(self, usable_until: Callable[[Secret], float], now: Callable[[], float]) -> None:
        self._usable_until = usable_until
        self._now = now
        self._cached: _Cached | None = None
        self.start_anew()
        _instances.add(self)

    def start_anew(self) -> None:
        """Forget a request that is in progress: in a forked child, the thread that sent it does not exist."""
        self._lock = threading.Lock()
        self._flight: _Flight | None = None

    def get(self, fetch: Callable[[float], Secret], refused: Secret | None, seconds: float) -> Secret:
        """Return a token that has not expired and is not the refused one.

        Args:
            fetch: Requests a token from the service, within the given seconds.
            refused: A token that the service just refused.
            seconds: How long the caller can wait.

        Raises:
            NotSentError: Another caller's request did not end in time.
        """
        ends_at = time.monotonic() + seconds
        while True:
            own = _Flight(refused, ends_at)
            try:
                if not isinstance(found := self._token_or_flight(own), _Flight):
                    return found
                if found is own:
                    token = fetch(own.left())
                    own.until = self._usable_until(token)
                    own.token = token
                    return token
            except Exception as error:
                own.fail(error)
                raise
            finally:
                self._land(own)
            ended = threading.Event()
            self._wake_after(found, ended.set)
            ended.wait(min(_patience(own, found), threading.TIMEOUT_MAX))
            if (token_of_other := _result(found, own)) is not None:
                return token_of_other

    async def get_async(
        self, fetch: Callable[[float], Awaitable[Secret]], refused: Secret | None, seconds: float
    ) -> Secret:
        """Same as `get`, but for tasks."""
        import anyio  # a synchronous client does not need it

        ends_at = time.monotonic() + seconds
        while True:
            own = _Flight(refused, ends_at)
            try:
                if not isinstance(found := self._token_or_flight(own), _Flight):
                    return found
                if found is own:
                    token = await fetch(own.left())
                    own.until = self._usable_until(token)
                    own.token = token
                    return token
            except Exception as error:
                own.fail(error)
                raise
            finally:
                self._land(own)
            ended = anyio.Event()
            self._wake_after(found, _in_this_loop(ended.set))
            with anyio.move_on_after(_patience(own, found)):
                await ended.wait()
            if (token_of_other := _result(found, own)) is not None:
                return token_of_other

    def cached(self, refused: Secret | None) -> Secret | None:
        """Return the cached token if it can be used."""
        cached = self._cached
        if cached is None or self._now() >= cached.until:
            return None
        return cached.token if cached.token != refused or time.monotonic() < cached.reissued_until else None

    def _token_or_flight(self, own: _Flight) -> Secret | _Flight:
        """Return the cached token, or the request that is in progress; that is the caller's own if there was none."""
        with self._lock:
            if (token := self.cached(own.refused)) is not None:
                return token
            if self._flight is None or self._flight.left() < -_SHORT:
                self._flight = own
            return self._flight

    def _land(self, own: _Flight) -> None:
        """End the caller's request if it sent one, and wake all that wait for it."""
        with self._lock:
            if own.token is not None:
                reissued = own.token == own.refused
                self._cached = _Cached(own.token, own.until, time.monotonic() + _REISSUE_PAUSE if reissued else 0.0)
            if self._flight is own:
                self._flight = None
            own.landed = True
        for wake in own.wakers:
            wake()

    def _wake_after(self, flight: _Flight, wake: Callable[[], object]) -> None:
        with self._lock:
            if not flight.landed:
                flight.wakers.append(wake)
                return
        wake()


def _result(flight: _Flight, own: _Flight) -> Secret | None:
    """Return the token of another caller's request, or None if this caller has to send one.

    Raises:
        Exception: A copy of the error of that request.
        NotSentError: The request has not ended, and the time of this caller has.
    """
    if flight.error is not None and (not flight.late or own.ends_at < flight.ends_at + _SHORT):
        raise _copied(flight.error)
    if flight.token is not None and (flight.token != own.refused or flight.refused == own.refused):
        return flight.token
    if own.left() > 0:
        return None
    raise NotSentError("the deadline passed while another call fetched a token from the token endpoint")


def _patience(own: _Flight, flight: _Flight) -> float:
    """Return the seconds that a caller waits for the request of another."""
    return max(0.0, min(own.left(), flight.left() + 2 * _SHORT))


def _copied(error: Exception) -> Exception:
    """Return a copy of an error, so that the notes of one caller are not another's; other exceptions are shared."""
    return copy.copy(error) if isinstance(error, PlatformError) else error


def _in_this_loop(function: Callable[[], object]) -> Callable[[], object]:
    """Return a function that calls another in this event loop; it may be called in any thread."""
    import anyio.lowlevel

    token = anyio.lowlevel.current_token()
    loop: Any = getattr(token, "native_token", token)  # before anyio 4.11 the token is the loop itself
    soon = getattr(loop, "call_soon_threadsafe", None) or loop.run_sync_soon

    def call() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            soon(function)

    return call


_instances: weakref.WeakSet[SharedToken] = weakref.WeakSet()


def _after_fork() -> None:
    for instance in list(_instances):
        instance.start_anew()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)
