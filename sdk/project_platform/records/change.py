"""A change of a record as a value: a minimal patch, a minimal guard, and how much the guard is worth.

A `Change` is made from a snapshot of the record and says what is to become of it. It can be printed, pickled, kept in a
journal, and applied later: it is the same change whoever applies it, and how often.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Final, Literal, TypeAlias, final
from uuid import UUID

from .._generated.models.object_record import ObjectRecord
from ..calls.encoding import project_id as checked_project_id
from ..calls.operation import UNSET, Unset
from ..errors import FieldMissingError, UsageError, WeakGuardError
from ..json_values import exact_json
from ..json_values.containment import contains, fences
from ..json_values.exact_json import is_array, is_object
from ..json_values.merge import Merge, make_patch, merged, met
from .operation_tokens import OperationTokens
from .options import DEFAULT_CHANGE_OPTIONS, ChangeOptions, Guard, checked_change_options

Strength: TypeAlias = Literal["exact", "subset", "vacuous", "none"]
"""How much a guard says of a path: it has the old value; it has at least the old members (an object or an array may have
more); it is of the old kind at most (the old value was empty); nothing (the path was absent, or is not guarded)."""


@final
class Delete:
    """The type of `DELETE`."""

    def __repr__(self) -> str:
        return "DELETE"

    def __reduce__(self) -> str:
        return "DELETE"


DELETE: Final = Delete()
"""Stands for the value of a key that is to be deleted."""


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """What is to become of one record; made by `records.change`, `records.edit` and `Change.between`.

    It is immutable: `base`, `patch` and `guard` give copies. `probe` is UNSET where the client that applies it decides.
    """

    record_id: str
    merge: Merge = "any"
    expected_status: str | None = None
    project_id: str | None = None
    tokens: OperationTokens | None = None
    token: str | None = None
    probe: bool | Unset = UNSET
    _base: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _patch: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _guard: Mapping[str, Any] | None = None

    @classmethod
    def between(
        cls,
        before: ObjectRecord,
        after: ObjectRecord | Mapping[str, Any],
        *,
        change_options: ChangeOptions = DEFAULT_CHANGE_OPTIONS,
        project_id: str | UUID | None = None,
    ) -> Change:
        """Return the change that makes the data `after` of a record `before`.

        Args:
            before: The record as it was read.
            after: The record, or its data, as it is to be. Only the data is compared.
            change_options: How the change is made. A `merge` that is left out is `"any"`.
            project_id: The project of the record, if it is known.

        Raises:
            UsageError: The record has no identifier or no data, or a value is no JSON.
            InexpressibleChangeError: No update says this.
            WeakGuardError: With `require_exact_guard`, a path is not guarded exactly.
        """
        options = checked_change_options(change_options)
        record_id = known_id(before)
        if isinstance(after, ObjectRecord) and getattr(after, "id", record_id) != record_id:
            raise UsageError(f"the records differ: before is {record_id}, after is {after.id}")
        if options.status and before.status is None:
            raise UsageError("the record has no status that could be guarded; leave status=True out")
        base = plain(known_data(before), "before")
        want = plain(known_data(after) if isinstance(after, ObjectRecord) else after, "after")
        merge: Merge = "any" if isinstance(options.merge, Unset) else options.merge
        patch = make_patch(base, want, merge)
        guarded = _make_guard(base, patch, options.guard, merge)
        token = None
        if patch and options.tokens is not None:
            guarded = guarded or {}
            token = options.tokens.stamp(base, patch, guarded)
        change = cls(
            record_id=record_id,
            merge=merge,
            expected_status=before.status if options.status else None,
            project_id=None if project_id is None else checked_project_id(project_id),
            _base=base,
            _patch=patch,
            tokens=options.tokens if token is not None else None,
            token=token,
            probe=options.probe,
            _guard=guarded,
        )
        weak = {path: strength for path, strength in change.strength.items() if strength != "exact"}
        if options.require_exact_guard and weak:
            paths = ", ".join(f"{path} ({strength})" for path, strength in weak.items())
            raise WeakGuardError(
                f"require_exact_guard is True, and the guard is not exact for {paths}; leave them out of the change, or "
                "leave require_exact_guard out and compare the record that is returned",
                paths=weak,
            )
        return change

    @property
    def base(self) -> dict[str, Any]:
        """The data of the record as it was when the change was made."""
        return copy.deepcopy(dict(self._base))

    @property
    def patch(self) -> dict[str, Any]:
        """What is sent as `data`: only what differs; null deletes."""
        return copy.deepcopy(dict(self._patch))

    @property
    def guard(self) -> dict[str, Any] | None:
        """What is sent as `expectedData`; None if nothing is."""
        return None if self._guard is None else copy.deepcopy(dict(self._guard))

    @property
    def strength(self) -> dict[str, Strength]:
        """How much the guard says of each path that is touched; the keys of operation tokens are not told."""
        own: set[str] = {self.tokens.key, self.tokens.ring_key} if self.tokens is not None else set()
        touched = {key: value for key, value in self._patch.items() if key not in own}
        return dict(_strengths(self._base, touched, self._guard or {}, "", deep=self.merge == "deep"))

    @property
    def fences(self) -> bool:
        """Whether the guard is false once the change has landed, so that a second delivery cannot land as well."""
        return self._guard is not None and fences(self._patch, self._guard)

    @property
    def predicted(self) -> dict[str, Any]:
        """The data that the record has after the change if nobody else changed it."""
        return copy.deepcopy(merged(self._base, self._patch, self.merge))

    def holds_in(self, data: Mapping[str, Any]) -> bool:
        """Return whether every touched path is as the change makes it. Containment alone would not say that."""
        return met(self._patch, data, deep=self.merge == "deep")

    def may_have_left(self, data: Mapping[str, Any]) -> bool:
        """Return whether the answer to the change can be this data, whatever was there before that its guard let pass.

        A service that merges deeply keeps what others put beside a nested key.
        """
        return met(self._patch, data, deep=self.merge != "shallow")

    def guard_holds_in(self, record: ObjectRecord) -> bool:
        """Return whether the service ought to accept the change for a record in this state.

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
        yield "patch", self.patch
        yield "guard", self.guard
        yield "strength", self.strength
        yield "fences", self.fences

    def _repr_html_(self) -> str:
        strength = self.strength
        rows = "".join(
            f"<tr><td>{escape(key)}</td><td>{_shown(self._base, key)}</td><td>{_shown(self._patch, key)}</td>"
            f"<td>{', '.join(sorted({s for path, s in strength.items() if _under(path, key)}))}</td></tr>"
            for key in self._patch
        )
        status = f", status must be {escape(self.expected_status)}" if self.expected_status is not None else ""
        return (
            f"<b>Change of {escape(self.record_id)}</b> (fences: {'yes' if self.fences else 'no'}{status})"
            f"<table><tr><th>key</th><th>before</th><th>after</th><th>guard</th></tr>{rows}</table>"
        )

    def _lines(self) -> list[str]:
        return [
            f"{key}: {_text(self._base[key]) if key in self._base else '(absent)'} -> "
            f"{'(deleted)' if value is None else _text(value)}"
            for key, value in self._patch.items()
        ]


