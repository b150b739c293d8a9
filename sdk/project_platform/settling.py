"""`client.settle`: one step from a write whose response was lost to its outcome.

A write that is settled is always treated as one that may have been applied. It is sent again only if its guard fences or a
second copy has no effect; otherwise it is looked at, by a request that changes nothing. Where nothing can be looked at, nothing
is sent, and the error is raised again with what a person has to look at.

| `x-sdk.settle` | operation | sent | can end with |
|---|---|---|---|
| record | records.update, apply, save, modify | the table of `records/settle.py` | yes, in effect, unknown; with tokens also no |
| memory | memory.update | an update without fields | in effect, unknown |
| event | calendar.reschedule, if only times change | an update without fields and without notifications | in effect, unknown |
| unique | records.create with an `external_id` that is unique | the same bytes | yes, in effect (409), unknown |
| repeat | engagement.like | the same bytes | yes, unknown |
| none | the other writes | nothing | unknown |
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar, cast
from urllib.parse import unquote

from .calls import flow
from .calls.capabilities import NOTHING_KNOWN, Capabilities
from .calls.commands import Flow
from .calls.flow import Settings
from .calls.operation import AttemptRecord, Call, Settling, TypedResponse
from .errors import (
    BadRequestError,
    ConflictError,
    InDoubtError,
    NotFoundError,
    OutcomeUnknownError,
    PlatformError,
    UnprocessableEntityError,
    UnsuccessfulError,
    UsageError,
)
from .json_values import exact_json
from .json_values.merge import same
from .records.change import Change
from .records.settle import Update, ended_update, looking

T = TypeVar("T")

Settleable: TypeAlias = InDoubtError | Change | Call[Any]
"""The values that `client.settle` takes: the error of a write, or the write itself."""

_MISSING: Final = object()
_REFUSALS: Final = (BadRequestError, NotFoundError, UnprocessableEntityError)
"""The errors of a request that would be refused again."""
_REFUSALS_OF_A_COPY: Final = (*_REFUSALS, ConflictError, UnsuccessfulError)


@dataclass(frozen=True, slots=True)
class SettledWrite(Generic[T]):
    """The outcome of a write whose response was lost. `client.settle` returns it.

    Attributes:
        applied: "yes", or "in effect" if the service is in the state that the write produces and it is not known which write
            produced it.
        repeated: Whether it may have been applied more than once, because the service stores other values than it is sent.
        attempts: The record of each attempt: of the call, and of what settled it.
        operation_id: The operation of the write.
    """

    applied: Literal["yes", "in effect"]
    repeated: bool
    attempts: tuple[AttemptRecord, ...] = field(repr=False)
    _value: Any = field(repr=False)
    operation_id: str = ""

    @property
    def value(self) -> T:
        """The value that the call would have returned, as it is now.

        Raises:
            UsageError: The write is in effect, as the error says, and no operation shows its value.
        """
        if self._value is _MISSING:
            raise UsageError(
                "the write is in effect, and no operation shows what it created; search the platform for it",
                attempts=self.attempts,
                applied=self.applied,
            )
        return cast("T", self._value)


def can_settle(error: BaseException | Change | Call[Any], capabilities: Capabilities = NOTHING_KNOWN) -> bool:
    """Return whether `client.settle` can find out how a write ended.

    Args:
        error: Any exception, or the write itself.
        capabilities: The facts known about the deployment, such as `client.capabilities`.
    """
    subject = error if isinstance(error, Change | Call) else None
    if isinstance(error, InDoubtError) and error.applied == "unknown":
        subject = _subject(error)
    return isinstance(subject, Change) or (subject is not None and capabilities.settling(subject) is not None)


def _subject(error: InDoubtError) -> Change | Call[Any] | None:
    return getattr(error, "change", None) or error.call


def settled(subject: Settleable, settings: Settings) -> Flow[SettledWrite[Any]]:
    """Return how a write ended, or raise why that is not known.

    Args:
        subject: The write, or the error that it ended with.
        settings: The configuration of the client.
    """
    error = subject if isinstance(subject, InDoubtError) else None
    what = _checked(subject, settings)
    settings = settings.started()
    change = what if isinstance(what, Change) else None
    if isinstance(what, Change):
        # The call of an error names the project that the change may leave open.
        sent = error.call if error is not None else None
        update = Update.of(what, what.project_id or "") if sent is None else Update.sent(sent, what)
        call: Call[Any] = update.call
    else:
        call = what
        update = Update.sent(call, deep=settings.capabilities.merges == "deep")
    way = settings.capabilities.settling(call)
    if way is None:
        if error is None:
            raise _unknown(call, settings, "no operation shows whether it was applied", ())
        flow.in_doubt(error, call, settings)
        raise error
    before = error.attempts if error is not None else ()
    try:
        if way == "record":
            ended = yield from ended_update(update, settings, doubt=True, look=True)
            applied = cast("Literal['yes', 'in effect']", ended.applied)
            result: SettledWrite[Any] = SettledWrite(applied, ended.repeated, ended.attempts, ended.record)
        else:
            result = yield from _WAYS[way](call, settings)
    except PlatformError as ended_with:
        failure = ended_with
        if isinstance(failure, UsageError) and failure.applied != "unknown":
            raise
        if failure.applied == "unknown" and not isinstance(failure, OutcomeUnknownError):
            # Such as a token source that failed, which says nothing about the write.
            failure = _unknown(call, settings, f"settling ended with {flow.in_words(failure)}", failure.attempts)
            failure.__cause__ = ended_with
        if isinstance(failure, OutcomeUnknownError):
            failure.change = change
            flow.in_doubt(failure, call, settings)
            # Settling it again would end the same.
            refusals = _REFUSALS_OF_A_COPY if way in {"repeat", "unique"} else _REFUSALS
            if failure.seen is not None or isinstance(failure.__cause__, refusals):
                failure.advice = call.operation.look or "look in the platform whether it was applied"
            elif failure.advice is not None:
                failure.advice = flow.with_token(failure.__cause__, failure.advice)
        if failure is not error:
            failure.attempts = before + failure.attempts
        _report(change, failure.applied)
        raise failure from failure.__cause__
    except BaseException:  # it may have been applied now
        _report(change, "unknown")
        raise
    _report(change, result.applied)
    return replace(result, attempts=before + result.attempts, operation_id=call.operation.id)


def _checked(subject: object, settings: Settings) -> Change | Call[Any]:
    """Return the change or the call to settle.

    Raises:
        UsageError: There is nothing to settle, or this client cannot do it.
    """
    what: object = subject
    if isinstance(subject, PlatformError):
        if subject.applied != "unknown":
            raise UsageError(f"there is nothing to settle: the error says that applied is {subject.applied!r}")
        what = _subject(subject) if isinstance(subject, InDoubtError) else None
        if what is None:
            raise UsageError("the error does not say which write it is of; settle the change or the call instead")
        base_url = getattr(subject, "base_url", None)
        if base_url not in {None, settings.base_url}:
            raise UsageError(
                f"the error is of a call to {base_url}, and this client is for {settings.base_url}; settle it with a client of "
                "that deployment"
            )
    if isinstance(what, Change):
        if what.project_id is None and getattr(subject, "call", None) is None:
            raise UsageError(
                "the change names no project; make it with records.change, or give Change.between a project_id"
            )
        return what
    if not isinstance(what, Call):
        raise UsageError(
            f"{type(what).__name__} cannot be settled; give the error of a write, its Change or its Call, or a typed record to `settle` of its type"
        )
    call: Call[Any] = what  # pyright: ignore[reportUnknownVariableType]  # narrowed from object
    if call.operation.effect == "read":
        raise UsageError(f"{call.operation.id} only reads, so there is nothing to settle; call it again")
    return call


def _report(change: Change | None, applied: Any) -> None:
    if change is not None:
        change.ended(applied)


def _again(call: Call[Any], settings: Settings) -> Flow[SettledWrite[Any]]:
    """Send the same bytes, of which a second copy has no effect."""
    try:
        response = yield from flow.call(call, settings, doubt=True)
    except OutcomeUnknownError as unknown:
        if call.operation.settle == "unique" and isinstance(unknown.__cause__, ConflictError):
            return SettledWrite("in effect", False, unknown.attempts, _MISSING)
        raise
    return SettledWrite("yes", False, response.attempts, response.value)


def _memory(call: Call[Any], settings: Settings) -> Flow[SettledWrite[Any]]:
    """Look at a memory entry by an update without fields."""
    look = yield from _look(call, {}, settings)
    entry, shown = look.value, exact_json.loads(look.response.body)["entry"]  # a model does not tell null from missing
    if getattr(entry, "slug", slug := _last(call)) != slug:
        raise _unknown(call, settings, f"the response is of the entry {entry.slug}", look.attempts)
    if all(name in shown and same(shown[name], value) for name, value in _body(call).items()):
        return SettledWrite("in effect", False, look.attempts, entry)
    raise _unknown(call, settings, "the entry has other values than the update gives it", look.attempts, entry)


def _event(call: Call[Any], settings: Settings) -> Flow[SettledWrite[Any]]:
    """Look at the times of an event by an update without fields and without notifications."""
    given = _body(call)
    quiet = {"notifyAttendees": False, "conflictCheck": False}
    look = yield from _look(call, quiet | {key: given[key] for key in ("calendarId",) if key in given}, settings)
    event = look.value
    if getattr(event, "booking_uid", uid := _last(call)) != uid:
        why = f"the response is of the event {event.booking_uid}"
    elif not _has_times(event, given):
        why = "the event is at another time than the update gives it"
    else:
        return SettledWrite("in effect", False, look.attempts, event)
    raise _unknown(call, settings, why, look.attempts, event)


def _has_times(event: Any, given: Mapping[str, Any]) -> bool:
    """Return whether an event has the times of an update, which has at least one."""
    start, end = _moment(getattr(event, "start", None)), _moment(getattr(event, "end", None))
    if start is None or end is None:
        return False
    if "start" in given and _moment(given["start"]) != start:
        return False
    if "end" in given:
        return _moment(given["end"]) == end
    return "durationMinutes" not in given or end - start == datetime.timedelta(minutes=given["durationMinutes"])


def _moment(text: Any) -> datetime.datetime | None:
    """Return the point in time of a timestamp, None if it does not name one."""
    try:
        moment = datetime.datetime.fromisoformat(text)
        return None if moment.tzinfo is None else moment.astimezone(datetime.UTC)
    except (ValueError, OverflowError, TypeError):
        return None


def _look(call: Call[Any], body: Mapping[str, Any], settings: Settings) -> Flow[TypedResponse[Any]]:
    """Send the same operation with a body that changes nothing."""
    operation = replace(call.operation, retry="safe", effect="read")
    look = replace(call, operation=operation, body=exact_json.dumps(body), result_id=None)
    try:
        with looking(call.operation.id, "the write"):
            return (yield from flow.call(look, settings))
    except PlatformError as failure:
        raise _unknown(call, settings, f"the look ended with {flow.in_words(failure)}", failure.attempts) from failure


def _last(call: Call[Any]) -> str:
    """Return the last part of the path: what the call is about."""
    return unquote(call.path.rpartition("/")[2])


def _body(call: Call[Any]) -> dict[str, Any]:
    body: dict[str, Any] = exact_json.loads(call.body or b"{}")
    return body


def _unknown(
    call: Call[Any], settings: Settings, why: str, attempts: tuple[AttemptRecord, ...], seen: Any = None
) -> OutcomeUnknownError:
    unknown = OutcomeUnknownError(why, operation_id=call.operation.id, attempts=attempts, applied="unknown")
    flow.in_doubt(unknown, call, settings)
    unknown.seen = seen
    return unknown


_WAYS: Final[Mapping[Settling, Callable[[Call[Any], Settings], Flow[SettledWrite[Any]]]]] = {
    "memory": _memory,
    "event": _event,
    "repeat": _again,
    "unique": _again,
}
