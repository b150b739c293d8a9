"""One call, from its description to its answer: attempt, classify, repeat, read. The only send loop there is.

A flow is a generator that decides and does nothing. It yields what it wants done and is sent what came of it:

- `Attempt(request, delay)`: wait, then send the request; it is sent the `Response` or the `TransportError`;
- `TokenWanted(refused)`: it is sent a token;
- `Ask(question)`: call a function of the caller's; it is sent what the function returns.

`drivers.py` holds the two drivers that carry flows out, one with `await` and one without. Whatever interrupts a driver is
thrown into the flow where it waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import urldefrag, urljoin, urlsplit

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


@dataclass(frozen=True, slots=True)
class Ask:
    """An order to the driver: call a function of the caller's, which may be asynchronous under an `AsyncClient`."""

    question: Callable[[], Any]


Order: TypeAlias = Attempt | TokenWanted | Ask
Flow: TypeAlias = Generator[Order, Any, T]
"""What is sent in answers the order: an `Outcome`, a token, or what the caller's function returned."""

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
        token = checked_token((yield TokenWanted()))
    request = _request(call, settings, token)
    delay = slept = 0.0
    number, redirects = 1, 0
    doubt, renewed = False, settings.token is not None
    landed: Response | None = None  # the answer to a write that was carried out, cut off before it could be read
    while True:
        started = settings.now()
        try:
            outcome: Outcome = yield Attempt(request, delay)
        except BaseException as interruption:
            _note(interruption, call)
            raise
        end = fate(outcome)
        doubt = doubt or end is Fate.LOST
        attempts += (_record(started + delay, end, outcome),)
        delay = 0.0
        if isinstance(outcome, Response):
            if end is Fate.APPLIED and outcome.complete:
                return read(call, outcome, attempts)
            if end is Fate.APPLIED and call.operation.effect != "read":
                landed = outcome
            if outcome.status == _UNAUTHORIZED and not renewed:
                # The token may have been revoked, or the clocks may differ: one new one is worth a try.
                renewed = True
                try:
                    fresh = checked_token((yield TokenWanted(refused=token)))
                except Exception as failure:
                    if landed is not None or (doubt and call.operation.effect != "read"):
                        last = landed or outcome
                        raise error_of(call, request, last, attempts, doubt=doubt, now=settings.now()) from failure
                    raise
                left = _left(settings, began)
                if fresh != token and left > 0:
                    token = fresh
                    request = _in_time(_request(call, settings, token), settings, left)
                    continue
            elsewhere, left = _elsewhere(call, request, outcome), _left(settings, began)
            if elsewhere is not None and redirects < _MAX_REDIRECTS and left > 0:
                redirects += 1
                request = _in_time(replace(request, url=elsewhere), settings, left)
                continue
        elapsed = settings.monotonic() - began
        # A guard is no reason to repeat what surely landed: the repetition would be refused, and read as a conflict.
        retry = call.retry if landed is None else call.operation.retry
        wait = settings.retry.delay(number, outcome, retry=retry, elapsed=elapsed, now=settings.now(), slept=slept)
        if wait is None:
            raise error_of(call, request, landed or outcome, attempts, doubt=doubt, now=settings.now())
        delay = wait
        slept += wait
        number += 1
        request = _in_time(request, settings, _left(settings, began) - delay)


def _left(settings: Settings, began: float) -> float:
    """Return the seconds before the deadline of a call."""
    deadline = settings.retry.deadline
    return float("inf") if deadline is None else deadline - (settings.monotonic() - began)


def _in_time(request: Request, settings: Settings, left: float) -> Request:
    """Return the request with timeouts that end with the deadline of its call."""
    return request if left == float("inf") else replace(request, timeout=settings.timeout.within(left))


def checked_token(token: str) -> Secret:
    """Return a token as it can stand in a header.

    Raises:
        UsageError: It cannot: it is empty, or has white space, control characters or characters beyond ASCII.
    """
    if not token or any(not "!" <= character <= "~" for character in token):  # RFC 9110, section 5.5: VCHAR
        problem = "is empty" if not token else "has white space, control characters or characters beyond ASCII"
        raise UsageError(f"token {problem}; give it bare, without 'Bearer' and line breaks")
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
    try:
        target, _ = urldefrag(urljoin(request.url, location))
        within = _origin(target) == _origin(request.url)
    except ValueError:
        return None
    # A URL is made of these characters (RFC 3986, section 2); with others it could not be sent.
    return target if within and all("!" <= character <= "~" for character in target) else None


def _origin(url: str) -> tuple[str, str]:
    scheme, netloc, *_ = urlsplit(url)
    return scheme, netloc.lower()
