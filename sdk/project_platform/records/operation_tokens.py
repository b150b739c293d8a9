"""Operation tokens: a unique value in every change, which distinguishes changes that are otherwise equal.

Containment alone cannot show whose change is in effect, nor whether an old value was restored meanwhile. With tokens,
each change writes a new token beside its data, guards the token of the change before it, and stores the last few tokens
in a ring: the update becomes a compare-and-swap, and a lost response can be settled with certainty while the ring still has
the token of the change or of the one before it.

A token is lower-case hexadecimal, in three parts:

| characters | part | purpose |
|---|---|---|
| 24 | unique | distinguishes the change; it is recognized in a ring that the service has altered, too |
| 8 | position | orders the ring, so that its oldest token can be dropped wherever it is |
| 16 | seal | a digest of the two other parts and of the other tokens in the ring, in any order |

The absence of a token proves something only if the ring is exactly as a change wrote it, which the seal shows. A change
seals its token only if it was made from a sealed snapshot, so a sealed ring has no gap between its tokens: an
altered ring is never continued as if it were whole. Without a seal the verdict is "yes" or "unknown".

The cost is two more keys in the data of every record, and every writer of the record has to use them. They are off by
default. A record should have its first token from the start (`records.create(data={..., **tokens.first()})`): the first
change of a record without one has no token to guard, and a late copy of it may be applied once more and reset the ring.
So neither its token nor those that follow are sealed.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..calls.operation import Applied
from ..errors import UsageError
from ..json_values import exact_json
from ..json_values.exact_json import is_array

if TYPE_CHECKING:
    from .change import Change

# Number of characters of the parts of a token. 96 random bits: a collision is not to be expected.
_UNIQUE: Final = 24
_POSITION: Final = 8
_SEAL: Final = 16
_ENTRY: Final = re.compile(f"[0-9a-f]{{{_UNIQUE + _POSITION}}}")
_TOKEN: Final = re.compile(f"[0-9a-f]{{{_UNIQUE + _POSITION + _SEAL}}}")


@dataclass(frozen=True, slots=True)
class OperationTokens:
    """The keys of a record's data that operation tokens use: one for the last token, one for a ring of the last few.

    Attributes:
        key: The key of the last token.
        ring_key: The key of the ring.
        ring: Number of tokens in the ring. A lost response can be settled if fewer changes than that have followed.
    """

    key: str = "operationToken"
    ring_key: str = "operationTokens"
    ring: int = 16

    def __post_init__(self) -> None:
        if self.ring < 2:  # noqa: PLR2004  # the change and the one it followed
            raise UsageError(f"ring is {self.ring}; give 2 or more: the token of a change and the one before it")
        if self.key == self.ring_key:
            raise UsageError(f"key and ring_key are both {self.key!r}; give them different names")

    def first(self, *, source: str | None = None) -> dict[str, Any]:
        """Return the token and the ring of a new record, to be merged into its data.

        Args:
            source: Identification of the create, if it has the same token whenever it is made, as in a run that continues.
        """
        entry = _new_entry(0, None if source is None else _digest([source], _UNIQUE))
        token = entry + _seal(entry, [])
        return {self.key: token, self.ring_key: [token]}

    def stamp(
        self, base: Mapping[str, Any], patch: dict[str, Any], guard: dict[str, Any], *, source: str | None = None
    ) -> str:
        """Add a new token to a patch, add the previous token to its guard, and return the new token.

        Args:
            base: The data of the snapshot.
            patch: The patch.
            guard: Its guard.
            source: Identification of the snapshot, if equal patches of it are the same change and so have the same token.

        Raises:
            UsageError: The change touches the keys of the tokens.
        """
        touched = {self.key, self.ring_key} & patch.keys()
        if touched:
            raise UsageError(
                f"the change touches {', '.join(sorted(touched))}, which is reserved for operation tokens; leave it out of the change"
            )
        known = base.get(self.ring_key)
        others: list[str] = [token for token in known if isinstance(token, str)] if is_array(known) else []
        sealed = self._is_sealed(base)
        if sealed:
            others.sort(key=_position)
        others = others[1 - self.ring :]
        unique = None if source is None else _digest([source, exact_json.dumps(patch).decode()], _UNIQUE)
        entry = _new_entry(int(_position(base[self.key]), 16) + 1 if sealed else 0, unique)
        token = entry + (_seal(entry, others) if sealed else "")
        patch |= {self.key: token, self.ring_key: [*others, token]}
        if self.key in base:
            guard[self.key] = base[self.key]
        return token

    def fencing(self, guard: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the part of a guard that can fence: without a token that the service has masked or cut, so that it may repeat."""
        token = guard.get(self.key)
        if isinstance(token, str) and _ENTRY.search(token.lower()):
            return guard
        return {key: value for key, value in guard.items() if key not in {self.key, self.ring_key}}

    def verdict(self, change: Change, data: Mapping[str, Any]) -> Applied:
        """Return whether a change was applied, from the current data of its record."""
        assert change.token is not None
        ring = data.get(self.ring_key)
        # Only this change writes these characters, so they are proof in whatever the service made of the token or the ring.
        if change.token[:_UNIQUE] in json.dumps([data.get(self.key), ring]).lower():
            return "yes"
        # A sealed ring has every token from its oldest to its newest. If it has the token that this change follows, and a
        # newer one, and not the token of this change, then another change followed that token.
        followed = change.base.get(self.key)
        overtaken = is_array(ring) and followed in ring and followed != data.get(self.key)
        return "no" if overtaken and self._is_sealed(data) else "unknown"

    def _is_sealed(self, data: Mapping[str, Any]) -> bool:
        """Return whether token and ring are exactly as a change or `first` wrote and sealed them, except for the order."""
        token, ring = data.get(self.key), data.get(self.ring_key)
        if not isinstance(token, str) or not _TOKEN.fullmatch(token) or not is_array(ring) or token not in ring:
            return False
        others = list(ring)
        others.remove(token)
        entry, seal = token[: _UNIQUE + _POSITION], token[_UNIQUE + _POSITION :]
        return all(isinstance(other, str) for other in others) and seal == _seal(entry, others)


def _new_entry(position: int, unique: str | None = None) -> str:
    return (unique or secrets.token_hex(_UNIQUE // 2)) + f"{position:0{_POSITION}x}"


def _position(token: str) -> str:
    return token[_UNIQUE : _UNIQUE + _POSITION]


def _seal(entry: str, others: Iterable[str]) -> str:
    return _digest([entry, sorted(others)], _SEAL)


def _digest(content: list[Any], characters: int) -> str:
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=characters // 2).hexdigest()
