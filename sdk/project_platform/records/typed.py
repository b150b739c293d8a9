"""Typed records: the data of a record as a value of the user's class. `lens.py` reads and writes them."""

# A record and the records of its type are one unit, of which users see no inside.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import contextlib
import secrets
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from dataclasses import fields as dataclass_fields
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from .._generated.models.records import ObjectRecord
from .._generated.operations import records_create
from ..calls import log
from ..calls.flow import composed
from ..calls.listing import Listing
from ..calls.operation import UNSET, Applied, AttemptRecord, Call, TypedResponse, Unset
from ..calls.resource import AsyncCaller, AsyncResource, Caller, Resource
from ..calls.rows import RowCalls, of_row
from ..display import text
from ..display.html import fields_html
from ..errors import DataMismatchError, InDoubtError, StalePreconditionError, UsageError
from ..frames.rows import is_frame
from ..json_values import exact_json
from ..masking import masked
from .change import Change, known_data
from .conflict import KeyConflict
from .edits import Written, equal_texts
from .lens import Lens, problems
from .modify import Refresh, call_back, check_max_snapshots, check_refresh, modify, next_snapshot
from .options import ChangeOptions
from .settle import ChangeResult, apply

if TYPE_CHECKING:
    from datetime import datetime

    from ..calls.commands import Flow
    from ..calls.configuration import Options
    from ..calls.flow import Settings
    from ..settling import SettledWrite

D = TypeVar("D")

_LOST: Final = (
    "has a save whose outcome is not known; once it has ended, settle it before you save it again: deal = deals.settle(deal); if that "
    "stays unknown and error.seen is a record, go on with it: deal = deals.wrap(error.seen)"
)
_SAVED: Final = (
    "was saved already; go on with the record that save or settle returned: deal = deals.save(deal), after client.settle or a bulk run "
    "with that of the result: deal = deals.wrap(result.value), and where there is none, read it by an update that changes nothing: "
    "deal = deals.wrap(project.records.update(deal.id, data={}))"
)
_STATE: Final = (
    "raw",
    "applied",
    "attempts",
    "_value",
    "_before",
    "_ended",
    "_unsettled",
    "_refused",
    "_base_url",
    "_source",
    "_copied",
    "_was_value",
)


