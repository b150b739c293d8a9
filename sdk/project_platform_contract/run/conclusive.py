"""Waits for responses that prove something, and repeats requests that proved nothing, where repeating is safe: a gateway, a limit or a lost connection is no violation.

A 500 is the service's own response. It proves something if it is reproducible: the same request gives it again and again,
while requests that have nothing to do with it succeed. `docs/decisions/0036-not-run-is-not-violated.md` has the reasons.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Final

import httpx

from project_platform.calls.headers import Headers
from project_platform.calls.retry import retry_after
from project_platform_contract.data.data_file import MissingError
from project_platform_contract.fuse import BlockedError
from project_platform_contract.operations import Effect

WRITES: Final = frozenset({"calendar_book", "calendar_reschedule"})
"""Operations that write to the calendar; a booking also reads the busy intervals."""
READS: Final = WRITES | {"calendar_busy"}
"""Operations whose responses depend on the busy intervals."""

_LONGEST: Final = 5.0  # Seconds to wait for an event; one that is not listed by then violates a rule.
_FIRST_PAUSE: Final = 0.02  # Seconds; half as long again with each read.
_MARGIN: Final = 2.0  # The first event may have been listed sooner than others.


@dataclass(slots=True)
class CalendarLag:
    """The time that an event takes to be listed, and the last write.

    Attributes:
        seconds: Time to wait after a write; 0 where the first event was listed at once.
    """

    seconds: float = 0.0
    _written: float = float("-inf")

    def learn(self, is_listed: Callable[[], bool]) -> None:
        """Read until an event that was just written is listed, and remember how long that took."""
        pause = _FIRST_PAUSE
        if is_listed():
            return
        while time.monotonic() - self._written + pause < _LONGEST:
            time.sleep(pause)
            pause *= 1.5
            if is_listed():
                self.seconds = _MARGIN * (time.monotonic() - self._written)
                return

    def before(self, operation: str | None) -> None:
        """Wait before a request whose response depends on the last write."""
        if self.seconds and operation in READS:
            time.sleep(max(0.0, self._written + self.seconds - time.monotonic()))

    def after(self, operation: str | None) -> None:
        """Record the time of a write."""
        if operation in WRITES:
            self._written = time.monotonic()


_ATTEMPTS: Final = 5  # With a tenth of the requests failing, one read in 100,000 fails as often as this.
_REPRODUCTIONS: Final = 4  # Number of times that a 500 must recur.
_FIRST_DELAY: Final = 0.1  # Seconds; doubled with each attempt.
LONGEST_WAIT: Final = 30.0  # Seconds; a longer `Retry-After` is not waited for.
_SICK: Final = 5  # Number of requests in a row without a conclusive response, after which requests are not repeated.

# Statuses with which a service, and not what is in front of it, says that it failed.
_OWN_FAILURES: Final = frozenset({HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.NOT_IMPLEMENTED})


class InconclusiveError(MissingError):
    """A request got no response, or one that proves nothing about the service. The rule is "not run".

    Attributes:
        status: Status of the last response; None if there was none.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Repeat(Enum):
    """Which responses may be followed by the same request."""

    ALWAYS = "always"
    """Sending the request twice is as good as once: it reads, or it restores an earlier value."""
    FAILURE = "failure"
    """Only a 500: the request must be refused, or writes to what the run created, and the response shows that it arrived."""
    NEVER = "never"
    """The request may have been applied, and must not be applied twice."""


