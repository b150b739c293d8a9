"""Flows that settle a lost answer: `apply` applies one change, `modify` changes a record by a function.

| doubt | fences | answer | verdict |
|---|---|---|---|
| no | any | 2xx / 409 | yes / no (StalePreconditionError) |
| any | any | 2xx, cut off | yes (DecodingError); never sent again |
| any | any | not sent, 429 | retry |
| any | any | lost | doubt; the same bytes again if the guard fences or `resend=True`, else unknown |
| no / yes | any | other 4xx | no / unknown |
| yes | yes | 2xx | yes, once |
| yes | no | 2xx | yes, `repeated=True` (only with `resend=True`) |
| yes | any | 409, no probe | unknown, never a plain conflict |
| yes | any | 409, probe 2xx, the record has the values of the patch | in effect |
| yes | any | 409, probe 2xx, with tokens: ring has ours / has another instead / has neither, or late start | yes / no / unknown |
| yes | any | 409, probe 2xx in part, 409, 404, refused, lost | unknown, with the record that was seen |
| attempts spent | any | | unknown if in doubt, else no |

All of this but the probe is the behaviour of any call (`flow.py`): a change is an update whose guard is known.
"""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, TypeVar

from .._generated.models.object_record import ObjectRecord
from .._generated.operations import records_update
from ..calls import flow
from ..calls.flow import Callback, Flow, Settings
from ..calls.operation import UNSET, Answer, Applied, AttemptRecord, Call, Response
from ..errors import (
    DecodingError,
    GuardNeverHoldsError,
    MergeMismatchError,
    OutcomeUnknownError,
    PlatformError,
    StalePreconditionError,
    UsageError,
)
from ..json_values.exact_json import is_object
from ..json_values.merge import without_nulls
from .change import Change, known_data, plain
from .conflict import ConflictReport
from .options import DEFAULT_CHANGE_OPTIONS, ChangeOptions

T = TypeVar("T")

Edit: TypeAlias = "Callable[[dict[str, Any]], Mapping[str, Any] | Awaitable[Mapping[str, Any] | None] | None]"
"""A function that changes a record's data in place, or returns new data. It may be called more than once."""

Refresh: TypeAlias = "Literal['never', 'noop'] | Callable[[ObjectRecord], ObjectRecord | Awaitable[ObjectRecord]]"
"""The source of a newer snapshot: none, an update that changes nothing, or a function of the user."""


@dataclass(frozen=True, slots=True)
class ChangeResult:
    """The result of applying a change.

    Attributes:
        applied: "yes", or "in effect" if the record has the values of the change and it is not known which write set
            them.
        record: The record as the service returned it.
        repeated: Whether the change may have been applied more than once: it was sent again though its guard does not
            fence (`resend=True`).
        attempts: The record of each attempt, probes included.
        change: The change.
    """

    applied: Applied
    record: ObjectRecord
    repeated: bool
    attempts: tuple[AttemptRecord, ...]
    change: Change


def apply(
    change: Change,
    project_id: str,
    settings: Settings,
    *,
    probe: bool = False,
    resend: bool = False,
    verify_merge: bool = False,
) -> Flow[ChangeResult]:
    """Apply a change and return what became of it, also when answers are lost.

    Args:
        change: The change.
        project_id: The project of the record.
        settings: The configuration of the client.
        probe: Whether to look into a lost answer that a conflict follows, by an update that changes nothing.
        resend: Whether the change may be sent again after a lost answer though its guard does not fence.
        verify_merge: Whether a record that differs from the prediction, or has no data, is an error; otherwise it is a
            warning.
    """
    if not change:
        raise UsageError("the change is empty; check it with `if change:` before you apply it")
    if change.project_id not in {None, project_id}:
        raise UsageError(
            f"the change belongs to project {change.project_id}; apply it there, not in project {project_id}"
        )
    call = _update(change, project_id)
    if resend:
        call = replace(call, fences=True)
    try:
        answer = yield from flow.call(call, settings)
    except StalePreconditionError as error:
        error.change = change
        raise
    except OutcomeUnknownError as unknown:
        unknown.change = change
        if not isinstance(unknown.__cause__, StalePreconditionError) or not (probe or change.tokens):
            raise
        return (yield from _probe(change, project_id, settings, unknown))
    result = ChangeResult("yes", answer.value, _repeated(change, answer.attempts), answer.attempts, change)
    _compare(result, answer.response, verify_merge=verify_merge)
    return result