class Record(Generic[D]):
    """A record whose data is a value of your class: edit `data`, and save the record.

    It compares equal to a record with the same raw record and data, and pickles without its client.

    Attributes:
        raw: The record as the service returned it.
        applied: The verdict of the write that returned it: "yes" or "in effect"; "no" if none did.
        attempts: The record of each attempt of that write.
    """

    __slots__ = (
        "_base_url",
        "_before",
        "_copied",
        "_ended",
        "_lens",
        "_refused",
        "_source",
        "_unsettled",
        "_value",
        "_was_value",
        "applied",
        "attempts",
        "raw",
    )

    raw: ObjectRecord
    applied: Applied
    attempts: tuple[AttemptRecord, ...]
    _lens: Lens[D] | None
    _value: D | DataMismatchError | None
    _before: Written | None
    _ended: str | None
    _unsettled: Change | None
    _refused: bool
    _base_url: str | None
    _source: str  # of the operation tokens of its edits; a copy has it until its value is changed
    _copied: dict[str, Any] | None  # the value as it was written when this copy was made
    _was_value: bool  # whether the latest change was made of the value, and not of other data

    def __init__(
        self,
        lens: Lens[D] | None,
        raw: ObjectRecord,
        applied: Applied = "no",
        attempts: tuple[AttemptRecord, ...] = (),
        *,
        base_url: str | None = None,
    ) -> None:
        state = (raw, applied, attempts, None, None, None, None, False, base_url, secrets.token_hex(8), None, True)
        for name, value in zip(_STATE, state, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_lens", lens)

    def __setattr__(self, name: str, value: object) -> None:
        advice = "edit it, or give save another one" if name == "data" else "it is as the service returned it"
        raise AttributeError(f"{name} cannot be set; {advice}")

    @property
    def id(self) -> str:
        """Identifier."""
        return self.raw.id

    @property
    def external_id(self) -> str | None:
        """Identifier of the record in another system."""
        return self.raw.external_id

    @property
    def status(self) -> str | None:
        """Status."""
        return self.raw.status

    @property
    def created_at(self) -> datetime:
        """Time when it was created."""
        return self.raw.created_at

    @property
    def updated_at(self) -> datetime:
        """Time when it was last changed."""
        return self.raw.updated_at

    @property
    def data(self) -> D:
        """The data, which are read on the first access.

        Raises:
            DataMismatchError: They do not fit the class; `applied` is the verdict of the write that returned them.
        """
        if self._value is None:
            self._read()
        if isinstance(self._value, DataMismatchError):
            raise self._value.with_traceback(None)
        return cast("D", self._value)

    def _read(self) -> None:
        lens, stored = self._lens, getattr(self.raw, "data", None)
        assert lens is not None
        value: D | DataMismatchError
        try:
            if stored is None:
                value = self._mismatch(lens, ("data (missing)",))
            else:
                value = lens.read(stored)
                object.__setattr__(self, "_before", lens.write(value, stored))
        except ValidationError as error:
            value = self._mismatch(lens, problems(error))
        except (UsageError, RecursionError) as error:  # the class cannot write it
            value = self._mismatch(lens, (str(error.args[0]),))
        object.__setattr__(self, "_value", value)

    def _mismatch(self, lens: Lens[D], found: tuple[str, ...]) -> DataMismatchError:
        written = f"; applied: {self.applied}" if self.attempts else ""
        message = f"the data of record {self._id} does not fit {lens.name}: {'; '.join(found)}{written}"
        return DataMismatchError(message, record=self.raw, problems=found, attempts=self.attempts, applied=self.applied)

    @property
    def _id(self) -> str:
        return getattr(self.raw, "id", "without an identifier")

    def _edited(self) -> tuple[Written, D]:
        """Return the data as they were read, and the value that may have been edited.

        Raises:
            DataMismatchError: The data do not fit the class.
            UsageError: The record has no data, was saved, or has a save whose outcome is not known.
        """
        if self._ended is not None:
            raise UsageError(f"record {self._id} {self._ended}")
        known_data(self.raw)
        value = self.data
        assert self._before is not None
        return self._before, value

    def _own_source(self, *, given: bool = False) -> str:
        """Return what operation tokens are made from: two copies of a record that are edited alike, or given a value, are two edits."""
        if self._copied is not None and (given or not equal_texts(self._written(), self._copied)):
            object.__setattr__(self, "_source", secrets.token_hex(8))
            object.__setattr__(self, "_copied", None)
        return self._source

    def _written(self) -> dict[str, Any]:
        """Return the value as it is written now; nothing if it cannot be."""
        if self._before is None:
            return {}
        value = cast("D", self._value)
        with contextlib.suppress(UsageError):
            lens = self._lens or Lens(type(value), strict=None)  # a pickle has none
            return lens.write(value, self.raw.data, self._before).data
        return {}

    def _end(self, change: Change, applied: Applied, interrupted: bool = False) -> None:
        another = self._unsettled is not None and change is not self._unsettled
        if applied != "unknown" and (another or (applied == "no" and self._ended == _SAVED)):
            return  # another change of this record is applied, or may be
        object.__setattr__(self, "_refused", applied == "no" and not interrupted)
        if applied == "unknown":  # in this order, so that Ctrl+C between the lines leaves what can be settled
            object.__setattr__(self, "_unsettled", change)
            object.__setattr__(self, "_ended", _LOST)
        else:
            object.__setattr__(self, "_ended", _SAVED if applied != "no" else None)
            object.__setattr__(self, "_unsettled", None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        compared = cast("Any", other)
        return self.raw == compared.raw and bool(self._fitting() == compared._fitting())

    def _fitting(self) -> D | None:
        """Return the data, or None if they do not fit the class."""
        try:
            return self.data
        except DataMismatchError:
            return None

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # its data can be edited

    def __repr__(self) -> str:
        line = f"<Record[{self._name}] {self._id}: {masked(getattr(self.raw, 'data', None))}>"
        if len(line) <= text.WIDTH:
            return line
        pairs = self._shown()
        width = max(len(name) for name, _ in pairs)
        return "\n".join([f"Record[{self._name}]", *(f"  {name:<{width}}  {value}" for name, value in pairs)])

    def _repr_html_(self) -> str:
        return fields_html(f"Record[{self._name}]", self._shown())

    @property
    def _name(self) -> str:
        return self._lens.name if self._lens is not None else type(self._value).__name__

    def _shown(self) -> list[tuple[str, str]]:
        own = [("id", self._id), ("status", self.raw.status), ("applied", self.applied)]
        data = [(f"data.{key}", text.short(value, key)) for key, value in getattr(self.raw, "data", {}).items()]
        return [(name, value) for name, value in own if value] + data

    def __reduce__(self) -> tuple[Any, ...]:
        if self._value is None:
            self._read()
        state = {"_source": self._own_source(), "_copied": self._written()}
        return _restored, tuple(state[name] if name in state else getattr(self, name) for name in _STATE)


def _check_record(value: object) -> None:
    if not isinstance(value, Record):
        way_out = (
            "wrap(record), which reads its data" if isinstance(value, ObjectRecord) else "the record, not its data"
        )
        raise UsageError(f"record is of type {type(value).__name__}; give {way_out}")


def _restored(*state: Any) -> Record[Any]:
    record: Record[Any] = Record(None, state[0])
    for name, value in zip(_STATE, state, strict=True):
        object.__setattr__(record, name, value)
    return record


@dataclass(frozen=True, slots=True, repr=False)
class Conflict(Generic[D]):
    """A refused save as values of your class.

    Attributes:
        base: The data as they were read.
        mine: The data as they would have been stored.
        theirs: The current data; None if they were not read again (`refresh`), or do not fit the class.
        keys: Each key that either side touched; empty if the record was not read again.
    """

    base: D
    mine: D
    theirs: D | None
    keys: tuple[KeyConflict, ...]

    def __repr__(self) -> str:
        values = {"base": self.base, "mine": self.mine, "theirs": self.theirs}
        shown = ", ".join(
            f"{name}: {masked(to_jsonable_python(value, serialize_unknown=True))}" for name, value in values.items()
        )
        return f"<Conflict {shown}>"


class _Typed(Generic[D]):
    """The part that both clients share: it makes values, changes and flows, and sends nothing."""

    _caller: Any
    _project_id: str

    def _set_type(
        self,
        type_slug: str,
        data_type: type[D] | TypeAdapter[D],
        *,
        strict: bool | None,
        change_options: ChangeOptions,
        refresh: Refresh,
    ) -> None:
        check_refresh(refresh)
        if not isinstance(cast("object", type_slug), str):
            raise UsageError(
                f"type_slug is of type {type(type_slug).__name__}; give a slug such as 'deal', and then the class"
            )
        self._type_slug = type_slug
        tokens = change_options.tokens
        reserved = () if tokens is None else (tokens.key, tokens.ring_key)
        self._lens: Lens[D] = Lens(data_type, strict=strict, reserved=reserved)
        self._options = change_options
        self._refresh: Refresh = refresh

    def wrap(self, raw: ObjectRecord) -> Record[D]:
        """Return a record of the service as one of the class, such as the value of a bulk outcome. Nothing is sent or checked."""
        if not isinstance(cast("object", raw), ObjectRecord):
            raise UsageError(
                f"raw is of type {type(raw).__name__}; give a record of the service, or await the call that returns it"
            )
        return self._record(raw)

    def _record(
        self, raw: ObjectRecord, applied: Applied = "no", attempts: tuple[AttemptRecord, ...] = ()
    ) -> Record[D]:
        return Record(self._lens, raw, applied, attempts, base_url=self._caller.base_url)

    def _check_own(self, record: Record[D]) -> None:
        """Check that a record is one of this deployment, where another may have its identifier, too."""
        _check_record(record)
        here = self._caller.base_url
        if record._base_url not in {None, here}:
            raise UsageError(
                f"record {record._id} is one of {record._base_url}, and these records are of {here}; use those of a client of that deployment"
            )

    def change(self, record: Record[D], data: D | None = None) -> Change:
        """Return the change that `save` applies, such as for a bulk run. It is false if there is nothing to change.

        Whoever applies it in this process, the record is marked as saved or as unsettled.

        Args:
            record: The record, with edited data.
            data: Other data to store instead, as for a frozen class.

        Raises:
            DataMismatchError: The data of the record does not fit the class.
            UsageError: The record was saved already, or the edit cannot be stored. Nothing was sent.
            InexpressibleChangeError: No update makes this change.
            WeakGuardError: With `guard="exact"`, a path is not guarded exactly.
        """
        self._check_own(record)
        before, value = record._edited()
        source = record._own_source(given=data is not None)
        change = self._between(record.raw, before, value if data is None else data, source=source)
        object.__setattr__(record, "_was_value", data is None)
        change.watch(record._end)
        return change

    def _between(self, raw: ObjectRecord, before: Written, value: D, *, source: str | None = None) -> Change:
        edits = self._lens.edits(known_data(raw), before, value)
        return Change._of_edits(raw, edits, self._options, self._project_id, source=source)

    def creates(
        self, values: Iterable[D], *, external_id: Callable[[D], str] | None = None
    ) -> Iterator[Call[ObjectRecord]]:
        """Return the creates of values for a bulk run, one at a time. Nothing is sent.

        Args:
            values: The data of the records.
            external_id: Returns the identifier of a record in another system.

        Raises:
            UsageError: A value cannot be stored; raised when it is read, with its position.
        """
        if external_id is not None and not callable(external_id):
            raise UsageError(
                f"external_id is of type {type(external_id).__name__}; give a function that returns the identifier of a value"
            )

        if is_frame(values):
            raise UsageError(
                f"values is a frame; give values of {self._lens.name}, or the frame to records.creates(frame, type_slug={self._type_slug!r})"
            )

        def create(number: int, value: D) -> Call[ObjectRecord]:
            name = UNSET if external_id is None else external_id(value)
            with of_row(number):
                return self._create(value, name, UNSET, row=number)

        return RowCalls(values, create)

    def _create(
        self, value: D, external_id: str | Unset, relations: Mapping[str, Any] | Unset, *, row: int | None = None
    ) -> Call[ObjectRecord]:
        data = self._lens.new(value)
        if self._options.tokens is not None:  # so that the first change has a token to guard
            source = None if row is None else f"{row} {exact_json.dumps(data).decode()}"
            data |= self._options.tokens.first(source=source)
        return records_create.call(
            self._project_id, type_slug=self._type_slug, data=data, external_id=external_id, relations=relations
        )

    def conflict(self, error: StalePreconditionError) -> Conflict[D]:
        """Return the conflict of an error as values of the class; an `except` clause cannot name one.

        Raises:
            UsageError: It is another object, or the error is not of a change.
        """
        if not isinstance(cast("Any", error), StalePreconditionError):
            raise UsageError(
                f"error is of type {type(error).__name__}; give the StalePreconditionError that save, modify or apply raised"
            )
        change, report = error.change, error.report
        if change is None:
            raise UsageError(
                "the error has no change, since it is of a plain update; give the error of save, modify or apply"
            )
        theirs: D | None = None
        if report is not None:
            now = change.base
            for key in report.keys:
                now.pop(key.key, None)
                if key.theirs is not None:
                    now[key.key] = key.theirs
            try:
                theirs = self._lens.read(now)
            except ValidationError:
                theirs = None
        keys = () if report is None else report.keys
        try:
            return Conflict(self._lens.read(change.base), self._lens.read(change.predicted), theirs, keys)
        except ValidationError as mismatch:
            raise UsageError(
                f"the data of the change do not fit {self._lens.name}: {'; '.join(problems(mismatch))}; give the error to the type of records that raised it"
            ) from None

    def table(self, records: Iterable[Record[D]]) -> Listing[Any]:
        """Return records as a table: a column for identifier, status, verdict and times, and for each field of the class.

        Raises:
            DataMismatchError: The data of a record does not fit the class.
            UsageError: The class is a union or a dict, which has no columns of its own.
        """
        if isinstance(cast("object", records), Record):
            raise UsageError("records is one record; give an iterable of records, such as [deal]")
        return _table(list(records), self._lens.kind)

    def _created(self, response: TypedResponse[ObjectRecord]) -> Record[D]:
        return self._record(response.value, "yes", response.attempts)

    def _result(self, result: ChangeResult) -> Record[D]:
        raw = result.record
        if not hasattr(raw, "id"):  # the response may leave it out, and the next change needs it
            raw = raw.model_copy(update={"id": result.change.record_id})
        return self._record(raw, result.applied, result.attempts)

    def _save(self, record: Record[D], data: D | None) -> Callable[[Settings], Flow[Record[D]]]:
        change = self.change(record, data)

        def flow_from(settings: Settings) -> Flow[Record[D]]:
            if not change:
                return record
            if self._refresh != "never":
                settings = settings.started()
            record._end(change, "unknown")  # until it has ended, so that a second save is no conflict with this one
            try:
                return self._result((yield from apply(change, self._project_id, settings)))
            except StalePreconditionError as error:
                yield from next_snapshot(
                    record.raw, error, self._project_id, settings, refresh=self._refresh, last=True
                )
                raise

        return lambda settings: composed("records.save", settings, flow_from)

    def _modify(
        self, record: Record[D], edit: Callable[[D], D | Awaitable[D | None] | None], max_snapshots: int
    ) -> Callable[[Settings], Flow[Record[D]]]:
        check_max_snapshots(max_snapshots)
        self._check_own(record)
        if record._ended != _SAVED or self._refresh == "never":  # otherwise a conflict reads a newer snapshot
            record._edited()
        object.__setattr__(record, "_was_value", False)

        def flow_from(settings: Settings) -> Flow[Record[D]]:
            settings = settings.started()

            def change_of(raw: ObjectRecord) -> Flow[Change]:
                before, value = self.wrap(raw)._edited()  # the record of the caller is not edited
                returned = yield from call_back(lambda: edit(value), settings)
                change = self._between(raw, before, value if returned is None else returned)
                change.watch(record._end)
                return change

            ended = yield from modify(
                record.raw,
                change_of,
                self._project_id,
                settings,
                max_snapshots=max_snapshots,
                refresh=self._refresh,
            )
            return self._result(ended) if isinstance(ended, ChangeResult) else self.wrap(ended)

        return lambda settings: composed("records.modify", settings, flow_from)

    def _subject(self, what: Record[D] | InDoubtError | Change) -> InDoubtError | Change:
        """Return what the client settles: of a record the save that was lost, or that may not have begun when it was cancelled.

        Raises:
            UsageError: The record was saved, has no edit, or its save was refused.
        """
        if not isinstance(what, Record):
            call = getattr(what, "call", None)
            if call is not None and not call.operation.id.startswith("records_"):
                raise UsageError(
                    f"the error is of {call.operation.id}, which is not about a record; give it to client.settle"
                )
            return what
        try:
            change = self._in_doubt(what)
        except UsageError as error:
            if what._ended is not None:
                error.applied = "unknown" if what._ended == _LOST else "yes"
            raise
        change.watch(what._end)  # a pickle does not
        return change

    def _in_doubt(self, record: Record[D]) -> Change:
        self._check_own(record)
        if record._ended == _SAVED:
            raise UsageError(f"record {record._id} {_SAVED}")
        nothing = record._refused or (record._unsettled is None and not record._was_value)
        change = record._unsettled or self.change(record)
        if nothing or not change:
            raise UsageError(f"record {record._id} has no save whose outcome is not known; there is nothing to settle")
        return change

    def _settled(
        self, what: Record[D] | InDoubtError | Change, subject: InDoubtError | Change, settled: SettledWrite[Any]
    ) -> Record[D]:
        """Return the record of a settled write, with the edits of a record since its save."""
        record = self._record(settled.value, settled.applied, settled.attempts)
        if isinstance(what, Record) and isinstance(subject, Change):
            try:
                self._continue(record, what, subject)
            except (DataMismatchError, UsageError, ValidationError) as error:
                reason = "; ".join(problems(error)) if isinstance(error, ValidationError) else error.args[0]
                message = f"what was edited of record {what._id} since its save has to be edited again: {reason}"
                try:
                    warnings.warn(message, stacklevel=3)
                except UserWarning:  # warnings may be errors, and the save is settled nevertheless
                    log.write(log.WARNING, message)
        return record

    def _continue(self, record: Record[D], saved: Record[D], change: Change) -> None:
        """Let a settled record have the edits since its save."""
        assert saved._before is not None
        if not saved._was_value:
            if not equal_texts(saved._written(), saved._before.data):
                raise UsageError("it was not in the write, which was of other data")
            return
        value = self._lens.continued(record.raw.data, change.predicted, saved._before, saved.data)
        if value is not None and record.data is not None:
            object.__setattr__(record, "_value", value)


class TypedRecords(_Typed[D], Resource):
    """The records of a type, with data of your class. `records.of` returns it.

    Example:
        ```python
        deals = project.records.of("deal", Deal)
        deal = deals.create(Deal(title="Roof"))
        deal.data.stage = "won"
        try:
            deal = deals.save(deal)
        except StalePreconditionError as error:
            print(deals.conflict(error))
        except OutcomeUnknownError:
            deal = deals.settle(deal)
        ```
    """

    def __init__(self, caller: Caller, project_id: str, type_slug: str, data_type: Any, **options: Any) -> None:
        super().__init__(caller, project_id)
        self._set_type(type_slug, data_type, **options)

    def create(
        self,
        data: D,
        *,
        external_id: str | Unset = UNSET,
        relations: Mapping[str, Any] | Unset = UNSET,
        options: Options | None = None,
    ) -> Record[D]:
        """Create a record. All fields are stored, defaults included; None is left out, also in nested objects.

        Args:
            data: The data.
            external_id: Identifier of the record in another system.
            relations: Relations to other records; the shape is not shown.
            options: Options of this call that differ from those of the client.

        Raises:
            UsageError: The class could not read its own data back; nothing was sent.
            OutcomeUnknownError: It is not known whether the record was created; the message ends with what to do.
            PlatformError: Another error that a call can end with.

        Source: the specification, Endpoints 3.
        """
        return self._created(self._caller.send(self._create(data, external_id, relations), options=options))

    def save(self, record: Record[D], data: D | None = None, *, options: Options | None = None) -> Record[D]:
        """Store what differs from what was read, unless someone changed it first, and return the record as it is now.

        Nothing is sent if nothing differs. Keys that the class does not have stay as they are.

        Args:
            record: The record, with edited data.
            data: Other data to store instead, as for a frozen class.
            options: Options of this call that differ from those of the client.

        Raises:
            DataMismatchError: The data of the record does not fit the class; nothing was sent.
            UsageError: The record was saved already, or the edit cannot be stored; nothing was sent.
            StalePreconditionError: Someone changed it first; `conflict(error)` compares.
            OutcomeUnknownError: It is not known whether it was saved: call `settle(record)`.
            PlatformError: Another error that a call can end with.

        Source: the specification, Endpoints 4.
        """
        return self._run(self._save(record, data), options)

    def modify(
        self,
        record: Record[D],
        edit: Callable[[D], D | None],
        *,
        max_snapshots: int = 5,
        options: Options | None = None,
    ) -> Record[D]:
        """Call a function on the data and save it, again on a newer snapshot after a conflict; return the record with its verdict.

        Args:
            record: The record as it was read last; it is not edited.
            edit: Edits the data that it is given, or returns other data. It is called once for each snapshot.
            max_snapshots: Maximum number of snapshots, the given record included; newer ones need `refresh`, an option of the type.
            options: Options of these calls that differ from those of the client.

        Raises:
            StalePreconditionError: Each snapshot was stale; `conflict(error)` compares.
            GuardNeverHoldsError: The service refuses a guard that its own record meets.
            OutcomeUnknownError: It is not known whether the last change was applied: call `settle(error)` or `settle(record)`.
            Exception: An exception of the function, unchanged; nothing was sent for that snapshot.
            PlatformError: Another error that `save` raises.
        """
        return self._run(self._modify(record, edit, max_snapshots), options)

    def settle(self, what: Record[D] | InDoubtError | Change, *, options: Options | None = None) -> Record[D]:
        """Return the record of a write whose outcome was not known; see `Client.settle`, which also has the errors.

        Args:
            what: The record whose save it was, the error, or the change. The result has what was edited of a record since
                its save.
            options: Options of these requests that differ from those of the client.
        """
        subject = self._subject(what)
        return self._settled(what, subject, self._caller.settle(subject, options=options))


class AsyncTypedRecords(_Typed[D], AsyncResource):
    """Same as `TypedRecords`, but its operations are awaited."""

    def __init__(self, caller: AsyncCaller, project_id: str, type_slug: str, data_type: Any, **options: Any) -> None:
        super().__init__(caller, project_id)
        self._set_type(type_slug, data_type, **options)

    async def create(
        self,
        data: D,
        *,
        external_id: str | Unset = UNSET,
        relations: Mapping[str, Any] | Unset = UNSET,
        options: Options | None = None,
    ) -> Record[D]:
        """Same as `TypedRecords.create`."""
        call = self._create(data, external_id, relations)
        return self._created(await self._caller.send(call, options=options))

    async def save(self, record: Record[D], data: D | None = None, *, options: Options | None = None) -> Record[D]:
        """Same as `TypedRecords.save`."""
        return await self._run(self._save(record, data), options)

    async def modify(
        self,
        record: Record[D],
        edit: Callable[[D], D | Awaitable[D | None] | None],
        *,
        max_snapshots: int = 5,
        options: Options | None = None,
    ) -> Record[D]:
        """Same as `TypedRecords.modify`; the function may be asynchronous."""
        return await self._run(self._modify(record, edit, max_snapshots), options)

    async def settle(self, what: Record[D] | InDoubtError | Change, *, options: Options | None = None) -> Record[D]:
        """Same as `TypedRecords.settle`."""
        subject = self._subject(what)
        return self._settled(what, subject, await self._caller.settle(subject, options=options))


def _table(records: Sequence[Record[Any]], kind: Any) -> Listing[Any]:
    from datetime import datetime

    own: list[tuple[str, Any]] = [
        ("id", str),
        ("external_id", str | None),
        ("status", str | None),
        ("applied", str),
    ]
    own += [("created_at", datetime | None), ("updated_at", datetime | None)]
    fields = _fields_of(kind)
    for record in records:
        _check_record(record)
    taken = {name for name, _ in own}
    columns = [(_unlike(name, taken | (fields.keys() - {name})), hint) for name, hint in fields.items()]
    row = make_dataclass("Record", [*own, *columns], repr=False, namespace={"__repr__": text.block})
    rows = [
        row(
            *(getattr(record if name == "applied" else record.raw, name, None) for name, _ in own),
            *(_member(record.data, name) for name in fields),
        )
        for record in records
    ]
    return Listing(rows, row)


def _unlike(name: str, taken: set[str]) -> str:
    """Return the name of a column that no other one has."""
    return name if name not in taken else _unlike(f"data_{name}", taken)


def _member(data: Any, name: str) -> Any:
    return cast("Any", data).get(name) if isinstance(data, dict) else getattr(data, name, None)


def _fields_of(kind: Any) -> dict[str, Any]:
    """Return the type of each field of a class."""
    if hasattr(kind, "model_fields"):
        return {name: field.annotation for name, field in kind.model_fields.items()}
    if hasattr(kind, "__dataclass_fields__"):
        hints = get_type_hints(kind)
        return {field.name: hints[field.name] for field in dataclass_fields(kind)}
    if hasattr(kind, "__total__"):  # a TypedDict
        return get_type_hints(kind)
    raise UsageError("a union or a dict has no columns of its own; make a table of a class")