def known_id(record: ObjectRecord) -> str:
    """Return the identifier of a record.

    Raises:
        UsageError: The answer that the record is from lacked it.
    """
    try:
        return record.id
    except FieldMissingError:
        raise UsageError("the record has no id; make changes from records that the service returned") from None


def known_data(record: ObjectRecord) -> dict[str, Any]:
    """Return the data of a record.

    Raises:
        UsageError: The answer that the record is from lacked it. A guard for data that is taken to be empty guards nothing.
    """
    try:
        return record.data
    except FieldMissingError:
        name = f"record {record.id}" if hasattr(record, "id") else "the record"
        raise UsageError(
            f"{name} has no data, so what it is now is not known; make changes from a record that has, "
            "or pass data={} if it is known to be empty"
        ) from None


def plain(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return data as JSON has it: a copy, with nothing in it that JSON does not know."""
    plain: dict[str, Any] = exact_json.loads(exact_json.dumps(data, name))
    return plain


def _make_guard(base: Mapping[str, Any], patch: Mapping[str, Any], guard: Guard, merge: Merge) -> dict[str, Any] | None:
    if guard is None:
        return None
    if guard == "all":
        return dict(base)
    touched = _old_values(base, patch, deep=merge == "deep")
    if guard == "touched":
        return touched
    missing = [key for key in guard if key not in base]
    if missing:
        raise UsageError(f"guard names {', '.join(missing)}, which the record does not have; absence cannot be guarded")
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


def _under(path: str, key: str) -> bool:
    return path == key or path.startswith(f"{key}.")


def _text(value: Any) -> str:
    return exact_json.dumps(value).decode()


def _shown(data: Mapping[str, Any], key: str) -> str:
    if key not in data:
        return "<i>absent</i>"
    return "<i>deleted</i>" if data[key] is None else f"<code>{escape(_text(data[key]))}</code>"
