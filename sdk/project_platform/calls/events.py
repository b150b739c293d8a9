"""The course of a call as typed events, which a client gives to the function given as `on_event`.

No event has a body, a token, or the value of a header field that was sent. `AttemptStarted.url` has no query.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar, dataclass_transform

from .operation import Applied, Delivery, Effect

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def _event(kind: type[_T]) -> type[_T]:
    """Return a dataclass that is frozen for type checkers only: a call creates six, and frozen ones take four times as long."""
    return dataclass(slots=True, unsafe_hash=True)(kind)


AttemptCause: TypeAlias = Literal["first", "retry", "redirect", "new token"]
"""The reason for a request."""


@_event
class CallContext:
    """The call that an event belongs to.

    `records.apply`, `save`, `modify` and `client.settle` send several calls: their context is the `parent` of those, and has neither a method
    nor a path.

    Attributes:
        id: Number of the call, unique in this process.
        operation_id: The operation, such as `records_update`, or the method that sends several calls.
        effect: The effect of the operation.
        method: Method of the requests.
        path: Path of the operation with the names of its parameters, not their values.
        parent: The method that sends this call among others; None if the call was made by itself.
    """

    id: int
    operation_id: str
    effect: Effect
    method: str | None = None
    path: str | None = None
    parent: CallContext | None = field(default=None, repr=False)


@_event
class CallStarted:
    """A call began. Nothing was sent yet."""

    call: CallContext


@_event
class TokenFetched:
    """The token source returned a token, or failed.

    Attributes:
        call: The call that waited for the token.
        seconds: Time that the token took.
        renewed: Whether the service had refused an earlier token.
        error: Class of the exception of the token source; None if there was none.
    """

    call: CallContext
    seconds: float
    renewed: bool
    error: str | None = None


@_event
class AttemptStarted:
    """A request is about to be sent.

    Attributes:
        call: The call.
        attempt: Number of the attempt, from 1; repetitions after a redirect or with a new token count as well.
        cause: Why it is sent.
        url: URL of the request without its query. It has the identifiers of the path.
        headers: Header fields that a listener adds to this attempt, such as `traceparent`; empty at first. A field that the
            call has already, or that cannot be sent, is left out.
    """

    call: CallContext
    attempt: int
    cause: AttemptCause
    url: str
    headers: dict[str, str] = field(default_factory=dict[str, str], compare=False, repr=False)


@_event
class AttemptEnded:
    """A request got a response, failed or was interrupted.

    Attributes:
        call: The call.
        attempt: Number of the attempt.
        fate: Verdict of its end about a write, as `AttemptRecord.delivery`.
        seconds: Time from the request to its response.
        status: Status of the response; None if there was none.
        request_id: `X-Request-Id` of the response; None if it has none.
        error: Class of the exception; None if there was a response.
    """

    call: CallContext
    attempt: int
    fate: Delivery
    seconds: float
    status: int | None = None
    request_id: str | None = None
    error: str | None = None


@_event
class Waiting:
    """The call waits before its next attempt.

    Attributes:
        call: The call.
        seconds: How long it waits.
        attempt: Number of the next attempt.
        status: Status of the last response; None if there was none.
        error: Class of the exception that the last attempt ended with; None if there was a response.
    """

    call: CallContext
    seconds: float
    attempt: int
    status: int | None
    error: str | None


@_event
class Settled:
    """It was not known whether a write was applied, since a response was lost, and now it is.

    Attributes:
        call: The call, or the method that sent several.
        applied: Whether the write was applied: never "unknown".
        attempts: Number of attempts.
    """

    call: CallContext
    applied: Applied
    attempts: int


@_event
class CallEnded:
    """A call returned or raised.

    Attributes:
        call: The call.
        applied: Whether a write was applied. "unknown" is the last word only if the call has no `parent`.
        attempts: Number of attempts.
        seconds: Time from the beginning of the call, waits included.
        error: Class of the exception; None if the call returned.
    """

    call: CallContext
    applied: Applied
    attempts: int
    seconds: float
    error: str | None = None


@_event
class RowEnded:
    """A row of a bulk run ended; it may have taken several calls.

    Attributes:
        row: Position of the row in the input, from 0.
        applied: Whether the row was applied.
        error: Class of the exception that it ended with; None if there was none in this process.
    """

    row: int
    applied: Applied
    error: str | None = None


Event: TypeAlias = CallStarted | TokenFetched | AttemptStarted | AttemptEnded | Waiting | Settled | CallEnded | RowEnded
"""An event of a call, or of a row of a bulk run."""

EventListener: TypeAlias = Callable[[Event], object]
"""A function that is called with each event, in the thread or task of the call. It must not block."""
