"""Operation tokens: a unique value in every change, which distinguishes changes that are otherwise equal.

Containment alone cannot show whose change is in effect, nor whether an old value was restored meanwhile. With tokens,
each change writes a new token beside its data, guards the token of the change before it, and stores the last few tokens
in a ring: the update becomes a compare-and-swap, and a lost answer can be settled with certainty while the ring still has
the token of the change or of the one before it.

The cost is two more keys in the data of every record, and every writer of the record has to use them. They are off by
default. A record should have its first token from the start (`records.create(data={..., **tokens.first()})`): the first
change of a record without one has no token to guard, and is only as certain as any other. A late copy of it may be
applied once more and reset the ring, so no change after it is ever reported as certainly not applied.
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

# Prefix of the tokens of a record whose first token was written by a change and not with the record.
_LATE: Final = "~"


@dataclass(frozen=True, slots=True)
class OperationTokens:
    """The keys of a record's data that operation tokens use: one for the last token, one for a ring of the last few.

    Attributes:
        key: The key of the last token.
        ring_key: The key of the ring.
        ring: Number of tokens in the ring. A lost answer can be settled if fewer changes than that have followed.
    """

    key: str = "operationToken"
    ring_key: str = "operationTokens"
    ring: int = 16

    def __post_init__(self) -> None:
        if self.ring < 2:  # noqa: PLR2004  # the change and the one it followed
            raise UsageError(f"ring is {self.ring}; give 2 or more: the token of a change and the one before it")
        if self.key == self.ring_key:
            raise UsageError(f"key and ring_key are both {self.key!r}; give them different names")

    def first(self) -> dict[str, Any]:
        """Return the token and the ring of a new record, to be merged into its data."""
        token = _new_token()
        return {self.key: token, self.ring_key: [token]}

    def stamp(self, base: Mapping[str, Any], patch: dict[str, Any], guard: dict[str, Any]) -> str:
        """Add a new token to a patch, add the previous token to its guard, and return the new token.

        Raises:
            UsageError: The change touches the keys of the tokens.
        """
        touched = {self.key, self.ring_key} & patch.keys()
        if touched:
            raise UsageError(
                f"the change touches {', '.join(sorted(touched))}, which is reserved for operation tokens; leave it out of the change"
            )
        followed = base.get(self.key)
        token = _new_token() if isinstance(followed, str) and not followed.startswith(_LATE) else _LATE + _new_token()
        known = base.get(self.ring_key)
        ring = [*known, token] if is_array(known) else [token]
        patch |= {self.key: token, self.ring_key: ring[-self.ring :]}
        if self.key in base:
            guard[self.key] = followed
        return token

    def verdict(self, change: Change, data: Mapping[str, Any]) -> Applied:
        """Return whether a change was applied, from the current data of its record."""
        ring = data.get(self.ring_key)
        seen = list(ring) if is_array(ring) else []
        if change.token in seen:
            return "yes"
        followed = change.base.get(self.key)
        if not isinstance(followed, str) or followed.startswith(_LATE):
            return "unknown"
        # The ring has the token before this change and not that of the change: another change followed that token.
        return "no" if followed in seen and data.get(self.key) != followed else "unknown"


def _new_token() -> str:
    return secrets.token_urlsafe(12)  # 96 bits: a collision is not to be expected
