"""What the end of one attempt says about the write it carried.

| end of an attempt | fate |
|---|---|
| no connection, or the request could not be written out at all | not sent |
| a 4xx that refuses the request; a redirect that keeps the method | not applied |
| 2xx, also with an unreadable body | applied |
| a broken connection, a timeout, 408, 5xx, cancellation, anything else | lost |

A lost attempt leaves doubt, and doubt sticks to the call: a later refusal says nothing about an earlier attempt that may
have landed.
"""

from __future__ import annotations

import enum
from typing import Final, TypeAlias

from ..errors import NotSentError, TransportError
from .operation import Applied, Delivery, Effect, Response

Outcome: TypeAlias = Response | TransportError
"""How an attempt ended: an answer, or the reason there is none."""

# The client errors of the IANA registry but 408, which does not say how much of the request had been dealt with, and the
# two redirects that ask for the same request elsewhere (RFC 9110, sections 15.4.8, 15.4.9 and 15.5).
REFUSED: Final = frozenset({307, 308, *range(400, 418), *range(421, 427), 428, 429, 431, 451}) - {408}


class Fate(enum.Enum):
    """What is known of a write after one attempt."""

    NOT_SENT = "not sent"
    NOT_APPLIED = "not applied"
    APPLIED = "applied"
    LOST = "lost"

    @property
    def delivery(self) -> Delivery:
        """The fate in the words that an attempt's record uses."""
        return self.value


def fate(outcome: Outcome) -> Fate:
    """Return what the outcome of one attempt says about the write it carried."""
    if isinstance(outcome, TransportError):
        return Fate.NOT_SENT if isinstance(outcome, NotSentError) else Fate.LOST
    if outcome.successful:
        return Fate.APPLIED
    return Fate.NOT_APPLIED if outcome.status in REFUSED else Fate.LOST


def applied(last: Fate, effect: Effect, *, doubt: bool = False) -> Applied:
    """Return what became of a write.

    Args:
        last: Fate of the last attempt.
        effect: What the operation does; one that only reads has nothing to apply.
        doubt: Whether any attempt of the call was lost.
    """
    if last is Fate.APPLIED:
        return "yes"
    if effect == "read":
        return "no"
    return "unknown" if doubt or last is Fate.LOST else "no"
