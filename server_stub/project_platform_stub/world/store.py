"""Persistent tables: all that a world holds, as one immutable value.

A `State` is never changed. A write makes a new one that shares with the old one all that was not written, so keeping a
state (a snapshot) and going back to it cost nothing, whatever its size. `Rows` shows a table of some `Source` as a
mapping that can be written to: through a world each write is a transaction of its own, through a `Transaction` all
writes become visible together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from rpds import HashTrieMap

T = TypeVar("T")


class Key(NamedTuple):
    """Where a row is: its project (empty for the world's own tables), its table, and its identifier in it."""

    project: str
    table: str
    id: str


class Row(NamedTuple):
    """A row: its value, and the number that says when it was first added."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """A kind of table.

    Attributes:
        name: Its name.
        encode: Turns a value into JSON.
        decode: Turns that JSON back into the value.
    """

    name: str
    encode: Callable[[T], Any]
    decode: Callable[[Any], T]


@dataclass(frozen=True)
class Collection:
    """The rows of one table at one moment."""

    rows: HashTrieMap[str, Row] = field(default_factory=HashTrieMap)

    @cached_property
    def ordered(self) -> tuple[tuple[str, Any], ...]:
        """Identifiers and values in the order in which they were added."""
        rows = sorted(self.rows.items(), key=lambda item: item[1].number)
        return tuple((id, row.value) for id, row in rows)


_EMPTY = Collection()


@dataclass(frozen=True, slots=True)
class State:
    """All rows of a world at one moment.

    Attributes:
        tables: Collections by project and name.
        added: How many rows were ever added.
        drawn: How many identifiers were ever drawn.
    """

    tables: HashTrieMap[tuple[str, str], Collection] = field(default_factory=HashTrieMap)
    added: int = 0
    drawn: int = 0

    def collection(self, project: str, table: str) -> Collection:
        """Return a table's rows."""
        return self.tables.get((project, table), _EMPTY)

    def with_row(self, key: Key, value: Any) -> State:
        """Return this state with a row added, or with its value replaced; a row keeps its place."""
        rows = self.collection(key.project, key.table).rows
        before = rows.get(key.id)
        row = Row(self.added + 1 if before is None else before.number, value)
        changed = Collection(rows.insert(key.id, row))
        return State(self.tables.insert((key.project, key.table), changed), max(self.added, row.number), self.drawn)

    def without_row(self, key: Key) -> State:
        """Return this state without a row, which must be there."""
        changed = Collection(self.collection(key.project, key.table).rows.remove(key.id))
        return State(self.tables.insert((key.project, key.table), changed), self.added, self.drawn)

    def with_drawn(self, drawn: int) -> State:
        """Return this state with another count of identifiers drawn."""
        return State(self.tables, self.added, drawn)

    def rows(self) -> Iterator[tuple[Key, Row]]:
        """Yield all rows of all tables."""
        for (project, table), collection in self.tables.items():
            for id, row in collection.rows.items():
                yield Key(project, table, id), row


@dataclass(frozen=True, slots=True)
class Origin:
    """What a world is made from.

    Attributes:
        name: What it is called: `demo`, or the name of a world file.
        seed: What identifiers are drawn from.
        state: What is in it at the start.
    """

    name: str
    seed: int
    state: State


class Source(Protocol):
    """Something whose state can be read and written."""

    @property
    def state(self) -> State:
        """The state as it is now."""
        ...

    def put(self, key: Key, value: Any) -> None:
        """Add a row, or replace its value."""
        ...

    def remove(self, key: Key) -> None:
        """Take a row away, which must be there."""
        ...

    def draw(self) -> int:
        """Return the number of the next identifier."""
        ...

    def lent(self, value: T) -> T:
        """Return a value as it is given away to whoever reads."""
        ...


class Writes:
    """A source that collects what is written, on top of a state that it leaves alone.

    Attributes:
        state: The state with the writes so far.
        changes: What was written: the row now at each key, or None where it is gone.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.changes: dict[Key, Row | None] = {}

    def put(self, key: Key, value: Any) -> None:
        """Add a row, or replace its value."""
        self.state = self.state.with_row(key, value)
        self.changes[key] = self.state.collection(key.project, key.table).rows[key.id]

    def remove(self, key: Key) -> None:
        """Take a row away, which must be there."""
        self.state = self.state.without_row(key)
        self.changes[key] = None

    def draw(self) -> int:
        """Return the number of the next identifier."""
        self.state = self.state.with_drawn(self.state.drawn + 1)
        return self.state.drawn

    def lent(self, value: T) -> T:
        """Return the value itself: the rules of the service never change one in place."""
        return value


class Rows(MutableMapping[str, T]):
    """One table of a source, as a mapping in the order in which rows were added.

    A value is changed by assigning another one. What is read through a world is a copy, so that changing it in place
    changes nothing else.
    """

    def __init__(self, source: Source, table: Table[T], project: str) -> None:
        self._source = source
        self._table = table
        self._project = project

    def __getitem__(self, id: str) -> T:
        value: T = self._collection.rows[id].value
        return self._source.lent(value)

    def __setitem__(self, id: str, value: T) -> None:
        self._source.put(Key(self._project, self._table.name, id), value)

    def __delitem__(self, id: str) -> None:
        if id not in self._collection.rows:
            raise KeyError(id)
        self._source.remove(Key(self._project, self._table.name, id))

    def __contains__(self, id: object) -> bool:
        return id in self._collection.rows

    def __iter__(self) -> Iterator[str]:
        return (id for id, _ in self._collection.ordered)

    def __reversed__(self) -> Iterator[str]:
        return (id for id, _ in reversed(self._collection.ordered))

    def __len__(self) -> int:
        return len(self._collection.rows)

    def __repr__(self) -> str:
        return f"{self._table.name}: {dict(self)!r}"

    def all(self) -> list[T]:
        """Return the values in order."""
        return [self._source.lent(value) for _, value in self._collection.ordered]

    def page(self, offset: int, limit: int) -> list[T]:
        """Return at most `limit` values in order, from the one numbered `offset` on; the first is 0."""
        return [self._source.lent(value) for _, value in self._collection.ordered[offset : offset + limit]]

    @property
    def _collection(self) -> Collection:
        return self._source.state.collection(self._project, self._table.name)
