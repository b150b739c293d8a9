"""The flow that changes a record again on a newer snapshot after a conflict, and the sources of such a snapshot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias

from .._generated.models.records import ObjectRecord
from ..calls.commands import Callback, Flow
from ..calls.flow import Settings
from ..errors import GuardNeverHoldsError, PlatformError, StalePreconditionError, UsageError
from .change import Change
from .conflict import ConflictReport
from .settle import ChangeResult, apply, noted, read_record

Refresh: TypeAlias = "Literal['never', 'noop'] | Callable[[ObjectRecord], ObjectRecord | Awaitable[ObjectRecord]]"
"""The source of a newer snapshot: none, an update that changes nothing, or a function of the user."""


def modify(
    record: ObjectRecord,
    change_of: Callable[[ObjectRecord], Flow[Change]],
    project_id: str,
    settings: Settings,
    *,
    max_snapshots: int,
    refresh: Refresh,
) -> Flow[ChangeResult | ObjectRecord]:
    """Apply the change that a function makes of a record, again on a newer snapshot after a conflict.

    It never looks whether a change was applied: a change of the same snapshot by someone else may set the same values.

    Args:
        record: The record as it was read last.
        change_of: Returns the change of a snapshot; it is called once for each.
        project_id: The project of the record.
        settings: The configuration of the client.
        max_snapshots: Maximum number of snapshots to change, the given record included.
        refresh: The source of a newer snapshot after a conflict.

    Returns:
        The result of the change; or the snapshot if there was nothing to change.
    """
    settings = settings.started()  # all rounds have one deadline
    for left in reversed(range(max_snapshots)):
        try:
            change = yield from change_of(record)
            if not change:
                return record
            try:
                return (yield from apply(change, project_id, settings))
            except StalePreconditionError as error:
                record = yield from next_snapshot(record, error, project_id, settings, refresh=refresh, last=not left)
        except Exception:
            raise
        except BaseException as interruption:
            interruption.add_note(f"modify was interrupted; no earlier change of record {record.id} was applied")
            raise
    raise AssertionError  # the last snapshot returned or raised


def check_refresh(refresh: object) -> None:
    """Raise `UsageError` unless a value is a source of newer snapshots."""
    if refresh not in {"never", "noop"} and not callable(refresh):
        raise UsageError(f'refresh is {refresh!r}; give "never", "noop" or a function of the old record')


def check_max_snapshots(max_snapshots: object) -> None:
    """Raise `UsageError` unless a value is a number of snapshots."""
    if not isinstance(max_snapshots, int) or isinstance(max_snapshots, bool) or max_snapshots < 1:
        raise UsageError(
            f"max_snapshots is {max_snapshots!r}; give a whole number from 1: it counts the given record, so 1 never "
            "tries again"
        )


def call_back(function: Callable[[], Any], settings: Settings) -> Flow[Any]:
    """Call a function of the user, which may be asynchronous."""
    with noted("a function given to modify was interrupted; no request was in progress"):
        return (yield Callback(function, settings.left()))


def next_snapshot(
    record: ObjectRecord,
    ended: StalePreconditionError,
    project_id: str,
    settings: Settings,
    *,
    refresh: Refresh,
    last: bool,
) -> Flow[ObjectRecord]:
    """Return a newer snapshot, or raise the conflict of the last one, with a report if a newer snapshot was read."""
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
            response = yield from read_record(record.id, project_id, settings)
        except PlatformError as failure:
            # The outcome of the change is known already; the failed read adds only its attempts.
            error.attempts += failure.attempts
            raise error from failure
        if not hasattr(response.value, "data"):
            error.attempts += response.attempts
            error.add_note("the record was read again, and the response has no data to make a newer change from")
            raise error
        # The response may leave the identifier out; the next change needs it.
        return response.value.model_copy(update={"id": record.id})
    try:
        fresh = yield from call_back(lambda: refresh(record), settings)
    except UsageError:
        raise
    except Exception as failure:
        # As above; an error of the SDK would be taken for one of the change.
        raise error from failure
    if not isinstance(fresh, ObjectRecord) or getattr(fresh, "id", None) != record.id:
        raise UsageError(
            f"refresh returned a {type(fresh).__name__}, not record {record.id}; return a newer state of that record"
        ) from error
    if not hasattr(fresh, "data"):
        raise UsageError(f"refresh returned record {record.id} without data; return a record with data") from error
    return fresh