def _update(change: Change, project_id: str) -> Call[ObjectRecord]:
    guard = change.guard
    return records_update.call(
        project_id,
        change.record_id,
        data=change.patch,
        expected_data=guard or UNSET,
        expected_status=change.expected_status if change.expected_status is not None else UNSET,
    )


def _read(
    record_id: str, project_id: str, settings: Settings, expected: Mapping[str, Any] | None = None
) -> Flow[Answer[ObjectRecord]]:
    """Read a record by an update that changes nothing, provided that its data contains `expected`.

    The specification has no operation that reads a record, and does not say what else such an update does.
    """
    call = records_update.call(project_id, record_id, data={}, expected_data=expected or UNSET)
    return (yield from flow.call(replace(call, operation=replace(call.operation, retry="safe")), settings))


def _probe(change: Change, project_id: str, settings: Settings, unknown: OutcomeUnknownError) -> Flow[ChangeResult]:
    """Return the result of a change whose answer was lost, from its record; raise the error again if it stays unknown."""
    set_by_us = None if change.tokens else without_nulls(change.patch)
    try:
        answer = yield from _read(change.record_id, project_id, settings, set_by_us)
    except PlatformError as failure:
        unknown.attempts += failure.attempts
        raise unknown from failure
    record, attempts = answer.value, unknown.attempts + answer.attempts
    verdict = _verdict(change, record)
    if verdict == "no":
        stale = StalePreconditionError(
            "another change was applied first; this one was not applied, and cannot be any more",
            status=409,
            operation_id=unknown.operation_id,
            attempts=attempts,
            applied="no",
        )
        stale.change = change
        stale.report = ConflictReport.of(change, record.data)
        raise stale from unknown
    if verdict == "unknown":
        unknown.seen, unknown.attempts = record, attempts
        raise unknown
    return ChangeResult(verdict, record, _repeated(change, unknown.attempts), attempts, change)


def _verdict(change: Change, record: ObjectRecord) -> Applied:
    """Return whether a change was applied, from its record as a probe returned it."""
    if not hasattr(record, "data"):
        return "unknown"
    if change.tokens is not None:
        return change.tokens.verdict(change, record.data)
    return "in effect" if change.holds_in(record.data) else "unknown"


def _repeated(change: Change, attempts: tuple[AttemptRecord, ...]) -> bool:
    """Return whether more than one attempt may have been applied, since the guard does not fence."""
    return not change.fences and sum(attempt.delivery in {"lost", "applied"} for attempt in attempts) > 1


def _compare(result: ChangeResult, response: Response, *, verify_merge: bool) -> None:
    """Compare the record with the prediction of the change, to detect a service that merges in another way.

    Only the answer to the change itself can be compared: a record that is read later may have changes of others.
    """
    change, record = result.change, result.record
    has_data = hasattr(record, "data")
    if has_data and change.may_result_in(record.data):
        return
    if has_data:
        message = (
            f"record {change.record_id} differs from what the change predicts: the service merges in another way than "
            f'merge="{change.merge}" says'
        )
    else:
        message = (
            f"the change of record {change.record_id} was applied, and the answer has no data to compare with its "
            "prediction"
        )
    if not verify_merge:
        warnings.warn(message, stacklevel=2)
        return
    call: dict[str, Any] = {"operation_id": records_update.OPERATION.id, "attempts": result.attempts, "applied": "yes"}
    if has_data:
        raise MergeMismatchError(message, change=change, record=record, **call)
    raise DecodingError(message, status=response.status, body=response.body, **call)


def modify(
    record: ObjectRecord,
    edit: Edit,
    project_id: str,
    settings: Settings,
    *,
    max_snapshots: int = 5,
    refresh: Refresh = "never",
    replay_safe: bool = False,
    change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
) -> Flow[ObjectRecord]:
    """Call a function on the record's data and apply the difference, again on a newer snapshot after a conflict.

    Args:
        record: The record as it was read last; no operation reads it.
        edit: Changes the data that it is given, or returns new data; it is called once for each snapshot.
        project_id: The project of the record.
        settings: The configuration of the client.
        max_snapshots: Maximum number of snapshots to change, the given record included.
        refresh: The source of a newer snapshot after a conflict.
        replay_safe: Whether the function may be called again when it is not known whether its last change was applied.
        change_options: How the changes are made. A `probe` that is left out is False.
    """
    _check_max_snapshots(max_snapshots)
    _check_refresh(refresh)
    doubt: OutcomeUnknownError | None = None
    for left in reversed(range(max_snapshots)):
        try:
            ended = yield from _round(record, edit, project_id, settings, change_options)
            if ended is None:
                return record
            if isinstance(ended, ChangeResult):
                return ended.record
            if isinstance(ended, OutcomeUnknownError):
                ended.attempts = (doubt.attempts if doubt is not None else ()) + ended.attempts
                doubt = ended
            record = yield from _next_snapshot(
                record, ended, project_id, settings, refresh=refresh, replay_safe=replay_safe, last=not left
            )
        except Exception as failure:
            if doubt is None or failure is doubt:
                raise
            # An earlier change may have been applied: however this one ended, the outcome stays unknown.
            if isinstance(failure, PlatformError):
                doubt.attempts += failure.attempts
            raise doubt from failure
    raise AssertionError  # the last snapshot returned or raised


