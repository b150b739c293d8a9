"""Reports what a flow does as events: a wrapper around the flow, which is absent if nothing listens; and the listener that logs.

`flow.call` wraps each call, and `flow.composed` a method that sends several calls. The wrapper passes every command and every
result on and decides nothing; it only adds the header fields of a listener to a request.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from ..errors import PlatformError, TransportError, UsageError
from ..masking import printable
from . import log
from .commands import Attempt, Command, Flow, GetToken, Wait
from .events import (
    AttemptCause,
    AttemptEnded,
    AttemptStarted,
    CallContext,
    CallEnded,
    CallStarted,
    Event,
    EventListener,
    Settled,
    TokenFetched,
    Waiting,
)
from .fate import fate
from .headers import Headers, problem_of_header
from .operation import Applied, Operation, Request, Response
from .redaction import Redactor

T = TypeVar("T")

_NUMBERS: Final = itertools.count(1)


def guarded(listener: object) -> EventListener:
    """Return a listener whose exceptions are dropped; the first one is logged.

    Raises:
        UsageError: It is not a function, or it is asynchronous.
    """
    if not callable(listener):
        raise UsageError(f"on_event is of type {type(listener).__name__}; give a function of one event")
    if any(map(inspect.iscoroutinefunction, (listener, type(listener).__call__))):
        raise UsageError(
            "on_event is asynchronous; give a function that is not, such as one that puts events into a queue"
        )
    failed: list[Exception] = []

    def listen(event: Event) -> None:
        try:
            listener(event)
        except Exception as error:  # noqa: BLE001  # a listener does not change what a call does
            if not failed:
                failed.append(error)
                log.warn_of_listener(listener, error)

    return listen


@dataclass(slots=True, eq=False)
class Scope:
    """The state of a call, or of a method that sends several, for its events.

    Attributes:
        context: The call, as its events name it.
        listeners: The functions that get the events.
        monotonic: The clock.
        parent: The scope of the method that sends this call among others.
        doubt: Whether a response to a write was lost.
        attempts: Number of attempts.
        applied: Verdict of the last end.
        began: When the call began, on the clock.
    """

    context: CallContext
    listeners: tuple[EventListener, ...]
    monotonic: Callable[[], float]
    parent: Scope | None = None
    doubt: bool = False
    attempts: int = 0
    applied: Applied = "no"
    began: float = 0.0

    def emit(self, event: Event) -> None:
        """Give an event to the listeners."""
        for listener in self.listeners:
            listener(event)

    def end(self, applied: Applied, error: BaseException | None = None) -> None:
        """Report the end, and record it in the parent."""
        if self.parent is not None:
            self.parent.attempts += self.attempts
            self.parent.doubt = self.parent.doubt or self.doubt
            self.parent.applied = applied
        elif self.doubt and applied != "unknown":
            self.emit(Settled(self.context, applied, self.attempts))
        kind = type(error).__name__ if error is not None else None
        self.emit(CallEnded(self.context, applied, self.attempts, self.monotonic() - self.began, kind))


def scope_of(
    operation: Operation[Any] | str,
    listeners: tuple[EventListener, ...],
    monotonic: Callable[[], float],
    *,
    parent: Scope | None = None,
    doubt: bool = False,
) -> Scope:
    """Return the scope of a call, or of a method of this name that sends several."""
    number = next(_NUMBERS)
    if isinstance(operation, str):
        return Scope(CallContext(number, operation, "write"), listeners, monotonic, doubt=doubt)
    within = parent.context if parent is not None else None
    context = CallContext(number, operation.id, operation.effect, operation.method, operation.path, within)
    return Scope(context, listeners, monotonic, parent, doubt=doubt)


def observed(steps: Flow[T], scope: Scope) -> Flow[T]:
    """Run a flow, and report its beginning and its end."""
    scope.began = scope.monotonic()
    scope.emit(CallStarted(scope.context))
    try:
        value = yield from steps
    except PlatformError as error:
        scope.end(error.applied, error)
        raise
    except BaseException as interruption:
        scope.end("unknown" if scope.doubt else scope.applied, interruption)
        raise
    scope.end(getattr(value, "applied", scope.applied))
    return value


def attempts_observed(steps: Flow[T], scope: Scope) -> Flow[T]:
    """Run the flow of one call, and report each of its commands and results."""
    observer = _CommandObserver(scope)
    try:
        command = next(steps)
        while True:
            command = observer.before(command)
            try:
                result = yield command
            except BaseException as error:  # noqa: BLE001  # the flow decides what an interruption means
                observer.after(command, error)
                command = steps.throw(error)
            else:
                observer.after(command, result)
                command = steps.send(result)
    except StopIteration as done:
        value: T = done.value
        return value
    except BaseException as interruption:
        if inspect.getgeneratorstate(steps) == inspect.GEN_SUSPENDED:  # a listener was interrupted
            steps.throw(interruption)
        raise


class _CommandObserver:
    """Reports the commands of one call."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._url = ""
        self._began = 0.0
        self._renewed = False
        self._status: int | None = None
        self._error: str | None = None
        self._headers: Mapping[str, str] = {}

    def before(self, command: Command) -> Command:
        """Report a command, and return it with the header fields of the listeners."""
        scope = self._scope
        if isinstance(command, Attempt):
            scope.attempts += 1
            request = command.request
            started = AttemptStarted(scope.context, scope.attempts, self._cause(request), request.url.partition("?")[0])
            self._url = request.url
            self._headers = request.headers
            self._renewed = False
            scope.emit(started)
            if started.headers:
                command = Attempt(_with_headers(request, started.headers))
        elif isinstance(command, Wait):
            scope.emit(Waiting(scope.context, command.seconds, scope.attempts + 1, self._status, self._error))
        self._began = scope.monotonic()
        return command

    def _cause(self, request: Request) -> AttemptCause:
        if self._scope.attempts == 1:
            return "first"
        if self._renewed:
            return "new token"
        return "redirect" if request.url != self._url else "retry"

    def after(self, command: Command, result: object) -> None:
        """Report the result of a command, which is an exception if it was interrupted."""
        scope = self._scope
        seconds = scope.monotonic() - self._began
        if isinstance(command, Attempt):
            self._attempt_ended(result, seconds)
        elif isinstance(command, GetToken):
            failure = type(result).__name__ if isinstance(result, BaseException) else None
            renewed = command.refused is not None
            self._renewed = renewed and failure is None
            scope.emit(TokenFetched(scope.context, seconds, renewed, failure))

    def _attempt_ended(self, result: object, seconds: float) -> None:
        scope = self._scope
        if isinstance(result, Response):
            delivery = fate(result, self._headers.get("accept")).delivery
            status, error = result.status, None
            request_id = result.headers.get("x-request-id")
            if request_id is not None:
                request_id = printable(Redactor.of(self._headers).text(request_id))
        else:
            # Whatever is raised in place of an outcome may have been raised after the request was sent.
            delivery = fate(result).delivery if isinstance(result, TransportError) else "lost"
            status, error, request_id = None, type(result).__name__, None
        self._status, self._error = status, error
        if scope.context.effect != "read":
            scope.doubt = scope.doubt or delivery == "lost"
            scope.applied = "yes" if delivery == "applied" else "no"
        scope.emit(AttemptEnded(scope.context, scope.attempts, delivery, seconds, status, request_id, error))


