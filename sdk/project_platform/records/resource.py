"""CRM records: besides the generated operations, changes as values, and what becomes of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from .._generated.models.object_record import ObjectRecord
from .._generated.resources import records as generated
from ..calls.capabilities import Capabilities
from ..calls.configuration import Options
from ..calls.operation import UNSET, Unset
from ..errors import UsageError
from ..json_values.merge import Merge
from .change import DELETE, Change, Delete, Guard, known_data
from .draft import Draft
from .operation_tokens import OperationTokens
from .settle import ChangeResult, Edit, Refresh, apply, modify


class _Changes:
    """What both clients make changes by; nothing is sent."""

    _capabilities: Capabilities
    _project_id: str

    def _merge(self, given: Merge | Unset) -> Merge:
        return self._capabilities.merges if isinstance(given, Unset) else given

    def _probe(self, given: bool | Unset) -> bool:
        return self._capabilities.probes if isinstance(given, Unset) else given

    def change(
        self,
        record: ObjectRecord,
        edits: Mapping[str, Any | Delete],
        *,
        guard: Guard = "touched",
        status: bool = False,
        strict: bool = False,
        merge: Merge | Unset = UNSET,
        tokens: OperationTokens | None = None,
    ) -> Change:
        """Return the change that sets keys of a record's data, or deletes those given as `DELETE`. Nothing is sent.

        Args:
            record: The record as it was read.
            edits: New values by key.
            guard: What must still be as it was: the keys touched, `"all"` keys, the keys named, or None for nothing.
            status: Whether the record's status must still be as it was.
            strict: Whether to refuse a guard that does not hold every touched path to its old value exactly.
            merge: How the service merges, where it is known. By default what the client's capabilities say; where they
                say nothing, "any": the change is right however the service merges.
            tokens: How the change is told from every other, if it is; see `OperationTokens`.

        Raises:
            UsageError: The record has no identifier or no data, a key to delete is not there, or a value is no JSON.
            InexpressibleChangeError: No update says this.
            WeakGuardError: With `strict`, a path is not guarded exactly.
        """
        after = dict(known_data(record))
        for key, value in edits.items():
            if value is DELETE:
                if key not in after:
                    raise UsageError(f"{key} is to be deleted, and the record does not have it; leave it out")
                del after[key]
            else:
                after[key] = value
        return Change.between(
            record,
            after,
            guard=guard,
            status=status,
            strict=strict,
            merge=self._merge(merge),
            project_id=self._project_id,
            tokens=tokens,
        )

    def edit(
        self,
        record: ObjectRecord,
        *,
        guard: Guard = "touched",
        status: bool = False,
        strict: bool = False,
        merge: Merge | Unset = UNSET,
        tokens: OperationTokens | None = None,
    ) -> Draft:
        """Return a draft of a record's data, to edit in a `with` statement; then `draft.change` is what was done.

        Nothing is sent, and an exception in the statement leaves nothing behind. The arguments are those of `change`.

        Raises:
            UsageError: The record has no identifier or no data.
        """
        make = functools.partial(
            Change.between,
            record,
            guard=guard,
            status=status,
            strict=strict,
            merge=self._merge(merge),
            project_id=self._project_id,
            tokens=tokens,
        )
        return Draft(record, make)


class RecordsResource(_Changes, generated.RecordsResource):
    """The CRM records of a project."""

    def apply(
        self,
        change: Change,
        *,
        probe: bool | Unset = UNSET,
        resend: bool = False,
        strict: bool = False,
        options: Options | None = None,
    ) -> ChangeResult:
        """Apply a change and say what became of it, also when answers are lost.

        A lost answer is settled by sending the same change again if its guard fences: it cannot land twice. A conflict
        that follows is never reported as one, since it may be the doing of the first attempt.

        Args:
            change: The change.
            probe: Whether such a conflict is looked into by an update that changes nothing. That such an update has no
                other effect is not documented: it may touch `updated_at` or fire triggers. So the default is no, unless
                the client's capabilities say that it leaves no trace. A change with operation tokens is always looked
                into.
            resend: Whether the change may be sent again though its guard does not fence; it may then land twice.
            strict: Whether a record that is not as predicted, or has no data, is an error; else it is a warning.
            options: What to do differently for this call.

        Returns:
            The record, and whether the change was applied ("yes") or is in effect.

        Raises:
            UsageError: The change changes nothing, or is of another project; nothing was sent.
            StalePreconditionError: The guard or the expected status was stale; the record is unchanged.
            OutcomeUnknownError: It is not known whether the change was applied; `seen` is what a probe saw.
            MergeMismatchError: With `strict`, the record is not as predicted; the change was applied.
            DecodingError: With `strict`, the answer has no data to compare; the change was applied.
            PlatformError: What else a call can end with; `applied` tells what became of it.

        Source: the specification, Endpoints 4.
        """
        return self._run(
            lambda settings: apply(
                change, self._project_id, settings, probe=self._probe(probe), resend=resend, strict=strict
            ),
            options,
        )

    def modify(
        self,
        record: ObjectRecord,
        edit: Edit,
        *,
        attempts: int = 5,
        refresh: Refresh = "never",
        replay_safe: bool = False,
        guard: Guard = "touched",
        status: bool = False,
        merge: Merge | Unset = UNSET,
        tokens: OperationTokens | None = None,
        probe: bool | Unset = UNSET,
        options: Options | None = None,
    ) -> ObjectRecord:
        """Change a record by a function, again on a newer snapshot when others came first; return the record.

        Args:
            record: The record as it was read last; there is no operation that reads it.
            edit: Changes the data it is given, or returns new data. It is called once for each snapshot.
            attempts: Snapshots to try in all.
            refresh: Where a newer snapshot comes from after a conflict: `"never"`, `"noop"` (an update that changes
                nothing; what else it does is not documented), or a function of the old record.
            replay_safe: Whether the function may be called again when it is not known whether its last change landed.
            guard: What must still be as it was; see `change`.
            status: Whether the record's status must still be as it was.
            merge: How the service merges, where it is known; see `change`.
            tokens: Operation tokens, which tell every change from every other.
            probe: Whether a lost answer is looked into by an update that changes nothing; see `apply`.
            options: What to do differently for these calls.

        Raises:
            UsageError: The function returned something else than data, or the change cannot be made.
            StalePreconditionError: Others came first each time; `report` says how the changes meet.
            GuardNeverHoldsError: The service refuses a guard that its own record meets.
            OutcomeUnknownError: It is not known whether the last change was applied.
            Exception: What the function raises, unchanged; nothing was sent for that snapshot.
            PlatformError: What else a call can end with.
        """
        return self._run(
            lambda settings: modify(
                record,
                edit,
                self._project_id,
                settings,
                attempts=attempts,
                refresh=refresh,
                replay_safe=replay_safe,
                guard=guard,
                status=status,
                merge=self._merge(merge),
                tokens=tokens,
                probe=self._probe(probe),
            ),
            options,
        )


class AsyncRecordsResource(_Changes, generated.AsyncRecordsResource):
    """Same as `RecordsResource`, but what sends is awaited; the functions given to `modify` may be asynchronous."""

    async def apply(
        self,
        change: Change,
        *,
        probe: bool | Unset = UNSET,
        resend: bool = False,
        strict: bool = False,
        options: Options | None = None,
    ) -> ChangeResult:
        """Same as `RecordsResource.apply`."""
        return await self._run(
            lambda settings: apply(
                change, self._project_id, settings, probe=self._probe(probe), resend=resend, strict=strict
            ),
            options,
        )

    async def modify(
        self,
        record: ObjectRecord,
        edit: Edit,
        *,
        attempts: int = 5,
        refresh: Refresh = "never",
        replay_safe: bool = False,
        guard: Guard = "touched",
        status: bool = False,
        merge: Merge | Unset = UNSET,
        tokens: OperationTokens | None = None,
        probe: bool | Unset = UNSET,
        options: Options | None = None,
    ) -> ObjectRecord:
        """Same as `RecordsResource.modify`; the function and `refresh` may be asynchronous."""
        return await self._run(
            lambda settings: modify(
                record,
                edit,
                self._project_id,
                settings,
                attempts=attempts,
                refresh=refresh,
                replay_safe=replay_safe,
                guard=guard,
                status=status,
                merge=self._merge(merge),
                tokens=tokens,
                probe=self._probe(probe),
            ),
            options,
        )
