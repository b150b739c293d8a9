"""Operation tokens: a unique value in every change, which tells one change from another that looks the same.

Containment alone cannot tell whose change is in effect, nor whether an old value was put back meanwhile. With tokens,
each change writes a value of its own beside its data, guards the value of the change before it, and keeps a ring of the
last few: the update becomes a compare-and-swap, and a lost answer can be settled for sure as long as the ring still shows
either the change or the one it followed.

The cost: two more keys in the data of every record, and a promise that every writer of the record keeps them. They are
off unless asked for. A record should have its first token from the start (`records.create(data={..., **tokens.first()})`):
the first change of a record without one has none to guard, and is only as sure as any other. A late copy of it may land
once more and set the ring back, so of the changes that follow it none is ever told for sure not to have been applied.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..calls.operation import Applied
from ..errors import UsageError
from ..json_values.exact_json import is_array

if TYPE_CHECKING:
    from .change import Change

# Begins the tokens of a record whose first one came with a change, and not with the record.
_LATE: Final = "~"


@dataclass(frozen=True, slots=True)
class OperationTokens:
    """How changes are told apart: by a token under a key of the record's data, and a ring of the last ones.

    Attributes:
        key: The key of the last token.
        ring_key: The key of the ring.
        ring: Tokens that the ring keeps. A lost answer can be settled while fewer changes than that have followed.
    """

    key: str = "operationToken"
    ring_key: str = "operationTokens"
    ring: int = 16

    def __post_init__(self) -> None:
        if self.ring < 2:  # noqa: PLR2004  # the change and the one it followed
            raise UsageError(f"ring is {self.ring}; it keeps at least 2 tokens, the change's and the one it followed")
        if self.key == self.ring_key:
            raise UsageError(f"key and ring_key are both {self.key!r}; give them different names")

    def first(self) -> dict[str, Any]:
        """Return the token and the ring that a new record starts with, to be merged into its data."""
        token = _new_token()
        return {self.key: token, self.ring_key: [token]}

    def stamp(self, base: Mapping[str, Any], patch: dict[str, Any], guard: dict[str, Any]) -> str:
        """Add a new token to a patch, the token it follows to its guard, and return the new one.

        Raises:
            UsageError: The change touches the keys of the tokens.
        """
        touched = {self.key, self.ring_key} & patch.keys()
        if touched:
            raise UsageError(f"the change touches {', '.join(sorted(touched))}, which holds operation tokens")
        followed = base.get(self.key)
        token = _new_token() if isinstance(followed, str) and not followed.startswith(_LATE) else _LATE + _new_token()
        known = base.get(self.ring_key)
        kept = [*known, token] if is_array(known) else [token]
        patch |= {self.key: token, self.ring_key: kept[-self.ring :]}
        if self.key in base:
            guard[self.key] = followed
        return token

    def verdict(self, change: Change, data: Mapping[str, Any]) -> Applied:
        """Return what became of a change, from the data of its record as it is now."""
        ring = data.get(self.ring_key)
        seen = list(ring) if is_array(ring) else []
        if change.token in seen:
            return "yes"
        followed = change.base.get(self.key)
        if not isinstance(followed, str) or followed.startswith(_LATE):
            return "unknown"
        # The token that it followed is still in sight and it is not: another took its place, and a place is taken once.
        return "no" if followed in seen and data.get(self.key) != followed else "unknown"


def _new_token() -> str:
    return secrets.token_urlsafe(12)  # 96 bits: two alike are not to be expected
