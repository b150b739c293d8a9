"""The flow that changes a record by a function, again on a newer snapshot after a conflict."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeAlias

from .._generated.models.object_record import ObjectRecord
from ..calls.commands import Callback, Flow
from ..calls.flow import Settings
from ..errors import (
    GuardNeverHoldsError,
    OutcomeUnknownError,
    PlatformError,
    StalePreconditionError,
    UsageError,
)
from ..json_values import exact_json
from ..json_values.exact_json import is_object
from .change import Change, known_data
from .conflict import ConflictReport
from .options import DEFAULT_CHANGE_OPTIONS, ChangeOptions
from .settle import ChangeResult, apply, noted, read_record

Edit: TypeAlias = "Callable[[dict[str, Any]], Mapping[str, Any] | Awaitable[Mapping[str, Any] | None] | None]"
"""A function that changes a record's data in place, or returns new data. It may be called more than once."""

Refresh: TypeAlias = "Literal['never', 'noop'] | Callable[[ObjectRecord], ObjectRecord | Awaitable[ObjectRecord]]"
"""The source of a newer snapshot: none, an update that changes nothing, or a function of the user."""


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
    settings = settings.started()  # all rounds have one deadline
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
        except BaseException as interruption:
            earlier = "it is not known whether an earlier change" if doubt is not None else "no earlier change"
            interruption.add_note(f"records.modify was interrupted; {earlier} of record {record.id} was applied")
            raise
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
    draft = exact_json.plain(known_data(record), "data")
    returned = yield from _call_back(lambda: edit(draft), settings)
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


def _call_back(function: Callable[[], Any], settings: Settings) -> Flow[Any]:
    with noted("a function given to records.modify was interrupted; no request was in progress"):
        return (yield Callback(function, settings.left()))


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
            answer = yield from read_record(record.id, project_id, settings)
        except PlatformError as failure:
            # The outcome of the change is known already; the failed read adds only its attempts.
            error.attempts += failure.attempts
            raise error from failure
        if not hasattr(answer.value, "data"):
            error.attempts += answer.attempts
            error.add_note("the record was read again, and the answer has no data to make a newer change from")
            raise error
        # The answer may leave the identifier out; the next change needs it.
        return answer.value.model_copy(update={"id": record.id})
    fresh = yield from _call_back(lambda: refresh(record), settings)
    if not isinstance(fresh, ObjectRecord) or getattr(fresh, "id", None) != record.id:
        raise UsageError(
            f"refresh returned a {type(fresh).__name__}, not record {record.id}; return a newer state of that record"
        ) from error
    if not hasattr(fresh, "data"):
        raise UsageError(f"refresh returned record {record.id} without data; return a record with data") from error
    return fresh
