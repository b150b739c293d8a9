"""The rows of a journal as values: the intent to send a row, how it ended, and its line. And what a run needs of a journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

State: TypeAlias = Literal["waiting", "in doubt", "yes", "in effect", "no", "unknown"]
"""The state of a row in the journal: not applied and to be sent; perhaps sent; or how it ended, as `applied` has it."""

STATES: Final[tuple[State, ...]] = ("waiting", "in doubt", "yes", "in effect", "no", "unknown")

NUMBERS: Final[dict[State, int]] = {state: number for number, state in enumerate(STATES)}


class Intent(NamedTuple):
    """A row that is about to be sent."""

    row: int
    digest: bytes
    key: str | None = None
    external_id: str | None = None


class End(NamedTuple):
    """How a row ended, or that it is waiting again."""

    row: int
    state: State
    ref: str | None = None
    note: str | None = None


class Line(NamedTuple):
    """A row as the journal has it."""

    row: int
    key: str | None
    state: State
    ref: str | None
    note: str | None


class OpenBatch(NamedTuple):
    """Rows that an executor gets, and that it sends only if it claims the batch.

    Attributes:
        name: The name of the batch among the claims.
        claims: The place of the claims.
        rows: The positions of the rows, and whether each was in doubt before.
    """

    name: str
    claims: str
    rows: tuple[tuple[int, bool], ...]


class RunJournal(Protocol):
    """What a run needs of a journal; see `journal.py`."""

    def end(self) -> int:
        """Return the number after that of the last known row; 0 if there is none."""
        ...

    def known(self, first: int, end: int) -> dict[int, tuple[State, bytes]]:
        """Return state and digest of the rows from `first` up to, and without, `end`."""
        ...

    def forget_reserved(self, first: int) -> None:
        """Remove the rows from `first` on of which only the position is known."""
        ...

    def row_with(self, external_id: str, other_than: int) -> int | None:
        """Return the first other row that creates a record with this `external_id`, or None."""
        ...

    def commit(
        self,
        intents: Sequence[Intent],
        ends: Sequence[End],
        unsent: Sequence[tuple[Intent, End]] = (),
        begun: Sequence[OpenBatch] = (),
        ended: Sequence[str] = (),
    ) -> None:
        """Write a turn. Only then may the rows be sent."""
        ...
