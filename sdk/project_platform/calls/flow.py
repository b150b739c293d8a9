"""One call, from its description to its response: attempt, classify, repeat, read. This is the only send loop.

A flow is a generator that makes every decision and does no input or output. It yields commands and is sent their results:

- `Attempt(request)`: send the request; the result is the `Response` or the `TransportError`;
- `Wait(seconds)`: wait; there is no result;
- `GetToken(refused, seconds)`: get a token; the result is the token;
- `Callback(function, seconds)`: call a function of the user; the result is what it returns;
- `Decode(function, seconds)`: read a large response, not on an event loop; the result is what the function returns.

`runners.py` holds the two drivers that carry flows out, one with `await` and one without. Whatever interrupts a driver is
thrown into the flow where it waits.

A call has one deadline, a point in time. Every command is given the seconds that are left of it, and nothing is sent after
it. A flow of several calls fixes it for all of them (`Settings.started`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from urllib.parse import urldefrag, urljoin

from ..errors import AuthenticationError, InDoubtError, NotSentError, PermissionDeniedError, PlatformError, UsageError
from .auth import checked_token
from .capabilities import NOTHING_KNOWN, Capabilities
from .commands import Attempt, Decode, Flow, GetToken, Wait
from .decoding import LARGE_BODY, read, too_late
from .encoding import EncodedBody
from .error_mapping import error_of
from .fate import Fate, Outcome, applied, fate, unclear
from .headers import Headers, Secret
from .log import warn_of_interruption
from .operation import (
    MAX_JSON_BYTES,
    MAX_RESPONSE_BYTES,
    UNSET,
    Applied,
    AttemptRecord,
    Call,
    Request,
    Response,
    Timeout,
    TypedResponse,
    Unset,
)
from .retry import RetryPolicy

if TYPE_CHECKING:
    from .events import EventListener
    from .observation import Scope

T = TypeVar("T")

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS: Final = 5  # curl follows 50, httpx 20; an API that needs more than a few is misconfigured
_UNAUTHORIZED: Final = 401


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration of a client, which is part of each of its calls.

    `token` is a token that never changes, or None if a token source provides it. `ends_at` is the deadline of the calls, on
    `monotonic`; None if each call begins its own. `listeners` get the events of the calls, and `scope` is that of the method that
    sends them. `is_async` says whether the calls of the client are awaited. The clocks are arguments, so that a flow can be tested without waiting.
    """

    base_url: str
    headers: Headers = field(default_factory=Headers)
    token: Secret | None = None
    timeout: Timeout = field(default_factory=Timeout)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    capabilities: Capabilities = NOTHING_KNOWN
    max_response_bytes: int | Unset | None = UNSET
    collect_before_large_responses: bool = False
    monotonic: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    ends_at: float | None = None
    listeners: tuple[EventListener, ...] = ()
    scope: Scope | None = None
    is_async: bool = False

    def advice(self, call: Call[Any], *, without_error: bool = False) -> str | None:
        """Return what `Capabilities.advice` says, as the client of these settings does it."""
        return self.capabilities.advice(call, without_error=without_error, verb="await" if self.is_async else "call")

    def started(self) -> Settings:
        """Return settings for several calls that share one deadline, which is counted from now unless they have one."""
        if self.ends_at is not None:
            return self
        return replace(self, ends_at=self.deadline_from(self.monotonic()))

    def deadline_from(self, began: float) -> float:
        """Return the deadline of a call that began at this time of `monotonic`."""
        if self.ends_at is not None:
            return self.ends_at
        deadline = self.retry.deadline
        return began + deadline if deadline is not None else inf

    def left(self) -> float:
        """Return the seconds before the deadline that several calls share."""
        return self.deadline_from(began := self.monotonic()) - began


