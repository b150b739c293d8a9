"""One attempt of one row, as a flow that sends the row once and returns how that ended; and the meaning of that end for the row.

A row is repeated by the scheduler and not by its call, since a repetition has to pass the journal and the limiter.

| end of an attempt | journal | next |
|---|---|---|
| 429, or not sent | waiting | to the head of the queue; any number of times |
| lost; safe to repeat, or a change whose guard fences | in doubt | sent again, at most five times |
| lost, otherwise, with `settle` and if it can be settled | in doubt | looked at, at most five times |
| lost, otherwise | unknown | never sent again |
| 2xx, also with an unreadable body, unless the row only reads | yes | |
| 409 in doubt, on a create whose `external_id` is known to be unique | in effect | |
| another 4xx; in doubt | no; unknown | |
| 401, or 403 before any row was applied | waiting, or still in doubt | the run ends with the error |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast

from ..calls import flow
from ..calls.commands import Attempt, Flow, GetToken
from ..calls.fate import shortfalls
from ..calls.flow import Settings
from ..calls.operation import Applied, Call, Response
from ..calls.retry import RetryPolicy
from ..errors import (
    AuthenticationError,
    ConflictError,
    NotSentError,
    OutcomeUnknownError,
    PermissionDeniedError,
    PlatformError,
    RateLimitError,
    ServerError,
    StalePreconditionError,
    TransportError,
    UsageError,
)
from ..records.change import Change
from ..records.options import check_flag
from ..records.settle import apply
from ..settling import settled
from .journal import End, Intent, Kind

ONE_ATTEMPT: Final = RetryPolicy(max_attempts=1, deadline=None)
_UNAUTHORIZED: Final = 401
MAX_LOST: Final = 5  # attempts that are lost before a row that may be repeated is unknown

UNSENT: Final[frozenset[Kind]] = frozenset({"refused", "not sent", "unsent", "stop"})
"""Ends after which the row is surely not applied, unless it was in doubt before."""


@dataclass(frozen=True)
class BulkOptions:
    """The options of a run, as `project.bulk` documents them; and what the capabilities say about a second `external_id`."""

    settle: bool = False
    retry_failed: bool = False
    allow_duplicates: bool = False
    max_failures: int | None = 100
    stop_on_invalid: bool = False
    most: int | None = None
    progress: bool | None = None
    external_id: Literal["unique", "upsert", "free"] | None = None

    def __post_init__(self) -> None:
        for name in ("settle", "retry_failed", "allow_duplicates", "stop_on_invalid"):
            check_flag(name, getattr(self, name))
        if self.progress is not None:
            check_flag("progress", self.progress)
        for name, what in (("max_failures", "for no limit"), ("most", "for as many as the transport has connections")):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise UsageError(f"{name} is {value!r}; give 1 or more, or None {what}")


@dataclass(slots=True, kw_only=True)
class Sending(Intent):
    """A row that is to be sent."""

    item: Call[Any] | Change  # what the user gave
    call: Call[Any]
    doubt: bool = False  # whether an earlier attempt may have been applied
    lost: int = 0  # attempts of this process that were lost
    started: float = 0.0  # time when the attempt began, on the clock of the limiter
    level: int = 0  # requests in flight then, with this one
    sent: bool = False  # whether the attempt may have arrived
    needs_token: bool = False  # whether the attempt waits for a token

    @property
    def settles(self) -> bool:
        """Whether `client.settle` can find out how the row ended. A create is sent again instead; see `BulkOptions.external_id`."""
        return self.call.operation.settle not in {None, "unique"}


def attempt(sending: Sending, project_id: str, settings: Settings, *, settle: bool) -> Flow[End]:
    """Send a row once and return how that ended.

    Args:
        sending: The row.
        project_id: The project of the run.
        settings: The configuration of the client, with one attempt.
        settle: Whether a row that may have been applied is settled, as by `client.settle`.
    """
    sending.sent = sending.needs_token = False
    item = sending.item
    change = item if isinstance(item, Change) else None
    try:
        if settle and sending.doubt and sending.settles:
            subject = item if change is None else replace(change, project_id=project_id)
            found = yield from _observed(
                flow.composed("client.settle", settings, lambda inner: settled(subject, inner), doubt=True),
                sending,
                settings,
            )
            return End(found.applied, found.value)
        if change is not None:
            steps = flow.composed(
                "records.apply", settings, lambda inner: apply(change, project_id, inner, doubt=sending.doubt)
            )
            result = yield from _observed(steps, sending, settings)
            return End("in effect" if result.applied == "in effect" else "yes", result.record)
        response = yield from _observed(flow.call(sending.call, settings, doubt=sending.doubt), sending, settings)
    except PlatformError as error:
        return _end_of(error, sending)
    except Exception as error:  # noqa: BLE001  # of the user's token source, or a defect after the request was sent
        return End("lost" if sending.sent else "stop", error=error)
    return End("yes", response.value, note="; ".join(shortfalls(response.value)) or None)


def _observed(steps: Flow[Any], sending: Sending, settings: Settings) -> Flow[Any]:
    """Run a flow, and record in the row what of it may have been sent."""
    if settings.token is not None:  # no token source, which may fail before anything is sent
        sending.sent = True
        return (yield from steps)
    try:
        command = next(steps)
        while True:
            before = sending.sent
            if isinstance(command, Attempt):
                sending.sent = True
            sending.needs_token = isinstance(command, GetToken)
            try:
                result = yield command
            except BaseException as error:  # noqa: BLE001  # the flow decides what it means
                command = steps.throw(error)
                continue
            sending.needs_token = False
            if isinstance(result, Response) and result.status == _UNAUTHORIZED:
                sending.sent = before  # it was refused, so a token that cannot be renewed leaves no doubt
            command = steps.send(result)
    except StopIteration as done:
        return done.value


def _end_of(error: PlatformError, sending: Sending) -> End:
    """Return the end of an attempt that raised an error."""
    cause, is_read = None, sending.call.operation.effect == "read"
    if isinstance(error, OutcomeUnknownError):
        cause = error.__cause__
        if sending.settles and error.advice != sending.call.operation.look:
            error.advice = flow.with_token(cause, "run the same input again with settle=True or --settle")
    last = cause if isinstance(cause, PlatformError) else error
    retry_after = getattr(last, "retry_after", None)
    if isinstance(last, RateLimitError):
        kind: Kind = "refused"
    elif sending.needs_token:
        # A token service that is away is like a service that is away; any other failure would be that of every row.
        kind = "not sent" if isinstance(last, TransportError | ServerError) else "stop"
    elif isinstance(last, AuthenticationError):
        kind = "stop"
    elif isinstance(last, NotSentError):
        kind = "not sent"
    elif (error.attempts and error.attempts[-1].delivery == "lost") or (is_read and error.applied == "yes"):
        kind = "lost"  # a read whose response cannot be read has no result, so it is not done
    elif isinstance(last, PermissionDeniedError):
        kind = "forbidden"
    elif sending.doubt and isinstance(last, ConflictError) and error.applied == "unknown":
        kind = "conflict"
    elif error.applied == "yes":
        kind = "yes"
    elif error.applied == "no" and (not sending.doubt or isinstance(error, StalePreconditionError)):
        kind = "no"
    else:
        kind = "unknown"
    return End(kind, error=error, retry_after=retry_after)


def repeatable(sending: Sending, options: BulkOptions) -> bool:
    """Return whether a row that may have been applied may be sent again."""
    if isinstance(sending.item, Change):
        return sending.item.fences or options.settle
    if sending.external_id is not None and options.external_id in {"unique", "upsert"}:
        return True
    return sending.call.retry == "safe" or (options.settle and sending.settles)


def applied_of(sending: Sending, kind: Kind, options: BulkOptions) -> Applied:
    """Return whether a row was applied that is not sent again."""
    if kind in {"yes", "in effect", "no"}:
        return cast("Applied", kind)
    if kind == "forbidden" and not sending.doubt:
        return "no"
    if kind == "lost" and sending.call.operation.effect == "read":
        return "no"
    unique = sending.external_id is not None and options.external_id == "unique"
    return "in effect" if kind == "conflict" and unique else "unknown"
