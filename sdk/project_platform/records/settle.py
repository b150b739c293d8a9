"""The flow that applies one change, and the one that settles an update whose response was lost: the same, begun in doubt.

| in doubt | guard fences | response | verdict |
|---|---|---|---|
| no | any | 2xx / 409 | yes / no (StalePreconditionError) |
| any | any | 2xx, cut off | yes (DecodingError); never sent again |
| any | any | not sent, 429 | retry |
| any | any | lost | in doubt; the same bytes again if the guard fences, else unknown |
| no / yes | any | other 4xx | no / unknown |
| yes | yes | 2xx | yes; `repeated` if the guard still holds, since the service stores other values than it is sent |
| yes | yes | 409 | a look if settled or with tokens, else unknown; never a plain conflict |
| yes, when settled | no | (never sent again) | a look |
| any | any | 2xx with another record, or with a ring that has another change instead | as 409 in doubt |
| attempts spent | any | | unknown if in doubt, else no |

A look is an update that changes nothing:

| response to the look | verdict |
|---|---|
| the record has the values of the update | in effect |
| with tokens: the ring has ours / another instead / neither, or is not sealed | yes / no / unknown |
| the record in part, other values, relations | unknown, with the record in `seen` |
| 409, 404, refused, lost | unknown |

All but the look is the behaviour of any call (`flow.py`): a change is an update whose guard is known.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._generated.models.records import ObjectRecord
from .._generated.operations import records_update
from ..calls import flow
from ..calls.commands import Flow
from ..calls.decoding import has_id
from ..calls.flow import Settings
from ..calls.operation import UNSET, Applied, AttemptRecord, Call, Response, TypedResponse
from ..errors import (
    DecodingError,
    MergeMismatchError,
    OutcomeUnknownError,
    PlatformError,
    StalePreconditionError,
    UsageError,
)
from ..frames.tabular import Tabular
from ..json_values import exact_json
from ..json_values.containment import contains
from ..json_values.merge import is_in_effect
from .change import Change
from .conflict import ConflictReport
from .operation_tokens import OperationTokens


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
        repeated: Whether the change may have been applied more than once: its guard still holds after it, since the service
            stores other values than it is sent.
        attempts: The record of each attempt, looks included.
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


def update_call(change: Change, project_id: str) -> Call[ObjectRecord]:
    """Return the update that applies a change."""
    call = records_update.call(
        project_id,
        change.record_id,
        data=change.patch,
        expected_data=change.guard or UNSET,
        expected_status=change.expected_status if change.expected_status is not None else UNSET,
    )
    # Another record in the response is a contradiction, which the flow handles: `result_id` is left out.
    return Call(call.operation, call.path, call.body, fences=change.fences)


@dataclass(frozen=True, slots=True)
class Update:
    """An update of a record that is applied or settled: its call, and its change, if that is known.

    Attributes:
        call: The update.
        record_id: The record.
        change: The change; None for a plain update.
        deep: Whether nested objects are compared by the keys of the update only.
    """

    call: Call[ObjectRecord]
    record_id: str
    change: Change | None
    deep: bool

    @classmethod
    def of(cls, change: Change, project_id: str) -> Update:
        """Return the update that applies a change.

        Raises:
            UsageError: The change is empty, or belongs to another project.
        """
        if not change:
            raise UsageError("the change is empty; check it with `if change:` before you apply it")
        if change.project_id not in {None, project_id}:
            raise UsageError(
                f"the change belongs to project {change.project_id}; apply it there, not in project {project_id}"
            )
        return cls(update_call(change, project_id), change.record_id, change, change.merge == "deep")

    @classmethod
    def sent(cls, call: Call[ObjectRecord], change: Change | None = None, *, deep: bool = False) -> Update:
        """Return the update that a call has sent."""
        deep = deep if change is None else change.merge == "deep"
        return cls(replace(call, result_id=None), unquote(call.path.rpartition("/")[2]), change, deep)

    def unknown(self, why: str, attempts: tuple[AttemptRecord, ...], settings: Settings) -> OutcomeUnknownError:
        """Return the error that leaves open whether the update was applied."""
        unknown = OutcomeUnknownError(why, operation_id=self.call.operation.id, attempts=attempts, applied="unknown")
        flow.in_doubt(unknown, self.call, settings)
        unknown.change = self.change
        return unknown

    def contradiction(self, record: ObjectRecord) -> str | None:
        """Return a contradiction between the response and an update that was applied; None if there is none."""
        if not has_id(record, self.record_id):
            return (
                f"its record is {record.id} instead of {self.record_id}, as if it were the response to another request"
            )
        if self.tokens is not None and self.verdict(record) == "no":
            return "the operation tokens of its record show another change in the place of this one"
        return None

    @property
    def tokens(self) -> OperationTokens | None:
        """The operation tokens of the change."""
        return self.change.tokens if self.change is not None else None

    def verdict(self, record: ObjectRecord) -> Applied:
        """Return whether the update was applied, from its record as a look returned it."""
        sent = exact_json.loads(self.call.body or b"{}")
        data = getattr(record, "data", None)
        if self.change is not None and self.tokens is not None:
            return self.tokens.verdict(self.change, data) if data is not None else "unknown"
        patch: dict[str, Any] = sent.get("data") or {}
        if sent.get("relations") is not None or (patch and data is None):
            return "unknown"
        named = "externalId" not in sent or (
            "external_id" in record.model_fields_set and record.external_id == sent["externalId"]
        )
        return "in effect" if named and is_in_effect(patch, data or {}, deep=self.deep) else "unknown"

    def repeated(self, record: ObjectRecord, attempts: tuple[AttemptRecord, ...], *, doubt: bool) -> bool:
        """Return whether more than one attempt may have been applied.

        A guard that holds in the record after the update does not fence, whatever its values promise: the service stores
        other values than it is sent.
        """
        if doubt + sum(attempt.delivery in {"lost", "applied"} for attempt in attempts) <= 1:
            return False
        guard = exact_json.loads(self.call.body or b"{}").get("expectedData")
        return not self.call.fences or (hasattr(record, "data") and contains(record.data, guard))


class Ended(NamedTuple):
    """The end of an update that was applied or is in effect. `response` is that to the update itself, None after a look."""

    applied: Applied
    record: ObjectRecord
    repeated: bool
    attempts: tuple[AttemptRecord, ...]
    response: Response | None


def apply(
    change: Change, project_id: str, settings: Settings, *, doubt: bool = False, look: bool = False
) -> Flow[ChangeResult]:
    """Apply a change, and return or raise its verdict, also when responses are lost.

    Args:
        change: The change.
        project_id: The project of the record.
        settings: The configuration of the client.
        doubt: Whether the change may have been applied before.
        look: Whether to look at the record where the response does not tell whether it was applied, also without tokens.
    """
    update, note = Update.of(change, project_id), f"the change of record {change.record_id} is applied or in effect"
    try:
        ended = yield from ended_update(update, settings, doubt=doubt, look=look or update.tokens is not None)
        with noted(note):
            change.ended(ended.applied)
    except BaseException as error:
        if isinstance(error, StalePreconditionError):
            change.explain(error)
        change.ended(getattr(error, "applied", "unknown"), interrupted=not isinstance(error, PlatformError))
        raise
    with noted(note):
        result = ChangeResult(ended.applied, ended.record, ended.repeated, ended.attempts, change)
        if ended.response is not None:
            _compare(result, ended.response)
    return result


def ended_update(update: Update, settings: Settings, *, doubt: bool, look: bool) -> Flow[Ended]:
    """Send an update until its outcome is known; the table of this module says how it ends.

    Args:
        update: The update.
        settings: The configuration of the client.
        doubt: Whether the update may have been applied before.
        look: Whether to look at the record where the response does not tell whether the update was applied.
    """
    if look:
        settings = settings.started()  # the update, its repetitions and the look have one deadline
    change = update.change
    if doubt and not update.call.fences:
        unknown = update.unknown("a second copy could be applied, too, so the update is not sent again", (), settings)
        return (yield from _looked(update, settings, unknown, doubt=doubt))
    try:
        typed = yield from flow.call(update.call, settings, doubt=doubt)
    except StalePreconditionError as error:
        error.change = change
        raise
    except OutcomeUnknownError as error:
        error.change, unknown = change, error
        if not isinstance(error.__cause__, StalePreconditionError) or not look:
            raise
    except PlatformError as failure:
        if not doubt or failure.applied == "yes":
            raise
        # This attempt was not sent, which says nothing about the earlier one.
        why = f"an earlier attempt may have been applied, and this one ended with {flow.in_words(failure)}"
        raise update.unknown(why, failure.attempts, settings) from failure
    else:
        contradiction = update.contradiction(typed.value)
        if contradiction is None:
            repeated = update.repeated(typed.value, typed.attempts, doubt=doubt)
            return Ended("yes", typed.value, repeated, typed.attempts, typed.response)
        unknown = update.unknown(f"the response is {typed.status}, and {contradiction}", typed.attempts, settings)
        unknown.seen = typed.value
        if not look:
            raise unknown
    return (yield from _looked(update, settings, unknown, doubt=doubt))


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


@contextlib.contextmanager
def looking(operation_id: str, what: str) -> Generator[None]:
    """Say of what interrupts a look that it leaves open whether the write was applied."""
    try:
        yield
    except (PlatformError, GeneratorExit):
        raise
    except BaseException as interruption:
        flow.interrupted(interruption, operation_id, "unknown")
        interruption.add_note(f"the interrupted request is a look; whether {what} was applied is not known")
        raise


def read_record(record_id: str, project_id: str, settings: Settings) -> Flow[TypedResponse[ObjectRecord]]:
    """Read a record by an update that changes nothing.

    The specification has no operation that reads a record, and does not say what else such an update does.
    """
    return _read(records_update.call(project_id, record_id, data={}), record_id, settings)


def _read(call: Call[ObjectRecord], record_id: str, settings: Settings) -> Flow[TypedResponse[ObjectRecord]]:
    operation = replace(call.operation, retry="safe", effect="read")
    call = replace(call, operation=operation, fences=False, result_id=None)
    typed = yield from flow.call(call, settings)
    if not has_id(typed.value, record_id):
        raise DecodingError(
            f"record {record_id} was read, and the response has record {typed.value.id}",
            status=typed.status,
            body=b"",  # which may repeat the token
            operation_id=call.operation.id,
            attempts=typed.attempts,
        )
    return typed


def _looked(update: Update, settings: Settings, unknown: OutcomeUnknownError, *, doubt: bool) -> Flow[Ended]:
    """Return how an update ended that may have been applied, from its record; raise the error again if that stays unknown."""
    try:
        with looking(update.call.operation.id, f"the update of record {update.record_id}"):
            typed = yield from _read(replace(update.call, body=b'{"data":{}}'), update.record_id, settings)
    except PlatformError as failure:
        unknown.args = (f"{unknown.args[0]}, and the look ended with {flow.in_words(failure)}",)
        unknown.attempts += failure.attempts
        raise unknown from failure
    record, attempts = typed.value, unknown.attempts + typed.attempts
    verdict = update.verdict(record)
    if verdict == "no":
        assert update.change is not None  # only operation tokens prove a "no"
        stale = StalePreconditionError(
            "another change was applied first; this one was not applied, and cannot be any more",
            status=409,
            operation_id=unknown.operation_id,
            attempts=attempts,
            applied="no",
        )
        stale.change = update.change
        stale.report = ConflictReport.of(update.change, record.data)
        raise stale from unknown
    if verdict == "unknown":
        unknown.seen, unknown.attempts = record, attempts
        raise unknown
    return Ended(verdict, record, update.repeated(record, unknown.attempts, doubt=doubt), attempts, None)


def _compare(result: ChangeResult, response: Response) -> None:
    """Compare the record with the prediction of the change, to detect a service that merges in another way.

    Only the response to the change itself can be compared: a record that is read later may have changes of others.
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
            f"the change of record {change.record_id} was applied, and the response has no data to compare with its "
            "prediction"
        )
    try:
        warnings.warn(message, stacklevel=2)
    except Exception as refused:  # warnings may be errors, and the change was applied nevertheless
        call: dict[str, Any] = {
            "operation_id": records_update.OPERATION.id,
            "attempts": result.attempts,
            "applied": "yes",
        }
        if has_data:
            raise MergeMismatchError(message, change=change, record=record, **call) from refused
        raise DecodingError(message, status=response.status, body=b"", **call) from refused