def call(call: Call[T], settings: Settings, *, doubt: bool = False) -> Flow[TypedResponse[T]]:
    """Send one call, again while operation, fate and policy allow it, and return its response or raise its error.

    An exception that is not a `PlatformError`, such as an interruption, gets a note that says whether a write was applied.

    Args:
        call: The call, which also says how its response is read.
        settings: The configuration of the client.
        doubt: Whether the same write may have been applied before, as if an earlier attempt of the call was lost.
    """
    _check_call(call)
    steps = _call(call, settings, doubt=doubt)
    listeners = settings.listeners
    if not listeners:
        return steps
    from .observation import attempts_observed, observed, scope_of  # only a program that listens needs it

    scope = scope_of(call.operation, listeners, settings.monotonic, parent=settings.scope, doubt=doubt)
    return observed(attempts_observed(steps, scope), scope)


def _check_call(call: object) -> None:  # callers need not be typed
    if not isinstance(call, Call):
        raise UsageError(
            f"call is of type {type(call).__name__}; give a Call, as the functions of operations return; records.apply takes a Change"
        )


def composed(
    name: str, settings: Settings, flow_from: Callable[[Settings], Flow[T]], *, doubt: bool = False
) -> Flow[T]:
    """Return a flow that sends several calls, which belong together for a listener.

    Args:
        name: The method of a resource, such as `records.apply`.
        settings: The configuration of the client.
        flow_from: Returns the flow for settings.
        doubt: Whether it begins with a write that may have been applied.
    """
    listeners = settings.listeners
    if not listeners:
        return flow_from(settings)
    from .observation import observed, scope_of

    scope = scope_of(name, listeners, settings.monotonic, doubt=doubt)
    return observed(flow_from(replace(settings, scope=scope)), scope)


def _call(call: Call[T], settings: Settings, *, doubt: bool) -> Flow[TypedResponse[T]]:
    """Send one call; `call` describes it."""
    call = settings.capabilities.fitted(call)
    began = settings.monotonic() - (call.body.seconds if isinstance(call.body, EncodedBody) else 0.0)
    state = _CallState(call, settings, began, settings.deadline_from(began), doubt=doubt)
    try:
        return (yield from _attempts(state))
    except InDoubtError as error:
        if error.applied == "unknown":
            in_doubt(error, call, settings)
        raise
    except (PlatformError, GeneratorExit):
        raise
    except BaseException as interruption:
        if call.operation.effect != "read":
            advice = settings.advice(call, without_error=True) if state.in_doubt else None
            interruption.add_note(
                "; ".join(filter(None, [f"{call.operation.id} was interrupted", state.summary(), advice]))
            )
            interrupted(interruption, call.operation.id, state.applied)
            if state.in_doubt:
                interruption.call = call  # type: ignore[attr-defined]  # the command line saves it for `settle`
        raise


def interrupted(interruption: BaseException, operation_id: str, applied: Applied) -> None:
    """Let an interruption of a write have its verdict, and warn if that is unknown."""
    interruption.applied = applied  # type: ignore[attr-defined]  # a change keeps it
    if applied == "unknown":
        warn_of_interruption(operation_id, interruption)


def in_doubt(error: InDoubtError, call: Call[Any], settings: Settings) -> None:
    """Let an error say which call it is of, and what to do."""
    error.call, error.base_url = call, settings.base_url
    error.advice = settings.advice(call)


def in_words(failure: PlatformError) -> str:
    """Return the class and the message of the error that a part of a flow ended with."""
    return f"{type(failure).__name__} ({failure.args[0]})"


def with_token(failure: BaseException | None, advice: str) -> str:
    """Return advice that names the token first, if a failure was about the token."""
    if isinstance(failure, AuthenticationError | PermissionDeniedError):
        return f"with a token that the service accepts for it, {advice}"
    return advice


