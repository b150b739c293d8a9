"""The tables of a state file, and functions that encode and decode the content of worlds.

A world is stored as its differences from its origin, so that the creation or the reset of a world writes few rows, and
worlds of one origin share its content after a restart.

A change of a table here, or of an encoding in `store.py`, needs a new `VERSION`.
"""

from __future__ import annotations

from collections.abc import Iterator
from sqlite3 import Connection
from typing import Final, Literal

from rpds import HashTrieMap

from project_platform_stub.http.messages import parse_json, write_json
from project_platform_stub.world.store import TABLES, Collection, Key, Origin, Row, State

APPLICATION_ID: Final = 0x50505354  # "PPST", in the header of the file
VERSION: Final = 2

SCHEMA: Final = (
    "CREATE TABLE keys (only INTEGER PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE origins (origin INTEGER PRIMARY KEY, name TEXT NOT NULL, seed TEXT NOT NULL, added INTEGER NOT NULL,
    drawn INTEGER NOT NULL)""",
    """CREATE TABLE origin_rows (origin INTEGER NOT NULL REFERENCES origins ON DELETE CASCADE, project TEXT NOT NULL,
    tbl TEXT NOT NULL, id TEXT NOT NULL, number INTEGER, value TEXT,
    PRIMARY KEY (origin, project, tbl, id)) WITHOUT ROWID""",
    """CREATE TABLE worlds (world INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, origin INTEGER NOT NULL REFERENCES origins,
    stays INTEGER NOT NULL, settings TEXT NOT NULL, added INTEGER NOT NULL, drawn INTEGER NOT NULL)""",
    # A row without a number is a row of the origin that was removed.
    """CREATE TABLE rows (world INTEGER NOT NULL REFERENCES worlds ON DELETE CASCADE, project TEXT NOT NULL,
    tbl TEXT NOT NULL, id TEXT NOT NULL, number INTEGER, value TEXT,
    PRIMARY KEY (world, project, tbl, id)) WITHOUT ROWID""",
)


def encode_row(key: Key, row: Row | None) -> tuple[str, str, str, int | None, str | None]:
    """Return the columns of a row; the last two are None for a removed row."""
    if row is None:
        return (*key, None, None)
    return (*key, row.number, write_json(TABLES[key.table].encode(row.value)).decode())


def differences(origin: State, state: State) -> Iterator[tuple[Key, Row | None]]:
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


def read_origins(connection: Connection) -> dict[int, Origin]:
    """Return the origins of a file by their numbers."""
    return {
        number: Origin(name, int(seed), State(read_tables(connection, "origin", number, State()), added, drawn))
        for number, name, seed, added, drawn in connection.execute("SELECT * FROM origins").fetchall()
    }


def read_tables(
    connection: Connection, owner: Literal["origin", "world"], number: int, base: State
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
