"""What became of the batches that an executor had when the coordinator of a run ended: it is read from their claims.

The workers may have outlived the coordinator, so the claims are read twice: when the run continues, and when nothing else is
left of it. Until then the batches stay in the journal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from .attempt import AttemptEnd
from .claims import Claims
from .journal import NUMBERS, End, OpenBatch, State

if TYPE_CHECKING:
    from .journal import Journal

_UNSENT: Final = frozenset({"refused", "not sent", "unsent", "stop"})


def recover(journal: Journal, batches: Sequence[OpenBatch]) -> OwnedBatches:
    """Write to the journal what became of the batches, and return those with rows of which that is not known.

    A batch that has no owner is claimed here, so no row of it is ever sent by a task that was delayed.

    Raises:
        JournalError: The storage of the claims cannot be used.
    """
    owned = OwnedBatches(batches, lost_power=journal.lost_power)
    ends = owned.take_ends(claim=True)
    journal.commit([], list(ends.values()), (), (), owned.take_ended())
    return owned


class OwnedBatches:
    """Batches of an earlier process, whose owners may still write outcomes.

    Args:
        batches: The batches, with the rows that are in doubt.
        lost_power: Whether a power cut may have taken lines of the journal, and claims: a row that this batch did not apply
            may then have been sent by another one.
    """

    def __init__(self, batches: Sequence[OpenBatch], *, lost_power: bool) -> None:
        self._rows = {batch: dict(batch.rows) for batch in batches}
        self._lost_power = lost_power

    def __bool__(self) -> bool:
        return bool(self._rows)

    @property
    def names(self) -> list[str]:
        """The names of the batches."""
        return [batch.name for batch in self._rows]

    def __contains__(self, row: int) -> bool:
        return any(row in rows for rows in self._rows.values())

    def take_ends(self, *, claim: bool = False) -> dict[int, End]:
        """Return how rows ended, by their positions, and forget these rows.

        Args:
            claim: Whether to claim the batches that have no owner.

        Raises:
            JournalError: The storage of the claims cannot be used.
        """
        taken: dict[int, End] = {}
        for batch, rows in self._rows.items():
            claims = Claims(batch.claims)
            unowned = claim and claims.claim(batch.name) is not None
            found = dict.fromkeys(rows, AttemptEnd("unsent")) if unowned else claims.ends(batch.name)
            for row in [*rows]:
                end = found.get(row)
                state = None if end is None else self._state_of(end, doubt=rows[row])
                if end is not None and state is not None:
                    taken[row] = End(row, state, *end.described())
                    del rows[row]
        return taken

    def take_ended(self) -> list[str]:
        """Return the names of the batches of which no row is left, and forget them."""
        ended = [batch for batch, rows in self._rows.items() if not rows]
        for batch in ended:
            del self._rows[batch]
        return [batch.name for batch in ended]

    def _state_of(self, end: AttemptEnd, *, doubt: bool) -> State | None:
        """Return the state of a row whose attempt ended so in another process, or None if it is still in doubt."""
        if end.kind in {"yes", "in effect"}:
            return cast("State", end.kind)
        if self._lost_power:
            return None
        if end.kind in NUMBERS:
            return cast("State", end.kind)
        if doubt:
            return None
        if end.kind == "forbidden":
            return "no"
        return "waiting" if end.kind in _UNSENT else None