def _attempts(state: _CallState[T]) -> Flow[TypedResponse[T]]:
    """Send a call until it has a response, or raise its error."""
    call, settings = state.call, state.settings
    token = settings.token
    if token is None:
        token = yield from _first_token(state)
    timeout = state.timeout()
    if timeout is None:
        raise state.too_late()
    request = _request(call, settings, token, timeout)
    redirects, renewed = 0, settings.token is not None
    while True:
        started = settings.now()
        state.sending = True
        outcome: Outcome = yield Attempt(request)
        state.record(started, outcome)
        if isinstance(outcome, Response):
            if outcome.successful and outcome.complete:
                early = settings.collect_before_large_responses
                if len(outcome.body) <= LARGE_BODY:
                    return read(call, request, outcome, state.attempts, collect_before=early)
                state.decoding = outcome
                result: TypedResponse[T] | None = yield Decode(
                    partial(read, call, request, outcome, state.attempts, collect_before=early), state.left()
                )
                if result is None:
                    raise too_late(call, request, outcome, state.attempts)
                return result
            if outcome.status == _UNAUTHORIZED and not renewed:
                # The token may have been revoked, or the clocks may differ: try one new token.
                renewed = True
                fresh = yield from _fresh_token(state, request, outcome, token)
                if fresh != token and (timeout := state.timeout()) is not None:
                    token = fresh
                    request = _request(call, settings, token, timeout)
                    continue
            redirected = _redirected(call, request, outcome)
            if redirected is not None and redirects < _MAX_REDIRECTS and (timeout := state.timeout()) is not None:
                redirects += 1
                request = replace(redirected, timeout=timeout)
                continue
        delay = state.next_delay(outcome)
        if delay:
            yield Wait(delay)
        if delay is None or (timeout := state.timeout()) is None:
            raise state.error(request, outcome)
        request = replace(request, timeout=timeout)


@dataclass(slots=True)
class _CallState(Generic[T]):
    """The state of a call between two attempts.

    Attributes:
        ends_at: The deadline, on the clock of the settings.
        attempts: The record of each attempt so far.
        sending: Whether an attempt has begun and has not ended.
        doubt: Whether any attempt was lost.
        landed: The response to a write that was applied, if the response was cut off.
        decoding: The large response that is decoded now, or that was.
        number: Number of the current attempt, from 1; new tokens and redirects do not count.
        slept: Seconds spent waiting between attempts.
    """

    call: Call[T]
    settings: Settings
    began: float
    ends_at: float
    # Not shown: a service may repeat a credential in `X-Request-Id`, which `error_of` redacts.
    attempts: tuple[AttemptRecord, ...] = field(default=(), repr=False)
    sending: bool = False
    doubt: bool = False
    landed: Response | None = None
    decoding: Response | None = None
    number: int = 1
    slept: float = 0.0

    def record(self, started: float, outcome: Outcome) -> None:
        """Record how an attempt ended."""
        end = fate(outcome, self.call.operation.accept)
        self.doubt = self.doubt or end is Fate.LOST
        if isinstance(outcome, Response):
            record = AttemptRecord(started, end.delivery, outcome.status, outcome.headers.get("x-request-id"))
            if end is Fate.APPLIED and not outcome.complete and self.call.operation.effect != "read":
                self.landed = outcome
        else:
            record = AttemptRecord(started, end.delivery, error=f"{type(outcome).__name__}: {outcome.args[0]}")
        self.attempts += (record,)
        self.sending = False

    def next_delay(self, outcome: Outcome) -> float | None:
        """Return the seconds before the next attempt, or None if there is none."""
        # A guard does not make it safe to repeat what was applied: the repetition would be refused as a conflict.
        retry = self.call.retry if self.landed is None else self.call.operation.retry
        elapsed, now = self.settings.monotonic() - self.began, self.settings.now()
        delay = self.settings.retry.delay(
            self.number, outcome, retry=retry, elapsed=elapsed, now=now, slept=self.slept, left=self.left()
        )
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
        return self.ends_at - self.settings.monotonic()

    def timeout(self) -> Timeout | None:
        """Return the timeouts of a request that is sent now, or None if the deadline has passed."""
        settings = self.settings
        left = self.ends_at - settings.monotonic()
        if left <= 0:
            return None
        return settings.timeout if left == inf else settings.timeout.within(left)

    def too_late(self) -> NotSentError:
        """Return the error of a call that sent nothing before its deadline."""
        return NotSentError(
            "the deadline passed before the request was sent; give the call a RetryPolicy with a longer deadline",
            operation_id=self.call.operation.id,
            applied=self.applied_unsent(),
        )

    def applied_unsent(self) -> Applied:
        """Return whether a write is applied of which this call has sent nothing."""
        return applied(Fate.NOT_SENT, self.call.operation.effect, doubt=self.doubt)

    @property
    def unclear(self) -> bool:
        """Whether the response that is decoded may not say that its write was applied."""
        return self.decoding is not None and unclear(self.decoding, self.call.operation.accept) is not None

    @property
    def was_applied(self) -> bool:
        """Whether an attempt of a write was certainly applied."""
        return not self.unclear and any(attempt.delivery == "applied" for attempt in self.attempts)

    @property
    def in_doubt(self) -> bool:
        """Whether it is not known if a write that is interrupted now was applied."""
        return not self.was_applied and (self.sending or self.doubt or self.unclear)

    @property
    def applied(self) -> Applied:
        """Whether a write that is interrupted now was applied."""
        return "yes" if self.was_applied else "unknown" if self.in_doubt else "no"

    def summary(self) -> str:
        """Return in words whether a write that is interrupted now was applied."""
        if self.applied == "no":
            return "it was not applied" if self.attempts else "nothing was sent"
        return "it was applied" if self.was_applied else "it is not known whether it was applied"


