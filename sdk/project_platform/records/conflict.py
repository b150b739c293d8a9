"""What a change and the changes of others come to: a three-way report, key by key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..json_values.merge import same

if TYPE_CHECKING:
    from .change import Change

Meeting: TypeAlias = Literal["same change", "disjoint", "conflict"]
"""How two changes meet: they say the same, they touch different keys, or they differ about a key."""


@dataclass(frozen=True, slots=True)
class KeyConflict:
    """One key that was touched: what it was, what the change makes it, what others made it; absent is not null.

    Attributes:
        key: The key.
        base: Its value in the snapshot; None where it was absent.
        mine: Its value after the change; None where it is deleted.
        theirs: Its value now; None where it is absent.
        meeting: How the two meet at this key.
    """

    key: str
    base: Any
    mine: Any
    theirs: Any
    meeting: Meeting


@dataclass(frozen=True, slots=True)
class ConflictReport:
    """How a change that was refused meets what others did since its snapshot.

    Attributes:
        keys: Every key that either side touched.
    """

    keys: tuple[KeyConflict, ...]

    @classmethod
    def of(cls, change: Change, theirs: Mapping[str, Any]) -> ConflictReport:
        """Return the report for a change and the data of the record as it is now."""
        return cls(tuple(_meet(change, theirs)))

    @property
    def meeting(self) -> Meeting:
        """How the changes meet as a whole: the worst of the keys that both touched."""
        met = {key.meeting for key in self.keys}
        if "conflict" in met:
            return "conflict"
        return "disjoint" if "disjoint" in met else "same change"

    def __str__(self) -> str:
        return "; ".join(
            f"{key.key}: {key.base!r} -> mine {key.mine!r}, theirs {key.theirs!r} ({key.meeting})" for key in self.keys
        )


def _meet(change: Change, theirs: Mapping[str, Any]) -> Iterable[KeyConflict]:
    base, mine, patch = change.base, change.predicted, change.patch
    for key in dict.fromkeys([*base, *patch, *theirs]):
        was, ours, now = ((key in side, side.get(key)) for side in (base, mine, theirs))
        theirs_moved = not _equal(was, now)
        if key not in patch and not theirs_moved:
            continue
        if key in patch and theirs_moved:
            meeting: Meeting = "same change" if _equal(ours, now) else "conflict"
        else:
            meeting = "disjoint"
        yield KeyConflict(key, was[1], ours[1], now[1], meeting)


def _equal(one: tuple[bool, Any], other: tuple[bool, Any]) -> bool:
    return one[0] == other[0] and same(one[1], other[1])
