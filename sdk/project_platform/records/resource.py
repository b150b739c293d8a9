"""CRM records: besides the generated operations, changes as values, and how applying them ended."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from .._generated.models.object_record import ObjectRecord
from .._generated.resources import records as generated
from ..calls.capabilities import Capabilities
from ..calls.commands import Flow
from ..calls.configuration import Options
from ..calls.flow import Settings, composed
from ..calls.operation import UNSET, Call, Unset
from ..calls.rows import of_row
from ..errors import UsageError
from ..frames.rows import Missing, Rows
from .change import DELETE, Change, Delete, known_data
from .creates import creates
from .draft import Draft
from .modify import Edit, Refresh, modify
from .options import DEFAULT_CHANGE_OPTIONS, ChangeOptions, check_flag, checked_change_options
from .settle import ChangeResult, apply


class _Changes:
    """The part of the resource that both clients share: it makes changes and flows, and sends nothing."""

    _capabilities: Capabilities
    _project_id: str

    def change(
        self,
        record: ObjectRecord,
        edits: Mapping[str, Any | Delete],
        *,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
    ) -> Change:
        """Return the change that sets keys of a record's data, or deletes those given as `DELETE`. Nothing is sent.

        Args:
            record: The record as it was read.
            edits: New values by key.
            change_options: What the change guards, and how it is made.

        Raises:
            UsageError: The record has no identifier or no data, a key to delete is not there, or a value is no JSON.
            InexpressibleChangeError: No update makes this change.
            WeakGuardError: With `require_exact_guard`, a path is not guarded exactly.
        """
        options = self._with_merge(change_options)
        after = dict(known_data(record))
        for key, value in edits.items():
            if value is DELETE:
                if key not in after:
                    raise UsageError(f"{key} is to be deleted, and the record does not have it; leave it out")
                del after[key]
            else:
                after[key] = value
        return Change.between(record, after, change_options=options, project_id=self._project_id)

    def edit(self, record: ObjectRecord, *, change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS) -> Draft:
        """Return a draft: a copy of a record's data to edit in a `with` statement, whose `change` is the difference.

        Nothing is sent, and a draft whose statement ends in an exception has no change. The arguments are those of
        `change`, and so are the errors that the end of the statement may raise.

        Raises:
            UsageError: The record has no identifier or no data.
        """
        options = self._with_merge(change_options)
        make = functools.partial(Change.between, record, change_options=options, project_id=self._project_id)
        return Draft(record, make)

    def creates(
        self,
        rows: Rows,
        *,
        type_slug: str | None = None,
        external_id_column: str | None = None,
        columns: Mapping[str, str] | None = None,
        missing: Missing | Unset = UNSET,
    ) -> Iterator[Call[ObjectRecord]]:
        """Return the creates of rows for a bulk run, one at a time. Nothing is sent.

        Args:
            rows: With `type_slug`, the rows of a table: mappings of columns to values, which become the data of the record.
                Otherwise mappings with the arguments of `create`. A value that is None is left out.
            type_slug: Identifier of the object type of all rows.
            external_id_column: The column that has the identifier of the record in another system. With it, rows that occur twice are
                found, and unknown outcomes can be looked up.
            columns: The keys of the data by column, for the columns to send. The default is all columns, by their names.
            missing: What becomes of gaps, which are None, NaN, and NA and NaT of pandas: "omit" leaves them out, "null" sends
                null. With it, `rows` may be a frame; see `frames.rows`. The default leaves None out and refuses the others.

        Raises:
            UsageError: An argument cannot be used; or a row cannot be sent, as with a NaN. That is raised when the row is read,
                with its position.
        """
        return creates(
            self._project_id,
            rows,
            type_slug=type_slug,
            external_id_column=external_id_column,
            columns=columns,
            missing=missing,
        )

    def changes(
        self,
        rows: Iterable[tuple[ObjectRecord, Mapping[str, Any | Delete]]],
        *,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
    ) -> Iterator[Change]:
        """Return the changes of rows for a bulk run, one at a time. Nothing is sent.

        A change whose answer is lost is sent again if its guard fences.

        Args:
            rows: Pairs of a record as it was read, and edits as `change` takes them.
            change_options: What the changes guard, and how they are made.

        Raises:
            UsageError: A change cannot be made; raised when its row is read, with its position.
        """
        for number, (record, edits) in enumerate(rows):
            with of_row(number):
                change = self.change(record, edits, change_options=change_options)
            yield change

    def _with_merge(self, change_options: ChangeOptions) -> ChangeOptions:
        options = checked_change_options(change_options)
        return replace(options, merge=self._capabilities.merges) if isinstance(options.merge, Unset) else options

    def _apply(
        self, change: Change, probe: bool | Unset, *, resend: bool, verify_merge: bool, doubt: bool
    ) -> Callable[[Settings], Flow[ChangeResult]]:
        _check_change(change)
        check_flag("probe", probe, may_be_unset=True)
        check_flag("resend", resend)
        check_flag("verify_merge", verify_merge)
        check_flag("doubt", doubt)

        choices = (probe, change.probe, self._capabilities.probes)
        probing = next(choice for choice in choices if not isinstance(choice, Unset))

        def flow_from(settings: Settings) -> Flow[ChangeResult]:
            return apply(
                change,
                self._project_id,
                settings,
                probe=probing,
                resend=resend,
                verify_merge=verify_merge,
                doubt=doubt,
            )

        return lambda settings: composed("records.apply", settings, flow_from)

    def _modify(
        self,
        record: ObjectRecord,
        edit: Edit,
        max_snapshots: int,
        refresh: Refresh,
        change_options: ChangeOptions,
        *,
        replay_safe: bool,
    ) -> Callable[[Settings], Flow[ObjectRecord]]:
        check_flag("replay_safe", replay_safe)
        options = self._with_merge(change_options)
        if isinstance(options.probe, Unset):
            options = replace(options, probe=self._capabilities.probes)

        def flow_from(settings: Settings) -> Flow[ObjectRecord]:
            return modify(
                record,
                edit,
                self._project_id,
                settings,
                max_snapshots=max_snapshots,
                refresh=refresh,
                replay_safe=replay_safe,
                change_options=options,
            )

        return lambda settings: composed("records.modify", settings, flow_from)


def _check_change(value: object) -> None:
    if not isinstance(value, Change):
        raise UsageError(
            f"change is of type {type(value).__name__}; give the result of records.change, or a draft's `change`"
        )


class RecordsResource(_Changes, generated.RecordsResource):
    """The CRM records of a project."""

    def apply(
        self,
        change: Change,
        *,
        probe: bool | Unset = UNSET,
        resend: bool = False,
        verify_merge: bool = False,
        doubt: bool = False,
        options: Options | None = None,
    ) -> ChangeResult:
        """Apply a change and return what became of it, also when answers are lost.

        If the answer is lost, the same change is sent again, provided that its guard fences: it cannot be applied
        twice. A conflict after that is never reported as a conflict, since the first attempt may have caused it.

        Args:
            change: The change.
            probe: Whether to look into such a conflict by an update that changes nothing; see `ChangeOptions.probe`. The
                default is the `probe` that the change was made with.
            resend: Whether the change may be sent again though its guard does not fence; it may then be applied twice.
            verify_merge: Whether a record that differs from the prediction, or has no data, is an error; otherwise it is
                a warning.
            doubt: Whether the change may have been applied before, as after a crash between `apply` and its result: the
                call is treated as if its first attempt was lost, so it never ends with "no" unless operation tokens prove
                it.
            options: What to do differently for this call.

        Returns:
            The record, and whether the change was applied ("yes") or is in effect.

        Raises:
            UsageError: The change changes nothing, or belongs to another project; or with `doubt`, its guard does not fence
                and `resend` is False. Nothing was sent.
            StalePreconditionError: The guard or the expected status was stale; the record is unchanged.
            OutcomeUnknownError: It is not known whether the change was applied; `seen` is the record that a probe saw.
            MergeMismatchError: With `verify_merge`: the change was applied, and the record differs from the prediction.
            DecodingError: With `verify_merge`: the change was applied, and the answer has no data to compare.
            PlatformError: Another error that a call can end with; `applied` says what became of the change.

        Source: the specification, Endpoints 4.
        """
        return self._run(self._apply(change, probe, resend=resend, verify_merge=verify_merge, doubt=doubt), options)

    def modify(
        self,
        record: ObjectRecord,
        edit: Edit,
        *,
        max_snapshots: int = 5,
        refresh: Refresh = "never",
        replay_safe: bool = False,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
        options: Options | None = None,
    ) -> ObjectRecord:
        """Change a record by a function, again on a newer snapshot after a conflict, and return the record.

        Args:
            record: The record as it was read last; no operation reads it.
            edit: Changes the data that it is given, or returns new data. It is called once for each snapshot.
            max_snapshots: Maximum number of snapshots to change, the given record included.
            refresh: The source of a newer snapshot after a conflict: `"never"`, `"noop"` (an update that changes
                nothing; no document says what else it does), or a function of the old record.
            replay_safe: Whether the function may be called again when it is not known whether its last change was
                applied.
            change_options: What each change guards, how it is made, and whether a lost answer is looked into.
            options: What to do differently for these calls.

        Raises:
            UsageError: The function returned something other than data, or the change cannot be made.
            StalePreconditionError: Each snapshot was stale; `report` compares the change with those of others.
            GuardNeverHoldsError: The service refuses a guard that its own record meets.
            OutcomeUnknownError: It is not known whether the last change was applied.
            Exception: An exception of the function, unchanged; nothing was sent for that snapshot.
            PlatformError: Another error that a call can end with.
        """
        return self._run(
            self._modify(record, edit, max_snapshots, refresh, change_options, replay_safe=replay_safe), options
        )


class AsyncRecordsResource(_Changes, generated.AsyncRecordsResource):
    """Same as `RecordsResource`, but `apply` and `modify` are awaited."""

    async def apply(
        self,
        change: Change,
        *,
        probe: bool | Unset = UNSET,
        resend: bool = False,
        verify_merge: bool = False,
        doubt: bool = False,
        options: Options | None = None,
    ) -> ChangeResult:
        """Same as `RecordsResource.apply`."""
        return await self._run(
            self._apply(change, probe, resend=resend, verify_merge=verify_merge, doubt=doubt), options
        )

    async def modify(
        self,
        record: ObjectRecord,
        edit: Edit,
        *,
        max_snapshots: int = 5,
        refresh: Refresh = "never",
        replay_safe: bool = False,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
        options: Options | None = None,
    ) -> ObjectRecord:
        """Same as `RecordsResource.modify`; `edit` and `refresh` may be asynchronous."""
        return await self._run(
            self._modify(record, edit, max_snapshots, refresh, change_options, replay_safe=replay_safe), options
        )