class Conclusive:
    """Gets responses that prove something.

    Args:
        control: Returns whether a plain read of another operation than the given one succeeds.
        sleep: Waits for a number of seconds.
    """

    def __init__(self, control: Callable[[str | None], bool], sleep: Callable[[float], None] = time.sleep) -> None:
        self._control = control
        self._sleep = sleep
        self._failed_in_a_row = 0

    def response(self, send: Callable[[], httpx.Response], operation: str | None, repeat: Repeat) -> httpx.Response:
        """Return a conclusive response to a request, which `send` sends once.

        Raises:
            BlockedError: The fuse held the request back.
            InconclusiveError: There is no conclusive response.
        """
        response = self._answered(send, operation, repeat)
        if response.status_code in _OWN_FAILURES:
            return self._reproduced(response, send, operation, repeat)
        return response

    def _answered(self, send: Callable[[], httpx.Response], operation: str | None, repeat: Repeat) -> httpx.Response:
        """Return the first response that a service, and not what is in front of it, has given."""
        attempts = _ATTEMPTS if self._failed_in_a_row < _SICK else 1
        reason = ""
        status: int | None = None
        limited = False  # refused by a limit, so it was not applied
        for attempt in range(attempts):
            delay: float | None = _FIRST_DELAY * 2**attempt
            limited = False
            try:
                response = send()
            except BlockedError:
                raise
            except httpx.TimeoutException as error:
                reason, status, delay = _no_response(error), None, None  # it has waited long enough
            except httpx.TransportError as error:
                reason, status = _no_response(error), None
            else:
                if not is_from_gateway(response):
                    self._failed_in_a_row = 0
                    return response
                reason, status = f"the deployment answered {_status(response)}", response.status_code
                limited = response.status_code == HTTPStatus.TOO_MANY_REQUESTS
                after = retry_after(Headers(response.headers), time.time())
                if after is not None:
                    delay = after if after <= LONGEST_WAIT else None
                elif limited:
                    reason += "; use a longer --pace"
            repeatable = limited or repeat is Repeat.ALWAYS
            if delay is None or not repeatable:
                break
            if limited or attempt < attempts - 1:  # after a limited request, the next one waits
                self._sleep(delay)
        self._failed_in_a_row += 1
        if repeat is not Repeat.ALWAYS and not limited:
            reason += f"; {operation or 'the request'} may have been applied, and a write is not repeated"
        raise InconclusiveError(reason, status)

    def _reproduced(
        self, first: httpx.Response, send: Callable[[], httpx.Response], operation: str | None, repeat: Repeat
    ) -> httpx.Response:
        """Return a failure if it is reproducible; of a read, else the response that followed it."""
        failure = f"{operation or 'the request'} was answered with {_status(first)}"
        if repeat is Repeat.NEVER:
            raise InconclusiveError(
                f"{failure}; it may have been applied, and a write is not repeated", first.status_code
            )
        response = first
        for number in range(_REPRODUCTIONS):
            if not self._control(operation):
                raise InconclusiveError(f"{failure}, but so was a request that has nothing to do with it")
            self._sleep(_FIRST_DELAY * 2**number)  # a server that is replaced fails for a moment
            response = self._answered(send, operation, repeat)
            if response.status_code != first.status_code:
                if repeat is Repeat.ALWAYS:
                    return response
                raise InconclusiveError(f"{failure}, and with {_status(response)} when it was repeated")
        if not self._control(operation):
            raise InconclusiveError(f"{failure}, but so was a request that has nothing to do with it")
        return response


class UnknownFates:
    """Irreversible requests that may have been applied: another test of the run must not send one of them again."""

    def __init__(self) -> None:
        self._keys: set[tuple[str, str, bytes]] = set()

    @contextmanager
    def guard(self, request: httpx.Request, effect: Effect | None) -> Iterator[None]:
        """Remember a request that ends without a conclusive response.

        Raises:
            InconclusiveError: The same request ended so before.
        """
        key = request.method, str(request.url), request.content
        if key in self._keys:
            raise InconclusiveError("the same request was sent before and may have been applied; it is not repeated")
        try:
            yield
        except InconclusiveError:
            if effect == "irreversible":
                self._keys.add(key)
            raise


def pause_after(response: httpx.Response, otherwise: float) -> float:
    """Return the seconds that the service asks to wait, at most `LONGEST_WAIT`; without `Retry-After` another number."""
    after = retry_after(Headers(response.headers), time.time())
    return otherwise if after is None else min(after, LONGEST_WAIT)


def is_from_gateway(response: httpx.Response) -> bool:
    """Return whether a response shows a limit, or the failure of a gateway, rather than what the service does."""
    status = response.status_code
    if status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY}:
        return True
    return response.is_server_error and status not in _OWN_FAILURES


def _status(response: httpx.Response) -> str:
    return f"{response.status_code} {response.reason_phrase}".strip()


def _no_response(error: httpx.TransportError) -> str:
    return f"no response: {type(error).__name__}: {error}"
