"""Persistent tables: the content of a world as one immutable value.

A write to a `State` returns a new one that shares all unchanged rows with the old one, so a snapshot and its restoration
take constant time. `Rows` is a mutable mapping over a table of a `Source`: through a `World` each write is a transaction,
through `World.transaction` all writes become visible together or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from rpds import HashTrieMap

T = TypeVar("T")


class Key(NamedTuple):
    """The address of a row: its project (empty for the tables of the world), its table, and its identifier in it."""

    project: str
    table: str
    id: str


class Row(NamedTuple):
    """A row: its value, and its position in the order in which rows were added."""

    number: int
    value: Any


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """The definition of a table.

    Attributes:
        name: Its name.
        encode: Converts a value to JSON.
        decode: Converts that JSON back to the value.
    """

    name: str
    encode: Callable[[T], Any]
    decode: Callable[[Any], T]


@dataclass(frozen=True)
class Collection:
    """The rows of a table in one state."""

    rows: HashTrieMap[str, Row] = field(default_factory=HashTrieMap)

    @cached_property
    def ordered(self) -> tuple[tuple[str, Any], ...]:
        """Identifiers and values in the order in which rows were added."""
        rows = sorted(self.rows.items(), key=lambda item: item[1].number)
        return tuple((id, row.value) for id, row in rows)


_EMPTY = Collection()


@dataclass(frozen=True, slots=True)
class State:
    """All rows of a world, immutable.

    Attributes:
        tables: Collections by project and table name.
        added: Number of rows added so far, deleted ones included.
        drawn: Number of identifiers drawn so far.
    """

    tables: HashTrieMap[tuple[str, str], Collection] = field(default_factory=HashTrieMap)
    added: int = 0
    drawn: int = 0

    def collection(self, project: str, table: str) -> Collection:
        """Return the rows of a table."""
        return self.tables.get((project, table), _EMPTY)

    def with_row(self, key: Key, value: Any) -> State:
        """Return this state with a row added, or with its value replaced; a replaced row keeps its position."""
        rows = self.collection(key.project, key.table).rows
        before = rows.get(key.id)
        row = Row(self.added + 1 if before is None else before.number, value)
        changed = Collection(rows.insert(key.id, row))
        return State(self.tables.insert((key.project, key.table), changed), max(self.added, row.number), self.drawn)

    def without_row(self, key: Key) -> State:
        """Return this state without a row, which must exist."""
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
    """The initial state of a world, to which `World.reset` returns.

    Attributes:
        name: `demo`, or the name of a world file.
        seed: Seed of new identifiers.
        state: The rows.
    """

    name: str
    seed: int
    state: State


class Source(Protocol):
    """A state that can be read and written."""

    @property
    def state(self) -> State:
        """The present state."""
        ...

    def put(self, key: Key, value: Any) -> None:
        """Add a row, or replace its value."""
        ...

    def remove(self, key: Key) -> None:
        """Delete a row, which must exist."""
        ...

    def draw(self) -> int:
        """Return the number of the next identifier."""
        ...

    def copy_for_reader(self, value: T) -> T:
        """Return a value as readers get it: a copy, or the value itself where readers are known not to change it."""
        ...


class Writes:
    """A source that collects writes on top of a state.

    Attributes:
        state: The state with the writes so far.
        changes: The written rows by key; None for a deleted row.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.changes: dict[Key, Row | None] = {}

    def put(self, key: Key, value: Any) -> None:
        """Add a row, or replace its value."""
        self.state = self.state.with_row(key, value)
        self.changes[key] = self.state.collection(key.project, key.table).rows[key.id]

    def remove(self, key: Key) -> None:
        """Delete a row, which must exist."""
        self.state = self.state.without_row(key)
        self.changes[key] = None

    def draw(self) -> int:
        """Return the number of the next identifier."""
        self.state = self.state.with_drawn(self.state.drawn + 1)
        return self.state.drawn

    def copy_for_reader(self, value: T) -> T:
        """Return the value itself: handlers of operations never change a value in place."""
        return value


class Rows(MutableMapping[str, T]):
    """A table of a source, as a mutable mapping in the order in which rows were added.

    Assign a value to change it. A value that is read through a `World` is a copy; changing the copy has no effect.
    """

    def __init__(self, source: Source, table: Table[T], project: str) -> None:
        self._source = source
        self._table = table
        self._project = project

    def __getitem__(self, id: str) -> T:
        value: T = self._collection.rows[id].value
        return self._source.copy_for_reader(value)

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
        return [self._source.copy_for_reader(value) for _, value in self._collection.ordered]

    def page(self, offset: int, limit: int) -> list[T]:
        """Return at most `limit` values in order, after the first `offset` ones."""
        return [self._source.copy_for_reader(value) for _, value in self._collection.ordered[offset : offset + limit]]

    @property
    def _collection(self) -> Collection:
        return self._source.state.collection(self._project, self._table.name)
