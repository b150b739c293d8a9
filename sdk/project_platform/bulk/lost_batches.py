"""Batches whose workers were lost, or whose coordinator ended: the outcomes of their rows are read from the claims.

The workers may be alive, so the claims are read when nothing else is left of the run. Those of an earlier process are also read
when the run continues. Until then the batches stay in the journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, cast

from .attempt import AttemptEnd
from .claims import Claims
from .journal import NUMBERS, End, Journal, OpenBatch, State, Turn

_UNSENT: Final = frozenset({"refused", "not sent", "unsent", "stop"})


def recover(journal: Journal) -> LostBatches:
    """Write the outcomes of batches of earlier processes to the journal, and return those with rows of unknown outcome.

    A batch that has no owner is claimed here, so no row of it is ever sent by a task that was delayed.

    Raises:
        JournalError: The storage of the claims cannot be used.
    """
    lost = LostBatches(journal.open_batches(), lost_power=journal.lost_power)
    ends = lost.take_ends(claim=True)
    journal.commit(Turn(ends=[*ends.values()], ended=lost.take_ended()))
    return lost


class LostBatches:
    """Batches whose owners may still write outcomes.

    Args:
        batches: The batches, with the rows that are in doubt.
        lost_power: Whether a power cut may have taken lines of the journal, and claims: a row that this batch did not apply
            may then have been sent by another one.
    """

    def __init__(self, batches: Iterable[OpenBatch] = (), *, lost_power: bool = False) -> None:
        self._rows = {batch: dict(batch.rows) for batch in batches}
        self._lost_power = lost_power

    def __bool__(self) -> bool:
        return bool(self._rows)

    def __contains__(self, row: int) -> bool:
        return any(row in rows for rows in self._rows.values())

    def add(self, batch: OpenBatch) -> None:
        """Add a batch."""
        self._rows[batch] = dict(batch.rows)

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

    def clear(self) -> list[str]:
        """Return the names of all batches, and forget them."""
        names = [batch.name for batch in self._rows]
        self._rows.clear()
        return names

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
