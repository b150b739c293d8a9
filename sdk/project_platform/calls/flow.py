"""One call, from its description to its answer: attempt, classify, repeat, read. This is the only send loop.

A flow is a generator that makes every decision and does no input or output. It yields commands and is sent their results:

- `Attempt(request, delay)`: wait, then send the request; the result is the `Response` or the `TransportError`;
- `GetToken(refused)`: get a token; the result is the token;
- `Callback(function)`: call a function of the user; the result is what it returns.

`runners.py` holds the two drivers that carry flows out, one with `await` and one without. Whatever interrupts a driver is
thrown into the flow where it waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import urldefrag, urljoin, urlsplit

from ..errors import PlatformError, UsageError
from .capabilities import NOTHING_KNOWN, Capabilities
from .decoding import read
from .error_mapping import error_of
from .fate import Fate, Outcome, fate
from .headers import Secret
from .operation import Answer, AttemptRecord, Call, Request, Response, Timeout
from .retry import RetryPolicy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempt:
    """Wait `delay` seconds, then send `request`."""

    request: Request
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class GetToken:
    """Get a token other than the one that the service just refused."""

    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Callback:
    """Call a function of the user, which may be asynchronous under an `AsyncClient`."""

    function: Callable[[], Any]


Command: TypeAlias = Attempt | GetToken | Callback
Flow: TypeAlias = Generator[Command, Any, T]
"""A flow is sent the result of each command: an `Outcome`, a token, or what the user's function returned."""

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS: Final = 5  # curl follows 50, httpx 20; an API that needs more than a few is misconfigured
_UNAUTHORIZED: Final = 401


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration of a client, which is part of each of its calls.

    `token` is a token that never changes, or None if a token source provides it. The clocks are arguments, so that a
    flow can be tested without waiting.
    """

    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    token: Secret | None = None
    timeout: Timeout = field(default_factory=Timeout)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    capabilities: Capabilities = NOTHING_KNOWN
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time


def call(call: Call[T], settings: Settings) -> Flow[Answer[T]]:
    """Send one call, again while operation, fate and policy allow it, and return its answer or raise its error.

    Args:
        call: The call, which also says how its answer is read.
        settings: The configuration of the client.
    """
    call = settings.capabilities.fitted(call)
    state = _CallState(call, settings, settings.monotonic())
    token = settings.token
    if token is None:
        token = yield from _first_token(call)
    request = _request(call, settings, token)
    delay, redirects, renewed = 0.0, 0, settings.token is not None
    while True:
        started = settings.now() + delay
        try:
            outcome: Outcome = yield Attempt(request, delay)
        except BaseException as interruption:
            _add_note(interruption, call)
            raise
        state.record(started, outcome)
        delay = 0.0
        if isinstance(outcome, Response):
            if outcome.successful and outcome.complete:
                return read(call, outcome, state.attempts)
            if outcome.status == _UNAUTHORIZED and not renewed:
                # The token may have been revoked, or the clocks may differ: try one new token.
                renewed = True
                fresh = yield from _fresh_token(state, request, outcome, token)
                if fresh != token and state.left() > 0:
                    token = fresh
                    request = state.in_time(_request(call, settings, token))
                    continue
            target = _redirect_target(call, request, outcome)
            if target is not None and redirects < _MAX_REDIRECTS and state.left() > 0:
                redirects += 1
                request = state.in_time(replace(request, url=target))
                continue
        next_delay = state.next_delay(outcome)
        if next_delay is None:
            raise state.error(request, outcome)
        delay = next_delay
        request = state.in_time(request, after=delay)


@dataclass(slots=True)
class _CallState:
    """The state of a call between two attempts.

    Attributes:
        attempts: The record of each attempt so far.
        doubt: Whether any attempt was lost.
        landed: The answer to a write that was applied, if the answer was cut off.
        number: Number of the current attempt, from 1; new tokens and redirects do not count.
        slept: Seconds spent waiting between attempts.
    """

    call: Call[Any]
    settings: Settings
    began: float
    attempts: tuple[AttemptRecord, ...] = ()
    doubt: bool = False
    landed: Response | None = None
    number: int = 1
    slept: float = 0.0

    def record(self, started: float, outcome: Outcome) -> None:
        """Record how an attempt ended."""
        end = fate(outcome)
        self.doubt = self.doubt or end is Fate.LOST
        if isinstance(outcome, Response):
            record = AttemptRecord(started, end.delivery, outcome.status, outcome.headers.get("x-request-id"))
            if end is Fate.APPLIED and not outcome.complete and self.call.operation.effect != "read":
                self.landed = outcome
        else:
            record = AttemptRecord(started, end.delivery, error=f"{type(outcome).__name__}: {outcome.args[0]}")
        self.attempts += (record,)

    def next_delay(self, outcome: Outcome) -> float | None:
        """Return the seconds before the next attempt, or None if there is none."""
        # A guard does not make it safe to repeat what was applied: the repetition would be refused as a conflict.
        retry = self.call.retry if self.landed is None else self.call.operation.retry
        elapsed, now = self.settings.monotonic() - self.began, self.settings.now()
        delay = self.settings.retry.delay(self.number, outcome, retry=retry, elapsed=elapsed, now=now, slept=self.slept)
        if delay is not None:
            self.number += 1
            self.slept += delay
        return delay

    def error(self, request: Request, outcome: Outcome) -> PlatformError:
        """Return the error that the call ends with after this outcome."""
        last = self.landed or outcome
        return error_of(self.call, request, last, self.attempts, doubt=self.doubt, now=self.settings.now())

    def left(self) -> float:
        """Return the seconds before the deadline."""
        deadline = self.settings.retry.deadline
        return float("inf") if deadline is None else deadline - (self.settings.monotonic() - self.began)

    def in_time(self, request: Request, *, after: float = 0.0) -> Request:
        """Return the request with its timeouts shortened to the deadline, if it is sent `after` that many seconds."""
        left = self.left() - after
        return request if left == float("inf") else replace(request, timeout=self.settings.timeout.within(left))


def _first_token(call: Call[Any]) -> Flow[Secret]:
    """Return the first token of a call. If there is none, nothing of the call was sent."""
    try:
        return checked_token((yield GetToken()))
    except PlatformError as failure:
        failure.applied = "no"
        failure.add_note(f"while fetching a token for {call.operation.id}, of which nothing was sent")
        raise


def _fresh_token(state: _CallState, request: Request, refusal: Response, refused: Secret) -> Flow[Secret]:
    """Return a newer token than the refused one, or the same if there is none.

    If getting it fails after a lost write, the error of the call is raised, since the write may have been applied.
    """
    try:
        return checked_token((yield GetToken(refused=refused)))
    except Exception as failure:
        if state.landed is not None or (state.doubt and state.call.operation.effect != "read"):
            raise state.error(request, refusal) from failure
        if isinstance(failure, PlatformError):
            failure.applied = "no"
        raise


def checked_token(token: str) -> Secret:
    """Return a token that a header can carry.

    Raises:
        UsageError: The token is empty, or has white space, control characters or characters beyond ASCII.
    """
    if not token or any(not "!" <= character <= "~" for character in token):  # RFC 9110, section 5.5: VCHAR
        problem = "is empty" if not token else "has white space, control characters or characters beyond ASCII"
        raise UsageError(f"token {problem}; give the token alone, without 'Bearer' and line breaks")
    return Secret(token)


def _request(call: Call[T], settings: Settings, token: Secret) -> Request:
    headers = {**settings.headers, "accept": call.operation.accept, "authorization": Secret(f"Bearer {token}")}
    if call.body is not None:
        headers["content-type"] = "application/json"
    timeout = settings.timeout
    if settings.retry.deadline is not None:
        timeout = timeout.within(settings.retry.deadline)
    return Request(
        call.operation.method,
        settings.base_url + call.path,
        headers,
        call.body or b"",
        timeout,
        stream=call.operation.stream,
    )


def _add_note(interruption: BaseException, call: Call[T]) -> None:
    if call.operation.effect != "read" and not isinstance(interruption, GeneratorExit):
        interruption.add_note(f"{call.operation.id} was interrupted; it is not known whether it was applied")


def _redirect_target(call: Call[T], request: Request, response: Response) -> str | None:
    """Return the URL that a redirect leads to, or None if it is not followed.

    Only reads are redirected, and only within the origin that the token is for.
    """
    location = response.headers.get("location")
    if location is None or response.status not in _REDIRECTS or call.operation.effect != "read":
        return None
    if call.operation.method != "GET" and response.status not in {307, 308}:
        return None
    try:
        target, _ = urldefrag(urljoin(request.url, location))
        within = _origin(target) == _origin(request.url)
    except ValueError:
        return None
    # A URL consists of these characters (RFC 3986, section 2).
    return target if within and all("!" <= character <= "~" for character in target) else None


def _origin(url: str) -> tuple[str, str]:
    scheme, netloc, *_ = urlsplit(url)
    return scheme, netloc.lower()
