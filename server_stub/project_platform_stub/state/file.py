"""Stores worlds in an SQLite file: no answered write is lost when the process restarts or is killed.

A transaction of a world is one transaction of SQLite in WAL mode, which is committed before the world shows the writes. A
commit passes the log to the operating system, but does not wait for the disk (`synchronous=NORMAL`): a killed process
loses nothing, and a machine that loses power may lose the last writes.

A world is stored as its differences from its origin, so that the creation or the reset of a world writes few rows, and
worlds of one origin share its content after a restart.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from rpds import HashTrieMap

from project_platform_stub.http.messages import parse_json, write_json
from project_platform_stub.world.clock import Clock
from project_platform_stub.world.store import TABLES, Collection, Key, Origin, Row, State
from project_platform_stub.world.tokens import KeyRing
from project_platform_stub.world.world import World

from .opening import StateFileError, damaged, open_file

__all__ = ["StateFile", "StateFileError"]


class StateFile:
    """The worlds in a file, for one process at a time and all its threads.

    Attributes:
        ring: The keys that sign the tokens of all worlds.

    Args:
        path: Path of the file. A missing file is created.

    Raises:
        StateFileError: The file is in use or cannot be used, and is unchanged.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._path = Path(path).resolve()
        self._connection = open_file(self._path)
        self._lock = threading.RLock()
        self._closed = False
        self._numbers: dict[World, int] = {}
        self._origins: dict[int, Origin] = {}
        self.ring = KeyRing()
        with self._reading():
            stored = self._connection.execute("SELECT value FROM keys").fetchone()
            if stored is not None:
                self.ring.restore(parse_json(stored[0]))
        if stored is None:
            with self.transaction():
                self._write_keys()

    def load_worlds(self, system: Callable[[], datetime]) -> list[World]:
        """Return the worlds in the file.

        Raises:
            StateFileError: The content of the file is invalid; the file is closed.
        """
        with self._reading():
            for number, name, seed, added, drawn in self._connection.execute("SELECT * FROM origins").fetchall():
                state = State(_read_tables(self._connection, "origin", number, State()), added, drawn)
                self._origins[number] = Origin(name, int(seed), state)
            rows = self._connection.execute("SELECT * FROM worlds ORDER BY world").fetchall()
            return [self._load(system, row) for row in rows]

    def add(self, world: World) -> None:
        """Store a new world."""
        with self._lock:
            with self.transaction():
                origin = self._add_origin(world.origin)
                values = (
                    world.id,
                    origin,
                    int(world.permanent),
                    _settings(world),
                    world.state.added,
                    world.state.drawn,
                )
                insert = "INSERT INTO worlds (id, origin, stays, settings, added, drawn) VALUES (?, ?, ?, ?, ?, ?)"
                number = self._insert(insert, values)
                self._write_rows("rows", number, _differences(world.origin.state, world.state))
            self._origins[origin] = world.origin
            self._numbers[world] = number

    def write(self, world: World, changes: Mapping[Key, Row | None], added: int, drawn: int) -> None:
        """Store changed rows of a world, and delete those whose value is None."""
        with self.transaction():
            number = self._number(world)
            self._write_rows("rows", number, changes.items())
            self._write_counts(number, added, drawn)

    def replace_state(self, world: World, state: State) -> None:
        """Replace the stored state of a world."""
        with self.transaction():
            number = self._number(world)
            self._connection.execute("DELETE FROM rows WHERE world = ?", (number,))
            self._write_rows("rows", number, _differences(world.origin.state, state))
            self._write_counts(number, state.added, state.drawn)

    def write_settings(self, world: World) -> None:
        """Store the clock and the keys of a world."""
        with self.transaction():
            update = "UPDATE worlds SET settings = ? WHERE world = ?"
            self._connection.execute(update, (_settings(world), self._number(world)))
            self._write_keys()

    def delete(self, world: World) -> None:
        """Delete a world, and its origin if no other world has it."""
        with self._lock:
            with self.transaction():
                self._connection.execute("DELETE FROM worlds WHERE world = ?", (self._number(world),))
                self._connection.execute("DELETE FROM origins WHERE origin NOT IN (SELECT origin FROM worlds)")
            del self._numbers[world]
            used = {id(other.origin) for other in self._numbers}
            self._origins = {number: origin for number, origin in self._origins.items() if id(origin) in used}

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Store all writes inside a `with` statement, or none of them after an error."""
        with self._lock:
            if self._closed:
                raise StateFileError(f"{self._path}: is closed")
            is_nested = self._connection.in_transaction
            if is_nested:
                yield
                return
            try:
                self._connection.execute("BEGIN")
                yield
                self._connection.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:  # SQLite itself rolls back if the disk is full.
                    self._connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise StateFileError(f"{self._path}: cannot be written, and nothing was stored: {error}") from error
                raise

    def close(self) -> None:
        """Release the file for other processes; later writes raise an error."""
        with self._lock:
            self._closed = True
            self._connection.close()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.close()
            raise damaged(self._path, f"{type(error).__name__}: {error}") from error

    def _load(self, system: Callable[[], datetime], row: tuple[Any, ...]) -> World:
        number, name, origin, permanent, settings, added, drawn = row
        initial = self._origins[origin]
        state = State(_read_tables(self._connection, "world", number, initial.state), added, drawn)
        world = World(name, initial, Clock(system), self.ring, self, state=state)
        world.permanent = bool(permanent)
        stored = parse_json(settings)
        world.clock.restore(stored["clock"])
        world.tokens.signing = stored["signing"]
        world.tokens.accepted = frozenset(stored["accepted"])
        self._numbers[world] = number
        return world

    def _number(self, world: World) -> int:
        if world not in self._numbers:
            raise StateFileError(f"{self._path}: the world {world.id!r} was deleted")
        return self._numbers[world]

    def _add_origin(self, origin: Origin) -> int:
        for number, known in self._origins.items():
            if known is origin:
                return number
        values = (origin.name, str(origin.seed), origin.state.added, origin.state.drawn)
        number = self._insert("INSERT INTO origins (name, seed, added, drawn) VALUES (?, ?, ?, ?)", values)
        self._write_rows("origin_rows", number, origin.state.rows())
        return number

    def _insert(self, statement: str, values: tuple[Any, ...]) -> int:
        number = self._connection.execute(statement, values).lastrowid
        assert number is not None
        return number

    def _write_rows(
        self, table: Literal["origin_rows", "rows"], number: int, rows: Iterable[tuple[Key, Row | None]]
    ) -> None:
        encoded = sorted(
            (number, *_encode_row(key, row)) for key, row in rows
        )  # sorted rows fill the pages of the file
        self._connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?, ?)", encoded)  # noqa: S608  # constants

    def _write_counts(self, number: int, added: int, drawn: int) -> None:
        self._connection.execute("UPDATE worlds SET added = ?, drawn = ? WHERE world = ?", (added, drawn, number))

    def _write_keys(self) -> None:
        keys = write_json(self.ring.dump()).decode()
        self._connection.execute("INSERT OR REPLACE INTO keys VALUES (1, ?)", (keys,))


def _settings(world: World) -> str:
    tokens = world.tokens
    value = {"clock": world.clock.dump(), "signing": tokens.signing, "accepted": sorted(tokens.accepted)}
    return write_json(value).decode()


def _encode_row(key: Key, row: Row | None) -> tuple[str, str, str, int | None, str | None]:
    """Return the columns of a row; the last two are None for a removed row."""
    if row is None:
        return (*key, None, None)
    return (*key, row.number, write_json(TABLES[key.table].encode(row.value)).decode())


def _differences(origin: State, state: State) -> Iterator[tuple[Key, Row | None]]:
    """Yield the rows of a state that differ from its origin, and None for removed rows."""
    for project, table in {*origin.tables.keys(), *state.tables.keys()}:
        before, now = origin.collection(project, table), state.collection(project, table)
        if before is now:
            continue
        for id, row in now.rows.items():
            if before.rows.get(id) is not row:
                yield Key(project, table, id), row
        for id in before.rows.keys():  # noqa: SIM118  # a HashTrieMap, not a dict
            if id not in now.rows:
                yield Key(project, table, id), None


def _read_tables(
    connection: sqlite3.Connection, owner: Literal["origin", "world"], number: int, base: State
) -> HashTrieMap[tuple[str, str], Collection]:
    """Return the tables of an origin or a world: the rows of `base` with the stored differences."""
    table = "origin_rows" if owner == "origin" else "rows"
    query = f"SELECT project, tbl, id, number, value FROM {table} WHERE {owner} = ?"  # noqa: S608  # constants
    places: dict[tuple[str, str], dict[str, Row]] = {}
    for project, name, id, place, value in connection.execute(query, (number,)):
        if (project, name) not in places:
            places[project, name] = dict(base.collection(project, name).rows.items())
        if place is None:
            places[project, name].pop(id, None)  # A row that was added and removed later is not in the origin.
        else:
            places[project, name][id] = Row(place, TABLES[name].decode(parse_json(value)))
    tables = base.tables
    for key, rows in places.items():
        tables = tables.insert(key, Collection(HashTrieMap(rows)))
    return tables