def _first_token(state: _CallState[Any]) -> Flow[Secret]:
    """Return the first token of a call. If there is none, nothing of the call was sent."""
    if (left := state.left()) <= 0:
        raise state.too_late()
    try:
        return checked_token((yield GetToken(seconds=left)))
    except PlatformError as failure:
        operation_id = state.call.operation.id
        failure.operation_id, failure.applied = failure.operation_id or operation_id, state.applied_unsent()
        failure.add_note(f"while fetching a token for {operation_id}, of which nothing was sent")
        raise


def _fresh_token(state: _CallState[Any], request: Request, refusal: Response, refused: Secret) -> Flow[Secret]:
    """Return a newer token than the refused one, or the same if there is none.

    If getting it fails after a lost write, the error of the call is raised, since the write may have been applied.
    """
    try:
        if (left := state.left()) <= 0:
            return refused
        return checked_token((yield GetToken(refused, left)))
    except Exception as failure:
        if state.landed is not None or (state.doubt and state.call.operation.effect != "read"):
            raise state.error(request, refusal) from failure
        if isinstance(failure, PlatformError):
            failure.operation_id, failure.applied = failure.operation_id or state.call.operation.id, "no"
        raise


def _request(call: Call[T], settings: Settings, token: Secret, timeout: Timeout) -> Request:
    return Request(
        call.operation.method,
        settings.base_url + call.path,
        settings.headers.of_request(call.operation.accept, token, json=call.body is not None),
        call.body or b"",
        timeout,
        stream=call.operation.stream,
        max_response_bytes=_limit(call, settings),
    )


def _limit(call: Call[Any], settings: Settings) -> int | None:
    if not isinstance(settings.max_response_bytes, Unset):
        return settings.max_response_bytes
    return MAX_JSON_BYTES if call.operation.returns_json else MAX_RESPONSE_BYTES


def _redirected(call: Call[T], request: Request, response: Response) -> Request | None:
    """Return the request for the URL that a redirect leads to, or None if it is not followed.

    Only reads are redirected, and only within the origin that the token is for. The URL may have a credential in its query,
    which the representation of a request does not show.
    """
    location = response.headers.get("location")
    if location is None or response.status not in _REDIRECTS or call.operation.effect != "read":
        return None
    if call.operation.method != "GET" and response.status not in {307, 308}:
        return None
    # A URL consists of these characters (RFC 3986, section 2); `urljoin` would remove some of the others.
    if any(not "!" <= character <= "~" for character in location):
        return None
    try:
        target = urldefrag(urljoin(request.url, location)).url
    except ValueError:
        return None
    # The transports take what is between "//" and "/" as the host, so that is what decides here, too; and the origin is
    # that of the request, letter for letter.
    origin, (path,) = request.url.split("/", 3)[:3], target.split("/", 3)[3:] or [""]
    if target.lower().split("/", 3)[:3] != [part.lower() for part in origin]:
        return None
    return replace(request, url="/".join([*origin, path]))
