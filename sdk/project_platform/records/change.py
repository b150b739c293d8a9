"""`Change`: a change of a record as a value, with a minimal patch, a minimal guard and the strength of the guard.

A `Change` is made from a snapshot of the record. It can be printed, pickled, stored in a journal and applied later, by any
client: applying it twice has the same effect as once if its guard fences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeAlias, cast, final
from uuid import UUID

from .._generated.models.records import ObjectRecord
from ..calls.encoding import project_id as checked_project_id
from ..calls.operation import Applied, Unset
from ..errors import FieldMissingError, StalePreconditionError, UsageError, WeakGuardError
from ..json_values import exact_json
from ..json_values.containment import contains, fences
from ..json_values.exact_json import is_array, is_object
from ..json_values.merge import Merge, is_in_effect, make_patch, merged
from ..masking import masked, printable
from .operation_tokens import OperationTokens
from .options import DEFAULT_CHANGE_OPTIONS, ChangeOptions, Guard, checked_change_options

Strength: TypeAlias = Literal["exact", "subset", "vacuous", "none"]
"""The requirement of a guard on a path: the old value ("exact"); at least the old members of an object or an array ("subset");
the old type, since the old value was empty ("vacuous"); nothing, since the path was absent or is not guarded ("none")."""


def _restored(values: Mapping[str, Any], in_doubt: bool, was_applied: bool) -> Change:
    change = Change(**values)
    object.__setattr__(change, "in_doubt", in_doubt)
    object.__setattr__(change, "_was_applied", was_applied)
    return change


@final
class Delete:
    """The type of `DELETE`."""

    def __repr__(self) -> str:
        return "DELETE"

    def __reduce__(self) -> str:
        return "DELETE"


DELETE: Final = Delete()
"""Given as the new value of a key, it deletes the key."""


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """A change of one record. `records.change`, `change` of a type and `Change.between` return it.

    It is immutable: `base`, `patch` and `guard` return copies.

    Attributes:
        in_doubt: Whether it was applied with the verdict "unknown", also before it was copied or stored. `apply` then does what
            `settle` does.
    """

    record_id: str
    merge: Merge = "any"
    expected_status: str | None = None
    project_id: str | None = None
    tokens: OperationTokens | None = None
    token: str | None = None
    _base: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _patch: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _guard: Mapping[str, Any] | None = None
    _on_end: Callable[[Change, Applied, bool], None] | None = field(default=None, compare=False)
    in_doubt: bool = field(default=False, init=False, compare=False)
    _was_applied: bool = field(default=False, init=False, compare=False)

    @classmethod
    def between(
        cls,
        before: ObjectRecord,
        after: ObjectRecord | Mapping[str, Any],
        *,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
        project_id: str | UUID | None = None,
    ) -> Change:
        """Return the change from a record to its data `after`.

        Args:
            before: The record as it was read.
            after: The changed record, or its data. Only the data is compared.
            change_options: Guard and merge of the change. The default `merge` is `"any"`.
            project_id: UUID of the record's project; the change cannot be applied in another one.

        Raises:
            UsageError: The record has no identifier or no data, or a value is not JSON.
            InexpressibleChangeError: No update makes this change.
            WeakGuardError: With `guard="exact"`, a path is not guarded exactly.
        """
        record_id = known_id(before)
        if isinstance(after, ObjectRecord):
            if getattr(after, "id", record_id) != record_id:
                raise UsageError(
                    f"before is record {record_id} and after is record {after.id}; give two states of one record"
                )
            after = known_data(after)
        deleted = {key: DELETE for key in known_data(before) if key not in after}
        return cls.of_edits(before, {**deleted, **after}, change_options=change_options, project_id=project_id)

    @classmethod
    def of_edits(
        cls,
        before: ObjectRecord,
        edits: Mapping[str, Any | Delete],
        *,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
        project_id: str | UUID | None = None,
    ) -> Change:
        """Return the change that sets keys of a record's data, or deletes those given as `DELETE`; see `between`."""
        return cls._of_edits(before, edits, change_options, project_id)

    @classmethod
    def _of_edits(
        cls,
        before: ObjectRecord,
        edits: Mapping[str, Any | Delete],
        change_options: ChangeOptions,
        project_id: str | UUID | None,
        *,
        source: str | None = None,
    ) -> Change:
        """Return the change; `source` is that of `OperationTokens.stamp`."""
        options = checked_change_options(change_options)
        if (
            tokens := options.tokens
        ) is not None:  # they are of the record, and no data that leaves them out deletes them
            own = {tokens.key, tokens.ring_key}
            edits = {key: value for key, value in edits.items() if value is not DELETE or key not in own}
        if options.status and before.status is None:
            raise UsageError(f"record {before.id} has no status to guard; leave status=True out of the ChangeOptions")
        base = exact_json.plain(known_data(before), "before")
        want = exact_json.plain({key: value for key, value in edits.items() if value is not DELETE}, "after")
        merge: Merge = "any" if isinstance(options.merge, Unset) else options.merge
        patch = make_patch({key: base[key] for key in edits if key in base}, want, merge)
        guarded = _make_guard(base, patch, options.guard, merge)
        token = None
        if patch and options.tokens is not None:
            guarded = guarded or {}
            token = options.tokens.stamp(base, patch, guarded, source=source)
        change = cls(
            record_id=known_id(before),
            merge=merge,
            expected_status=before.status if options.status else None,
            project_id=None if project_id is None else checked_project_id(project_id),
            _base=base,
            _patch=patch,
            tokens=options.tokens if token is not None else None,
            token=token,
            _guard=guarded,
        )
        if options.guard == "exact":
            change._require_exact_guard()
        return change

    def watch(self, on_end: Callable[[Change, Applied, bool], None]) -> None:
        """Have a function called with the change, each verdict of it, and whether it was interrupted, but not by a copy or a pickle."""
        object.__setattr__(self, "_on_end", on_end)

    def ended(self, applied: Applied, *, interrupted: bool = False) -> None:
        """Keep whether it may have been applied, and report its verdict to the function that watches it."""
        object.__setattr__(self, "in_doubt", applied == "unknown")
        object.__setattr__(self, "_was_applied", self._was_applied or applied in {"yes", "in effect"})
        if self._on_end is not None:
            self._on_end(self, applied, interrupted)

    def explain(self, conflict: StalePreconditionError) -> None:
        """Add a note to a conflict that an earlier application of this change may have caused."""
        if self._was_applied:
            conflict.add_note(
                "this change was applied by an earlier call, which may be why its guard does not hold any more"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.compare}
        return _restored, (values, self.in_doubt, self._was_applied)

    def _require_exact_guard(self) -> None:
        weak = {path: strength for path, strength in self.strength.items() if strength != "exact"}
        if weak:
            paths = ", ".join(f"{path} ({strength})" for path, strength in weak.items())
            raise WeakGuardError(
                f'guard is "exact", and the guard is not exact for {paths}; leave them out of the change, or give '
                'guard="touched" and compare the record that is returned',
                paths=weak,
            )

    @property
    def base(self) -> dict[str, Any]:
        """The data of the snapshot that the change was made from."""
        return exact_json.copy(self._base)

    @property
    def patch(self) -> dict[str, Any]:
        """The `data` that is sent: the keys that differ, with null to delete a key."""
        return exact_json.copy(self._patch)

    @property
    def guard(self) -> dict[str, Any] | None:
        """The `expectedData` that is sent; None if none is."""
        return None if self._guard is None else exact_json.copy(self._guard)

    @property
    def strength(self) -> dict[str, Strength]:
        """The strength of the guard for each path that the change touches, without the keys of operation tokens."""
        return {path: strength for key in self._patch for path, strength in self._strength_of(key).items()}

    def _strength_of(self, key: str) -> dict[str, Strength]:
        if self.tokens is not None and key in {self.tokens.key, self.tokens.ring_key}:
            return {}
        touched = {key: self._patch[key]}
        return dict(_strengths(self._base, touched, self._guard or {}, "", deep=self.merge == "deep"))

    @property
    def fences(self) -> bool:
        """Whether the guard is false once the change was applied, so that it cannot be applied twice."""
        guard = self._guard or {}
        return fences(self._patch, guard if self.tokens is None else self.tokens.fencing(guard))

    @property
    def predicted(self) -> dict[str, Any]:
        """The data of the record after the change, if there are no changes of others."""
        return exact_json.copy(merged(self._base, self._patch, self.merge))

    def holds_in(self, data: Mapping[str, Any]) -> bool:
        """Return whether every touched path of the data equals the value that the change gives it."""
        return is_in_effect(self._patch, data, deep=self.merge == "deep")

    def may_result_in(self, data: Mapping[str, Any]) -> bool:
        """Return whether applying the change can result in this data, given any data that meets its guard.

        A service with a deep merge keeps keys that others added beside a nested key.
        """
        return is_in_effect(self._patch, data, deep=self.merge != "shallow")

    def guard_holds_in(self, record: ObjectRecord) -> bool:
        """Return whether the guard of the change holds for this state of the record.

        Raises:
            UsageError: The change guards data, and the record has none.
        """
        status = self.expected_status is None or record.status == self.expected_status
        return status and (not self._guard or contains(known_data(record), self._guard))

    def __bool__(self) -> bool:
        """Whether there is anything to change."""
        return bool(self._patch)

    def __repr__(self) -> str:
        guard = f"fences: {self.fences}, strength: {self.strength}"
        return f"<Change of {self.record_id}: {'; '.join(self._lines()) or 'nothing'} ({guard})>"

    def __rich_repr__(self) -> Iterable[tuple[str, Any]]:
        yield "record_id", self.record_id
        yield "patch", masked(self.patch)
        yield "guard", masked(self.guard)
        yield "strength", self.strength
        yield "fences", self.fences

    def _repr_html_(self) -> str:
        from ..display.html import diff_html

        rows = [
            (
                key,
                _shown(key, self._base[key]) if key in self._base else None,
                None if value is None else _shown(key, value),
                ", ".join(sorted(set(self._strength_of(key).values()))),
            )
            for key, value in self._patch.items()
        ]
        status = f", status must be {self.expected_status}" if self.expected_status is not None else ""
        return diff_html(f"Change of {self.record_id}", f"fences: {'yes' if self.fences else 'no'}{status}", rows)

    def _lines(self) -> list[str]:
        return [
            f"{key}: {_shown(key, self._base[key]) if key in self._base else '(absent)'} -> "
            f"{'(deleted)' if value is None else _shown(key, value)}"
            for key, value in self._patch.items()
        ]