def _with_headers(request: Request, added: dict[str, str]) -> Request:
    """Return a request with more header fields; those that it has, and those that cannot be sent, are left out."""
    fields = {name.lower(): value for name, value in added.items() if problem_of_header(name, value) is None}
    return replace(request, headers=Headers({**fields, **request.headers}))


def log_event(event: Event) -> None:
    """Write an event to the log: attempts at DEBUG; retries, waits and settled doubts at INFO."""
    match event:
        case AttemptEnded():
            if log.takes(log.DEBUG):
                _write_attempt(event)
        case Waiting():
            after = event.status or event.error
            text = f"waiting {event.seconds:.1f} s before attempt {event.attempt}, after {after}"
            _write_of_call(
                log.INFO, event, text, attempt=event.attempt, wait=event.seconds, status=event.status, error=event.error
            )
        case AttemptStarted() if event.attempt > 1:
            _write_of_call(log.INFO, event, f"sending attempt {event.attempt} ({event.cause})", attempt=event.attempt)
        case TokenFetched() if event.renewed or event.error:
            text = f"a token took {event.seconds:.1f} s" + (f" and failed: {event.error}" if event.error else "")
            _write_of_call(log.INFO, event, text, duration=event.seconds, error=event.error)
        case Settled():
            text = f"a response was lost, and after {event.attempts} attempts it is known: applied: {event.applied}"
            _write_of_call(log.INFO, event, text, applied=event.applied, attempt=event.attempts)
        case _:
            pass


def _write_attempt(event: AttemptEnded) -> None:
    call = event.call
    request = f", request {event.request_id}" if event.request_id else ""
    _write_of_call(
        log.DEBUG,
        event,
        f"{call.method} {call.path} attempt {event.attempt}: {event.status or event.error} in "
        f"{event.seconds * 1000:.0f} ms ({event.fate}{request})",
        attempt=event.attempt,
        status=event.status,
        fate=event.fate,
        request_id=event.request_id,
        duration=event.seconds,
        error=event.error,
    )


def _write_of_call(
    level: int, event: AttemptEnded | AttemptStarted | Waiting | TokenFetched | Settled, text: str, **fields: Any
) -> None:
    operation_id = event.call.operation_id
    log.write(level, f"{operation_id}: {text}", operation=operation_id, call_id=event.call.id, **fields)
