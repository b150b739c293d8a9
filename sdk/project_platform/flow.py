"""One call, from its description to its answer: attempt, classify, repeat, read. The only send loop there is.

A flow is a generator that decides and does nothing. It yields what it wants done and is sent what came of it:

- `Attempt(request, delay)`: wait, then send the request; it is sent the `Response` or the `TransportError`;
- `TokenWanted(refused)`: it is sent a token.

`drivers.py` holds the two drivers that carry flows out, one with `await` and one without. Whatever interrupts a driver is
thrown into the flow where it waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias, TypeVar
from urllib.parse import urljoin, urlsplit

from .error_mapping import error_of
from .errors import UsageError
from .fate import Fate, Outcome, fate
from .headers import Secret
from .operation import Answer, AttemptRecord, Call, Request, Response, Timeout
from .reading import read
from .retry import RetryPolicy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempt:
    """An order to the driver: wait `delay` seconds, then send `request`."""

    request: Request
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class TokenWanted:
    """An order to the driver: get a token, and not the one that the service just refused."""

    refused: str | None = None


Order: TypeAlias = Attempt | TokenWanted
Flow: TypeAlias = Generator[Order, "Outcome | str", T]

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS: Final = 5  # curl follows 50, httpx 20; an API that needs more than a few is misconfigured
_UNAUTHORIZED: Final = 401


@dataclass(frozen=True, slots=True)
class Settings:
    """What a client adds to every call it makes.

    `token` is a text that never changes, or None if one has to be asked for. The clocks are arguments, so that a flow
    can be tested without waiting.
    """

    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    token: Secret | None = None
    timeout: Timeout = field(default_factory=Timeout)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time


def call(call: Call[T], settings: Settings) -> Flow[Answer[T]]:
    """Send one call, again as often as operation, fate and policy allow; return its answer or raise its error.

    Args:
        call: What to send, and how to read the answer.
        settings: What the client adds.
    """
    began = settings.monotonic()
    attempts: tuple[AttemptRecord, ...] = ()
    token = settings.token
    if token is None:
        token = _token((yield TokenWanted()))
    request = _request(call, settings, token)
    delay = slept = 0.0
    number, redirects = 1, 0
    doubt, renewed = False, settings.token is not None
    while True:
        started = settings.now()
        try:
            outcome = yield Attempt(request, delay)
        except BaseException as interruption:
            _note(interruption, call)
            raise
        assert not isinstance(outcome, str)
        end = fate(outcome)
        doubt = doubt or end is Fate.LOST
        attempts += (_record(started + delay, end, outcome),)
        delay = 0.0
        if isinstance(outcome, Response):
            if end is Fate.APPLIED and outcome.complete:
                return read(call, outcome, attempts)
            if outcome.status == _UNAUTHORIZED and not renewed:
                # The token may have been revoked, or the clocks may differ: one new one is worth a try.
                renewed = True
                fresh = _token((yield TokenWanted(refused=token)))
                if fresh != token:
                    token = fresh
                    request = _request(call, settings, token)
                    continue
            elsewhere = _elsewhere(call, request, outcome)
            if elsewhere is not None and redirects < _MAX_REDIRECTS:
                redirects += 1
                request = replace(request, url=elsewhere)
                continue
        elapsed = settings.monotonic() - began
        wait = settings.retry.delay(number, outcome, retry=call.retry, elapsed=elapsed, now=settings.now(), slept=slept)
        if wait is None:
            raise error_of(call, request, outcome, attempts, doubt=doubt, now=settings.now())
        delay = wait
        slept += wait
        number += 1
        if settings.retry.deadline is not None:
            left = settings.retry.deadline - elapsed - delay
            request = replace(request, timeout=settings.timeout.within(left))


def checked_token(token: str) -> Secret:
    """Return a token as it can stand in a header.

    Raises:
        UsageError: It cannot: it is empty, or has white space or characters beyond ASCII.
    """
    if not token or not token.isascii() or any(character.isspace() for character in token):
        problem = "is empty" if not token else "has white space or characters beyond ASCII"
        raise UsageError(f"token {problem}; give it bare, without 'Bearer' and line breaks")
    return Secret(token)


def _token(answer: Outcome | str) -> Secret:
    assert isinstance(answer, str)
    return checked_token(answer)


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


def _record(started: float, end: Fate, outcome: Outcome) -> AttemptRecord:
    if isinstance(outcome, Response):
        return AttemptRecord(started, end.delivery, outcome.status, outcome.headers.get("x-request-id"))
    return AttemptRecord(started, end.delivery, error=f"{type(outcome).__name__}: {outcome.args[0]}")


def _note(interruption: BaseException, call: Call[T]) -> None:
    if call.operation.effect != "read" and not isinstance(interruption, GeneratorExit):
        interruption.add_note(f"{call.operation.id} was interrupted; it is not known whether it was applied")


def _elsewhere(call: Call[T], request: Request, response: Response) -> str | None:
    """Return where to read instead: only reads are redirected, and only within the origin that the token is for."""
    location = response.headers.get("location")
    if location is None or response.status not in _REDIRECTS or call.operation.effect != "read":
        return None
    if call.operation.method != "GET" and response.status not in {307, 308}:
        return None
    target = urljoin(request.url, location)
    return target if _origin(target) == _origin(request.url) else None


def _origin(url: str) -> tuple[str, str]:
    scheme, netloc, *_ = urlsplit(url)
    return scheme, netloc.lower()
