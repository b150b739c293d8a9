"""What became of the batches that an executor had when the coordinator of a run ended: it is read from their claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from .attempt import AttemptEnd
from .claims import Claims
from .journal_rows import NUMBERS, End, OpenBatch, State

if TYPE_CHECKING:
    from .journal import Journal

_UNSENT: Final = frozenset({"refused", "not sent", "unsent", "stop"})


def recover(journal: Journal, batches: Sequence[OpenBatch]) -> None:
    """Write to the journal what became of the batches.

    A batch that has no owner is claimed here, so no row of it is ever sent by a task that was delayed.

    Raises:
        JournalError: The storage of the claims cannot be used.
    """
    ends: list[End] = []
    names: list[str] = []
    for batch in batches:
        claims = Claims(batch.claims)
        found = None if claims.claim(batch.name) is not None else claims.ends(batch.name)
        for row, doubt in batch.rows:
            end = AttemptEnd("unsent") if found is None else found.get(row)
            state = None if end is None else _state_of(end, doubt=doubt)
            if state is not None and journal.known(row, row + 1).get(row, ("",))[0] == "in doubt":
                assert end is not None
                ends.append(End(row, state, *end.described()))
        names.append(batch.name)
    journal.commit([], ends, (), (), names)


def _state_of(end: AttemptEnd, *, doubt: bool) -> State | None:
    """Return the state of a row whose attempt ended so in another process, or None if it is still in doubt."""
    if end.kind in NUMBERS:
        return cast("State", end.kind)
    if doubt:
        return None
    if end.kind == "forbidden":
        return "no"
    return "waiting" if end.kind in _UNSENT else None
