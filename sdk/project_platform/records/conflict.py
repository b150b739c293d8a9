"""A three-way comparison, key by key, of a change with the changes of others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..json_values.merge import same
from ..masking import masked

if TYPE_CHECKING:
    from .change import Change

Meeting: TypeAlias = Literal["same change", "disjoint", "conflict"]
"""The relation of two changes: they are equal, they touch different keys, or they give a key different values."""


@dataclass(frozen=True, slots=True, repr=False)
class KeyConflict:
    """The three values of a key that either side touched.

    Attributes:
        key: The key.
        base: The value in the snapshot; None if it was absent.
        mine: The value after the change; None if it deletes the key.
        theirs: The current value; None if it is absent.
        meeting: The relation of the two changes at this key.
    """

    key: str
    base: Any
    mine: Any
    theirs: Any
    meeting: Meeting

    def __repr__(self) -> str:
        return f"<KeyConflict {self}>"

    def __str__(self) -> str:
        base, mine, theirs = (masked(value, self.key) for value in (self.base, self.mine, self.theirs))
        return f"{self.key}: {base!r} -> mine {mine!r}, theirs {theirs!r} ({self.meeting})"


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """The comparison of a refused change with the changes of others since its snapshot.

    Attributes:
        keys: Each key that either side touched.
    """

    keys: tuple[KeyConflict, ...]

    @classmethod
    def of(cls, change: Change, theirs: Mapping[str, Any]) -> ConflictReport:
        """Return the report for a change and the current data of its record."""
        return cls(tuple(_compare(change, theirs)))

    @property
    def meeting(self) -> Meeting:
        """The relation of the changes as a whole: a conflict if any key has one."""
        met = {key.meeting for key in self.keys}
        if "conflict" in met:
            return "conflict"
        return "disjoint" if "disjoint" in met else "same change"

    def __str__(self) -> str:
        return "; ".join(map(str, self.keys))


def _compare(change: Change, theirs: Mapping[str, Any]) -> Iterable[KeyConflict]:
    base, mine, patch = change.base, change.predicted, change.patch
    for key in dict.fromkeys([*base, *patch, *theirs]):
        was, ours, now = ((key in side, side.get(key)) for side in (base, mine, theirs))
        they_changed_it = not _equal(was, now)
        if key not in patch and not they_changed_it:
            continue
        if key in patch and they_changed_it:
            meeting: Meeting = "same change" if _equal(ours, now) else "conflict"
        else:
            meeting = "disjoint"
        yield KeyConflict(key, was[1], ours[1], now[1], meeting)


def _equal(one: tuple[bool, Any], other: tuple[bool, Any]) -> bool:
    return one[0] == other[0] and same(one[1], other[1])
