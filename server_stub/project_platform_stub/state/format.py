"""What is in a state file: its tables, and how worlds are read from them.

A world is kept as what differs from its origin, so that making and resetting one writes next to nothing, and after a
restart worlds of the same origin share again what is in it. Each row carries a checksum: SQLite notices a broken page,
but not another letter in a text.

Whoever changes a table here, or how `row_codecs.py` writes a value, gives the format a new `VERSION`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any, Final

from rpds import HashTrieMap

from project_platform_stub.http.json import parse_json, write_json
from project_platform_stub.world.domain import Json
from project_platform_stub.world.row_codecs import TABLES
from project_platform_stub.world.store import Collection, Key, Origin, Row, State

APPLICATION_ID: Final = 0x50505354  # "PPST", in the header of the file
VERSION: Final = 1

SCHEMA: Final = (
    "CREATE TABLE keys (only INTEGER PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL)",
    "CREATE TABLE origins (origin INTEGER PRIMARY KEY, value TEXT NOT NULL, crc INTEGER NOT NULL)",
    """CREATE TABLE origin_rows (origin INTEGER NOT NULL REFERENCES origins ON DELETE CASCADE, project TEXT NOT NULL,
    tbl TEXT NOT NULL, id TEXT NOT NULL, number INTEGER, value TEXT, crc INTEGER NOT NULL,
    PRIMARY KEY (origin, project, tbl, id)) WITHOUT ROWID""",
    """CREATE TABLE worlds (world INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    origin INTEGER NOT NULL REFERENCES origins, stays INTEGER NOT NULL, crc INTEGER NOT NULL)""",
    """CREATE TABLE counts (world INTEGER PRIMARY KEY REFERENCES worlds ON DELETE CASCADE, added INTEGER NOT NULL,
    drawn INTEGER NOT NULL, crc INTEGER NOT NULL)""",
    """CREATE TABLE settled (world INTEGER PRIMARY KEY REFERENCES worlds ON DELETE CASCADE, value TEXT NOT NULL,
    crc INTEGER NOT NULL)""",
    # A row without a number is one of the origin that is gone.
    """CREATE TABLE rows (world INTEGER NOT NULL REFERENCES worlds ON DELETE CASCADE, project TEXT NOT NULL,
    tbl TEXT NOT NULL, id TEXT NOT NULL, number INTEGER, value TEXT, crc INTEGER NOT NULL,
    PRIMARY KEY (world, project, tbl, id)) WITHOUT ROWID""",
)

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KeptWorld:
    """A world as it is kept.

    Attributes:
        number: Its number in the file.
        id: Its identifier.
        origin: Number of its origin in the file.
        stays: Whether it is kept however long it is not used.
        state: What is in it.
        settled: Its clock and its keys.
    """

    number: int
    id: str
    origin: int
    stays: bool
    state: State
    settled: Json


@dataclass(frozen=True, slots=True)
class Kept:
    """All that is kept in a file: the key ring (None before there was one), origins by number, and worlds in order."""

    keys: Json | None
    origins: dict[int, Origin]
    worlds: list[KeptWorld]


def sealed(*values: Any) -> tuple[Any, ...]:
    """Return the values of a row with their checksum."""
    return (*values, _checksum(values))


def written(key: Key, row: Row | None) -> tuple[str, str, str, int | None, str | None]:
    """Return a row of a world as it is kept."""
    if row is None:
        return (*key, None, None)
    return (*key, row.number, write_json(TABLES[key.table].encode(row.value)).decode())


def differences(origin: State, state: State) -> Iterator[tuple[Key, Row | None]]:
    """Yield the rows of a state that are not the same in its origin, and None for those that are gone."""
    for project, table in {*origin.tables.keys(), *state.tables.keys()}:
        before, now = origin.collection(project, table), state.collection(project, table)
        if before is now:
            continue
        for id, row in now.rows.items():
            if before.rows.get(id) is not row:
                yield Key(project, table, id), row
        for id in before.rows.keys():  # noqa: SIM118  # no dict: it yields its keys from `keys` alone
            if id not in now.rows:
                yield Key(project, table, id), None


def read(connection: Connection) -> Kept:
    """Return all that is kept in a file.

    Raises:
        ValueError: A row is not as it was written.
    """
    keys = next((parse_json(value) for _, value in _rows(connection, "keys")), None)
    origins: dict[int, Origin] = {}
    rows = _by_owner(connection, "origin_rows")
    for number, text in _rows(connection, "origins"):
        value = parse_json(text)
        state = _state(State(), rows.pop(number, {}), value["added"], value["drawn"])
        origins[number] = Origin(value["name"], value["seed"], state)
    counts = {number: (added, drawn) for number, added, drawn in _rows(connection, "counts")}
    settled = {number: parse_json(value) for number, value in _rows(connection, "settled")}
    rows = _by_owner(connection, "rows")
    worlds = [
        KeptWorld(
            number,
            id,
            origin,
            bool(stays),
            _state(origins[origin].state, rows.pop(number, {}), *counts[number]),
            settled[number],
        )
        for number, id, origin, stays in _rows(connection, "worlds")
    ]
    return Kept(keys, origins, worlds)


def _rows(connection: Connection, table: str) -> Iterator[tuple[Any, ...]]:
    for *values, checksum in connection.execute(f"SELECT * FROM {table} ORDER BY 1"):  # noqa: S608  # names of our own
        if _checksum(values) != checksum:
            raise ValueError(f"a row of {table} is not as it was written")
        yield tuple(values)


def _by_owner(connection: Connection, table: str) -> dict[int, dict[Place, dict[str, Row | None]]]:
    found: dict[int, dict[Place, dict[str, Row | None]]] = {}
    for owner, project, name, id, number, value in _rows(connection, table):
        row = None if number is None else Row(number, TABLES[name].decode(parse_json(value)))
        found.setdefault(owner, {}).setdefault((project, name), {})[id] = row
    return found


def _state(base: State, changes: dict[Place, dict[str, Row | None]], added: int, drawn: int) -> State:
    tables = base.tables
    for place, rows in changes.items():
        before = dict(base.collection(*place).rows.items())
        now = {id: row for id, row in {**before, **rows}.items() if row is not None}
        tables = tables.insert(place, Collection(HashTrieMap(now)))
    return State(tables, added, drawn)


def _checksum(values: Iterable[Any]) -> int:
    return zlib.crc32("\x1f".join(map(str, values)).encode())
