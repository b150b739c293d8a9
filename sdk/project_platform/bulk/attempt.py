"""One attempt of one row, as a flow that sends the row once and returns how that ended; and the meaning of that end for the row.

A row is repeated by the scheduler and not by its call, since a repetition has to pass the journal and the limiter.

| end of an attempt | journal | next |
|---|---|---|
| 429, or not sent | waiting | to the head of the queue; any number of times |
| lost; safe to repeat, or a change whose guard fences | in doubt | sent again, at most five times |
| lost, otherwise, with `settle` and if it can be settled | in doubt | looked at, at most five times |
| lost, otherwise | unknown | never sent again |
| 2xx, also with an unreadable body | yes | |
| 409 in doubt, on a create whose `external_id` is known to be unique | in effect | |
| another 4xx; in doubt | no; unknown | |
| 401, or 403 before any row was applied | waiting, or still in doubt | the run ends with the error |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, cast

from ..calls import flow
from ..calls.commands import Attempt, Flow, GetToken
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
)
from ..records.change import Change
from ..records.settle import apply
from ..settling import settled
from .journal import Intent

ONE_ATTEMPT: Final = RetryPolicy(max_attempts=1, deadline=None)
_UNAUTHORIZED: Final = 401
MAX_LOST: Final = 5  # attempts that are lost before a row that may be repeated is unknown
_MAX_NOTE: Final = 500  # characters of an error in the journal

Kind: TypeAlias = Literal[
    "yes", "in effect", "no", "unknown", "lost", "conflict", "refused", "not sent", "unsent", "forbidden", "stop"
]
"""The end of an attempt: as `applied` has it; or without a clear response ("lost"), with a 409 after a doubt ("conflict"), with 429
("refused"), before it was sent, without having begun ("unsent"), with 403 ("forbidden"), or with an error that ends the run
("stop")."""


UNSENT: Final[frozenset[Kind]] = frozenset({"refused", "not sent", "unsent", "stop"})
"""Ends after which the row is surely not applied, unless it was in doubt before."""


@dataclass(frozen=True)
class Rules:
    """The rules by which a run sends rows and ends.

    Attributes:
        external_id: The effect of a second create with the same `external_id`, as the capabilities have it.
        settle: Whether rows are settled of which it is not known whether they were applied.
        retry_failed: Whether rows that ended with "no" in an earlier run are sent again.
        allow_duplicates: Whether a row may have the `external_id` of an earlier row.
        max_failures: Number of rows that may end with an error before the first is applied, or be refused in the same way one after
            the other; None for no limit.
        stop_on_invalid: Whether a row that cannot be sent ends the run; otherwise it ends as "no".
    """

    external_id: Literal["unique", "upsert", "free"] | None = None
    settle: bool = False
    retry_failed: bool = False
    allow_duplicates: bool = False
    max_failures: int | None = 100
    stop_on_invalid: bool = False


@dataclass(slots=True)
class Sending:
    """A row that is to be sent.

    Attributes:
        row: Position in the input, from 0.
        item: What the user gave.
        call: The call that is sent.
        digest: Of operation, path and body.
        key: What identifies the row for a person.
        external_id: Of the record that the row creates.
        doubt: Whether an earlier attempt may have been applied.
        lost: Number of attempts of this process that were lost.
        started: Time when the attempt began, on the clock of the limiter.
        level: Number of requests in flight then, with this one.
        sent: Whether the attempt may have arrived.
        needs_token: Whether the attempt waits for a token.
    """

    row: int
    item: Call[Any] | Change
    call: Call[Any]
    digest: bytes
    key: str | None = None
    external_id: str | None = None
    doubt: bool = False
    lost: int = 0
    started: float = 0.0
    level: int = 0
    sent: bool = False
    needs_token: bool = False

    @property
    def intent(self) -> Intent:
        """The entry that the journal gets before the row is sent."""
        return Intent(self.row, self.digest, self.key, self.external_id)

    @property
    def settles(self) -> bool:
        """Whether `client.settle` can find out how the row ended. A create is sent again instead; see `Rules.external_id`."""
        return self.call.operation.settle not in {None, "unique"}


@dataclass(slots=True)
class AttemptEnd:
    """The end of an attempt, with the value or the error. From another process, only `ref` and `note` are known of these."""

    kind: Kind
    value: Any = None
    error: BaseException | None = None
    retry_after: float | None = None
    ref: str | None = None
    note: str | None = None

    def described(self) -> tuple[str | None, str | None]:
        """Return the identifier of the record and the error as the journal has them."""
        ref = self.ref if self.value is None else getattr(self.value, "id", None)
        note = self.note if self.error is None else f"{type(self.error).__name__}: {self.error}"[:_MAX_NOTE]
        return ref if isinstance(ref, str) else None, note


def attempt(sending: Sending, project_id: str, settings: Settings, *, settle: bool) -> Flow[AttemptEnd]:
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
            return AttemptEnd(found.applied, found.value)
        if change is not None:
            steps = flow.composed(
                "records.apply", settings, lambda inner: apply(change, project_id, inner, doubt=sending.doubt)
            )
            result = yield from _observed(steps, sending, settings)
            return AttemptEnd("in effect" if result.applied == "in effect" else "yes", result.record)
        response = yield from _observed(flow.call(sending.call, settings, doubt=sending.doubt), sending, settings)
    except PlatformError as error:
        return _end_of(error, sending)
    except Exception as error:  # noqa: BLE001  # of the user's token source, or a defect after the request was sent
        return AttemptEnd("lost" if sending.sent else "stop", error=error)
    return AttemptEnd("yes", response.value)


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


def _end_of(error: PlatformError, sending: Sending) -> AttemptEnd:
    """Return the end of an attempt that raised an error."""
    cause = None
    if isinstance(error, OutcomeUnknownError):
        cause = error.__cause__
        if sending.settles and error.seen is None:
            error.advice = "run the same input again with settle=True"
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
    elif error.attempts and error.attempts[-1].delivery == "lost":
        kind = "lost"
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
    return AttemptEnd(kind, error=error, retry_after=retry_after)


def repeatable(sending: Sending, rules: Rules) -> bool:
    """Return whether a row that may have been applied may be sent again."""
    if isinstance(sending.item, Change):
        return sending.item.fences or rules.settle
    if sending.external_id is not None and rules.external_id in {"unique", "upsert"}:
        return True
    return sending.call.retry == "safe" or (rules.settle and sending.settles)


def applied_of(sending: Sending, kind: Kind, rules: Rules) -> Applied:
    """Return whether a row was applied that is not sent again."""
    if kind in {"yes", "in effect", "no"}:
        return cast("Applied", kind)
    if kind == "forbidden" and not sending.doubt:
        return "no"
    if kind == "lost" and sending.call.operation.effect == "read":
        return "no"
    unique = sending.external_id is not None and rules.external_id == "unique"
    return "in effect" if kind == "conflict" and unique else "unknown"
