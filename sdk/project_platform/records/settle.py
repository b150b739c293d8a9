"""The flow that applies one change and settles a lost answer.

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
| yes | any | 409, probe 2xx, with tokens: ring has ours / has another instead / has neither, or is not sealed | yes / no / unknown |
| yes | any | 409, probe 2xx in part, 409, 404, refused, lost | unknown, with the record that was seen |
| any | any | 2xx with another record, or with a ring that has another change instead | as 409 in doubt |
| attempts spent | any | | unknown if in doubt, else no |

All of this but the probe is the behaviour of any call (`flow.py`): a change is an update whose guard is known.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._generated.models.object_record import ObjectRecord
from .._generated.operations import records_update
from ..calls import flow
from ..calls.commands import Flow
from ..calls.decoding import has_id
from ..calls.flow import Settings
from ..calls.operation import UNSET, Answer, Applied, AttemptRecord, Call, Response
from ..errors import (
    DecodingError,
    MergeMismatchError,
    OutcomeUnknownError,
    PlatformError,
    StalePreconditionError,
    UsageError,
)
from ..frames.tabular import Tabular
from ..json_values.containment import contains
from ..json_values.merge import without_nulls
from .change import Change
from .conflict import ConflictReport


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A result of applying a change, as a row of a table."""

    record_id: str
    applied: str
    repeated: bool
    attempts: int
    request_id: str | None
    patch: dict[str, Any]
    guard: dict[str, Any] | None
    fences: bool
    status: str | None
    data: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class ChangeResult(Tabular):
    """The result of applying a change; as a table, one row.

    To make one table of many results, concatenate theirs.

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

    def _rows(self) -> tuple[Sequence[ChangeRow], type]:
        row = ChangeRow(
            record_id=self.change.record_id,
            applied=self.applied,
            repeated=self.repeated,
            attempts=len(self.attempts),
            request_id=self.attempts[-1].request_id if self.attempts else None,
            patch=self.change.patch,
            guard=self.change.guard,
            fences=self.change.fences,
            status=getattr(self.record, "status", None),
            data=getattr(self.record, "data", None),
        )
        return [row], ChangeRow


def apply(
    change: Change,
    project_id: str,
    settings: Settings,
    *,
    probe: bool = False,
    resend: bool = False,
    verify_merge: bool = False,
    doubt: bool = False,
) -> Flow[ChangeResult]:
    """Apply a change and return what became of it, also when answers are lost.

    Args:
        change: The change.
        project_id: The project of the record.
        settings: The configuration of the client.
        probe: Whether to look into a lost answer that a conflict follows, by an update that changes nothing.
        resend: Whether the change may be sent again after a lost answer though its guard does not fence.
        verify_merge: Whether a record that differs from the prediction, or has no data, is an error; otherwise it is a
            warning, unless warnings are errors.
        doubt: Whether the change may have been applied before.
    """
    if not change:
        raise UsageError("the change is empty; check it with `if change:` before you apply it")
    if change.project_id not in {None, project_id}:
        raise UsageError(
            f"the change belongs to project {change.project_id}; apply it there, not in project {project_id}"
        )
    if doubt and not (resend or change.fences):
        raise UsageError(
            "the change may have been applied before, and its guard does not fence, so it could be applied twice; give "
            "resend=True if that has the same effect, or make a new change of a newer record",
            applied="unknown",
        )
    settings = settings.started()  # the update, its repetitions and the probe have one deadline
    # Another record in the answer is looked into below, with the change.
    call = replace(update_call(change, project_id), fences=resend or change.fences, answers=None)
    try:
        answer = yield from flow.call(call, settings, doubt=doubt)
    except StalePreconditionError as error:
        error.change = change
        raise
    except OutcomeUnknownError as unknown:
        unknown.change = change
        if not isinstance(unknown.__cause__, StalePreconditionError) or not (probe or change.tokens):
            raise
        return (yield from _probe(change, project_id, settings, unknown, doubt=doubt))
    except PlatformError as failure:
        if not doubt or failure.applied == "yes":
            raise
        # This attempt was not sent, which says nothing about the earlier one.
        raise _unknown(change, "an earlier attempt may have been applied", failure.attempts) from failure
    contradiction = _contradiction(change, answer.value)
    if contradiction is not None:
        unclear = _unknown(change, f"the answer is {answer.status}, and {contradiction}", answer.attempts)
        unclear.seen = answer.value
        if not (probe or change.tokens):
            raise unclear
        return (yield from _probe(change, project_id, settings, unclear, doubt=doubt))
    with noted(f"the change of record {change.record_id} was applied"):
        repeated = _repeated(change, answer.value, answer.attempts, doubt=doubt)
        result = ChangeResult("yes", answer.value, repeated, answer.attempts, change)
        _compare(result, answer.response, verify_merge=verify_merge)
        return result


@contextlib.contextmanager
def noted(note: str) -> Generator[None]:
    """Add a note to an interruption, such as Ctrl+C or the end of a cancelled task."""
    try:
        yield
    except (Exception, GeneratorExit):
        raise
    except BaseException as interruption:
        interruption.add_note(note)
        raise


def _contradiction(change: Change, record: ObjectRecord) -> str | None:
    """Return what in the answer to a change contradicts that it was applied, None if nothing does."""
    if not has_id(record, change.record_id):
        return f"its record is {record.id} instead of {change.record_id}, as if it answered another request"
    if change.tokens is not None and _verdict(change, record) == "no":
        return "the operation tokens of its record show another change in the place of this one"
    return None


def _unknown(change: Change, why: str, attempts: tuple[AttemptRecord, ...]) -> OutcomeUnknownError:
    unknown = OutcomeUnknownError(
        f"{why}: the change may have been applied, look before you repeat it",
        operation_id=records_update.OPERATION.id,
        attempts=attempts,
        applied="unknown",
    )
    unknown.change = change
    return unknown


def update_call(change: Change, project_id: str) -> Call[ObjectRecord]:
    """Return the update that applies a change."""
    guard = change.guard
    return records_update.call(
        project_id,
        change.record_id,
        data=change.patch,
        expected_data=guard or UNSET,
        expected_status=change.expected_status if change.expected_status is not None else UNSET,
    )


def read_record(
    record_id: str, project_id: str, settings: Settings, expected: Mapping[str, Any] | None = None
) -> Flow[Answer[ObjectRecord]]:
    """Read a record by an update that changes nothing, provided that its data contains `expected`.

    The specification has no operation that reads a record, and does not say what else such an update does.
    """
    call = records_update.call(project_id, record_id, data={}, expected_data=expected or UNSET)
    call = replace(call, operation=replace(call.operation, retry="safe"), answers=None)
    answer = yield from flow.call(call, settings)
    if not has_id(answer.value, record_id):
        raise DecodingError(
            f"record {record_id} was read, and the answer has record {answer.value.id}",
            status=answer.status,
            body=answer.response.body,
            operation_id=call.operation.id,
            attempts=answer.attempts,
        )
    return answer


def _probe(
    change: Change, project_id: str, settings: Settings, unknown: OutcomeUnknownError, *, doubt: bool
) -> Flow[ChangeResult]:
    """Return the result of a change whose answer was lost, from its record; raise the error again if it stays unknown."""
    set_by_us = None if change.tokens else without_nulls(change.patch)
    try:
        with noted(
            f"the interrupted request is a probe; whether the change of record {change.record_id} was applied is not known"
        ):
            answer = yield from read_record(change.record_id, project_id, settings, set_by_us)
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
    repeated = _repeated(change, record, unknown.attempts, doubt=doubt)
    return ChangeResult(verdict, record, repeated, attempts, change)


def _verdict(change: Change, record: ObjectRecord) -> Applied:
    """Return whether a change was applied, from its record as a probe returned it."""
    if not hasattr(record, "data"):
        return "unknown"
    if change.tokens is not None:
        return change.tokens.verdict(change, record.data)
    return "in effect" if change.holds_in(record.data) else "unknown"


def _repeated(change: Change, record: ObjectRecord, attempts: tuple[AttemptRecord, ...], *, doubt: bool) -> bool:
    """Return whether more than one attempt may have been applied.

    A guard that holds in the record after the change does not fence, whatever its values promise: the service stores
    other values than it is sent.
    """
    if doubt + sum(attempt.delivery in {"lost", "applied"} for attempt in attempts) <= 1:
        return False
    return not change.fences or (hasattr(record, "data") and contains(record.data, change.guard))


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
            f'merge="{change.merge}" says, or stores other values than it is sent'
        )
    else:
        message = (
            f"the change of record {change.record_id} was applied, and the answer has no data to compare with its "
            "prediction"
        )
    refused: Exception | None = None
    if not verify_merge:
        try:
            warnings.warn(message, stacklevel=2)
        except Exception as error:  # noqa: BLE001  # warnings may be errors, and the change was applied nevertheless
            refused = error
        else:
            return
    call: dict[str, Any] = {"operation_id": records_update.OPERATION.id, "attempts": result.attempts, "applied": "yes"}
    if has_data:
        raise MergeMismatchError(message, change=change, record=record, **call) from refused
    raise DecodingError(message, status=response.status, body=response.body, **call) from refused