def _check_max_snapshots(max_snapshots: object) -> None:
    if not isinstance(max_snapshots, int) or isinstance(max_snapshots, bool) or max_snapshots < 1:
        raise UsageError(
            f"max_snapshots is {max_snapshots!r}; give a whole number from 1: it counts the given record, so 1 never "
            "tries again"
        )


def _check_refresh(refresh: object) -> None:
    if refresh not in {"never", "noop"} and not callable(refresh):
        raise UsageError(f'refresh is {refresh!r}; give "never", "noop" or a function of the old record')


def _round(
    record: ObjectRecord,
    edit: Edit,
    project_id: str,
    settings: Settings,
    change_options: ChangeOptions,
) -> Flow[ChangeResult | StalePreconditionError | OutcomeUnknownError | None]:
    """Call the function on one snapshot and apply the difference; return how that ended, None if there is none."""
    draft = plain(known_data(record), "data")
    returned = yield Callback(lambda: edit(draft))
    after = draft if returned is None else returned
    if not is_object(after):
        raise UsageError(
            f"the function returned a {type(after).__name__}; change the data that it is given, or return new data as a dict"
        )
    change = Change.between(record, after, change_options=change_options, project_id=project_id)
    if not change:
        return None
    try:
        return (yield from apply(change, project_id, settings, probe=bool(change.probe)))
    except (StalePreconditionError, OutcomeUnknownError) as error:
        return error


def _next_snapshot(
    record: ObjectRecord,
    ended: StalePreconditionError | OutcomeUnknownError,
    project_id: str,
    settings: Settings,
    *,
    refresh: Refresh,
    replay_safe: bool,
    last: bool,
) -> Flow[ObjectRecord]:
    """Return a newer snapshot, or raise the error of the last one, with a report if a newer snapshot was read."""
    if isinstance(ended, OutcomeUnknownError):
        if not replay_safe or last:
            raise ended
        return (yield from _fresher(record, project_id, settings, refresh, ended))
    change = ended.change
    assert change is not None
    fresh = yield from _fresher(record, project_id, settings, refresh, ended)
    ended.report = ConflictReport.of(change, fresh.data)
    if change.guard_holds_in(fresh) and ended.__cause__ is None:
        raise GuardNeverHoldsError(
            "the service refused the guard as stale, and the refreshed record meets it: either the service does not compare "
            "by JSON containment, or the record that refresh returned is older than the conflict",
            change=change,
            record=fresh,
            operation_id=ended.operation_id,
            attempts=ended.attempts,
        ) from ended
    if last:  # the snapshot is for the report only
        raise ended
    return fresh


def _fresher(
    record: ObjectRecord, project_id: str, settings: Settings, refresh: Refresh, error: PlatformError
) -> Flow[ObjectRecord]:
    """Return a newer snapshot of a record, or raise the error if there is none."""
    if refresh == "never":
        raise error
    if refresh == "noop":
        try:
            answer = yield from _read(record.id, project_id, settings)
        except PlatformError as failure:
            # The outcome of the change is known already; the failed read adds only its attempts.
            error.attempts += failure.attempts
            raise error from failure
        if not hasattr(answer.value, "data"):
            error.attempts += answer.attempts
            error.add_note("the record was read again, and the answer has no data to make a newer change from")
            raise error
        return answer.value
    fresh = yield Callback(lambda: refresh(record))
    if not isinstance(fresh, ObjectRecord) or getattr(fresh, "id", None) != record.id:
        raise UsageError(
            f"refresh returned a {type(fresh).__name__}, not record {record.id}; return a newer state of that record"
        ) from error
    if not hasattr(fresh, "data"):
        raise UsageError(f"refresh returned record {record.id} without data; return a record with data") from error
    return fresh
