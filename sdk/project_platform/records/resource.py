"""CRM records: besides the generated operations, changes as values, and how applying them ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast, overload

from pydantic import TypeAdapter

from .._generated.models.records import ObjectRecord
from .._generated.resources import records as generated
from ..calls.capabilities import Capabilities
from ..calls.commands import Flow
from ..calls.configuration import Options
from ..calls.flow import Settings, composed
from ..calls.operation import UNSET, Call, Unset
from ..calls.rows import RowCalls, of_row
from ..errors import UsageError
from ..frames.rows import Missing, Rows
from .change import DELETE, Change, Delete, known_data
from .creates import creates
from .modify import Refresh
from .options import DEFAULT_CHANGE_OPTIONS, ChangeOptions, checked_change_options
from .settle import ChangeResult, apply
from .typed import AsyncTypedRecords, TypedRecords

D = TypeVar("D")


class _Changes:
    """The part of the resource that both clients share: it makes changes and flows, and sends nothing."""

    _capabilities: Capabilities
    _project_id: str

    def change(self, record: ObjectRecord, edits: Mapping[str, Any | Delete]) -> Change:
        """Return the change that sets keys of a record's data, or deletes those given as `DELETE`. Nothing is sent.

        Args:
            record: The record as it was read.
            edits: New values by key.

        Raises:
            UsageError: The record has no identifier or no data, a key to delete is not there, or a value is no JSON.
            InexpressibleChangeError: No update makes this change.

        The guard of the change is an option of a type; see `of`.
        """
        data = known_data(record)
        if not isinstance(cast("object", edits), Mapping):
            raise UsageError(
                f"edits is of type {type(edits).__name__}; give a mapping of keys to new values, or, of a typed record, deals.change(deal)"
            )
        for key, value in edits.items():
            if value is DELETE and key not in data:
                raise UsageError(f"{key} is to be deleted, and the record does not have it; leave it out")
        options = self._with_merge(DEFAULT_CHANGE_OPTIONS)
        return Change.of_edits(record, edits, change_options=options, project_id=self._project_id)

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
            missing: Treatment of gaps, which are None, NaN, and NA and NaT of pandas: "omit" leaves them out, "null" sends
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

    def changes(self, rows: Iterable[tuple[ObjectRecord, Mapping[str, Any | Delete]]]) -> Iterator[Change]:
        """Return the changes of rows for a bulk run, one at a time. Nothing is sent.

        A change whose response is lost is sent again if its guard fences.

        Args:
            rows: Pairs of a record as it was read, and edits as `change` takes them.

        Raises:
            UsageError: A change cannot be made; raised when its row is read, with its position.
        """

        def change(number: int, row: tuple[ObjectRecord, Mapping[str, Any | Delete]]) -> Change:
            record, edits = row
            with of_row(number):
                return self.change(record, edits)

        return RowCalls(rows, change)

    def _with_merge(self, change_options: ChangeOptions) -> ChangeOptions:
        options = checked_change_options(change_options)
        return replace(options, merge=self._capabilities.merges) if isinstance(options.merge, Unset) else options

    def _apply(self, change: Change) -> Callable[[Settings], Flow[ChangeResult]]:
        _check_change(change)
        doubt = change.in_doubt
        return lambda settings: composed(
            "records.apply", settings, lambda inner: apply(change, self._project_id, inner, doubt=doubt, look=doubt)
        )


def _check_change(value: object) -> None:
    if not isinstance(value, Change):
        raise UsageError(f"change is of type {type(value).__name__}; give the result of records.change")


class RecordsResource(_Changes, generated.RecordsResource):
    """The CRM records of a project."""

    @overload
    def of(
        self, type_slug: str, *, change_options: ChangeOptions = ..., refresh: Refresh = ...
    ) -> TypedRecords[dict[str, Any]]: ...
    @overload
    def of(
        self,
        type_slug: str,
        data_type: type[D] | TypeAdapter[D],
        *,
        strict: bool | None = None,
        change_options: ChangeOptions = ...,
        refresh: Refresh = ...,
    ) -> TypedRecords[D]: ...
    def of(
        self,
        type_slug: str,
        data_type: Any = dict[str, Any],
        *,
        strict: bool | None = None,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
        refresh: Refresh = "never",
    ) -> TypedRecords[Any]:
        """Return the records of a type, with data of your class. Nothing is sent.

        Example:
            ```python
            deals = project.records.of("deal", Deal)
            deal = deals.create(Deal(title="Roof"))
            deal.data.stage = "won"
            deal = deals.save(deal)
            ```

        Args:
            type_slug: Identifier of the object type.
            data_type: The class of the data: a pydantic model, a dataclass, a `TypedDict`, `dict[str, Any]`, or a `TypeAdapter`,
                such as that of a union.
            strict: Whether values must have the types of the fields; the default is what the class says.
            change_options: Guards and merge of changes.
            refresh: The source of a newer snapshot after a conflict: `"never"`, `"noop"` (an update that changes nothing; no
                document says what else it does), or a function of the old record.

        Raises:
            UsageError: The class cannot be used for data, or an option has another value.
        """
        options = {"strict": strict, "change_options": self._with_merge(change_options), "refresh": refresh}
        return TypedRecords(self._caller, self._project_id, type_slug, data_type, **options)

    def apply(self, change: Change, *, options: Options | None = None) -> ChangeResult:
        """Apply a change and return its verdict, also when responses are lost.

        If the response is lost, the same change is sent again, provided that its guard fences: it cannot be applied
        twice. A conflict after that is never reported as a conflict, since the first attempt may have caused it. Applied
        once more after an unknown outcome, the change is settled, as by `client.settle`.

        Args:
            change: The change.
            options: Options of this call that differ from those of the client.

        Returns:
            The record, and whether the change was applied ("yes") or is in effect.

        Raises:
            UsageError: The change changes nothing, or belongs to another project. Nothing was sent.
            StalePreconditionError: The guard or the expected status was stale; the record is unchanged.
            OutcomeUnknownError: It is not known whether the change was applied: call `client.settle(error)`.
            MergeMismatchError: Warnings are errors, the change was applied, and the record differs from the prediction.
            DecodingError: Warnings are errors, the change was applied, and the response has no data to compare.
            PlatformError: Another error that a call can end with; `applied` is the verdict of the change.

        Source: the specification, Endpoints 4.
        """
        return self._run(self._apply(change), options)


class AsyncRecordsResource(_Changes, generated.AsyncRecordsResource):
    """Same as `RecordsResource`, but `apply` and the methods of a type are awaited."""

    @overload
    def of(
        self, type_slug: str, *, change_options: ChangeOptions = ..., refresh: Refresh = ...
    ) -> AsyncTypedRecords[dict[str, Any]]: ...
    @overload
    def of(
        self,
        type_slug: str,
        data_type: type[D] | TypeAdapter[D],
        *,
        strict: bool | None = None,
        change_options: ChangeOptions = ...,
        refresh: Refresh = ...,
    ) -> AsyncTypedRecords[D]: ...
    def of(
        self,
        type_slug: str,
        data_type: Any = dict[str, Any],
        *,
        strict: bool | None = None,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
        refresh: Refresh = "never",
    ) -> AsyncTypedRecords[Any]:
        """Same as `RecordsResource.of`; `refresh` may be asynchronous."""
        options = {"strict": strict, "change_options": self._with_merge(change_options), "refresh": refresh}
        return AsyncTypedRecords(self._caller, self._project_id, type_slug, data_type, **options)

    async def apply(self, change: Change, *, options: Options | None = None) -> ChangeResult:
        """Same as `RecordsResource.apply`."""
        return await self._run(self._apply(change), options)