def known_id(record: ObjectRecord) -> str:
    """Return the identifier of a record.

    Raises:
        UsageError: The record has none.
    """
    try:
        return record.id
    except FieldMissingError:
        raise UsageError("the record has no id; give a record that the service returned") from None


def known_data(record: ObjectRecord) -> dict[str, Any]:
    """Return the data of a record.

    Raises:
        UsageError: The record has none. It is not treated as empty, since a guard made from empty data guards nothing.
    """
    if not isinstance(cast("object", record), ObjectRecord):
        raise UsageError(
            f"the record is of type {type(record).__name__}; give one of the service, such as raw of a typed record"
        )
    try:
        return record.data
    except FieldMissingError:
        name = f"record {record.id}" if hasattr(record, "id") else "the record"
        raise UsageError(
            f"{name} has no data, so its current data is unknown; give a record with data, or ObjectRecord(id=..., data={{}}) "
            "if it is known to be empty"
        ) from None


def _make_guard(base: Mapping[str, Any], patch: Mapping[str, Any], guard: Guard, merge: Merge) -> dict[str, Any] | None:
    if guard is None:
        return None
    if guard == "all":
        return dict(base)
    touched = _old_values(base, patch, deep=merge == "deep")
    if isinstance(guard, str):  # "touched", or "exact", whose strength is checked when the change is made
        return touched
    missing = [key for key in guard if key not in base]
    if missing:
        raise UsageError(
            f"guard lists {', '.join(missing)}, which the record does not have; leave it out, since a guard cannot require that a "
            "key is absent"
        )
    return {key: base[key] for key in guard}


def _old_values(base: Mapping[str, Any], patch: Mapping[str, Any], *, deep: bool) -> dict[str, Any]:
    guard: dict[str, Any] = {}
    for key, new in patch.items():
        if key not in base:
            continue
        old = base[key]
        guard[key] = _old_values(old, new, deep=deep) if deep and is_object(new) and is_object(old) else old
    return guard


def _strengths(
    base: Mapping[str, Any], patch: Mapping[str, Any], guard: Mapping[str, Any], path: str, *, deep: bool
) -> Iterable[tuple[str, Strength]]:
    for key, new in patch.items():
        at = f"{path}.{key}" if path else key
        if key not in base or key not in guard:
            yield at, "none"
            continue
        old = base[key]
        if deep and is_object(new) and is_object(old) and is_object(guard[key]):
            yield from _strengths(old, new, guard[key], at, deep=deep)
        elif is_object(old) or is_array(old):
            yield at, "subset" if old else "vacuous"
        else:
            yield at, "exact"


def _shown(key: str, value: Any) -> str:
    """Return a value as JSON without credentials, safe to print."""
    return printable(exact_json.dumps(masked(value, key)).decode())
