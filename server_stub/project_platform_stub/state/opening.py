"""Opens a state file, or refuses it without changes.

A read-only connection checks the file first. Then the connection that writes locks the file until it is closed
(`locking_mode=EXCLUSIVE`), so that no other process can use it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

# A change of a table here, or of an encoding in `store.py`, needs a new `_VERSION`.
_APPLICATION_ID: Final = 0x50505354  # "PPST", in the header of the file
_VERSION: Final = 2

_SCHEMA: Final = (
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
_WRITABLE = 0o222  # Mode bits; a file without any of them is read-only, also for root.
_UNCHANGED = "; this file is unchanged"


class StateFileError(Exception):
    """A state file cannot be opened or written; the message names the file, the reason and the way out."""


def open_file(path: Path) -> sqlite3.Connection:
    """Return the only connection to a state file, which is created if it does not exist.

    Raises:
        StateFileError: The file is in use or cannot be used, and is unchanged.
    """
    _check_place(path)
    if path.exists() and path.stat().st_size:
        _check_file(path)
    try:
        return _connect(path)
    except sqlite3.Error as error:
        raise _refusal(path, error) from error


def damaged(path: Path, problem: str) -> StateFileError:
    """Return the error for a state file with invalid content."""
    return StateFileError(f"{path}: is damaged ({problem}); restore a copy of it, or name another file{_UNCHANGED}")


def _check_place(path: Path) -> None:
    folder, log = path.parent, _log(path)
    if not folder.is_dir():
        raise StateFileError(f"{path}: there is no folder {folder}; create it first")
    if not os.access(folder, os.W_OK):
        raise StateFileError(
            f"{path}: no permission to write in {folder}, where SQLite creates its log next to the file"
        )
    if not path.exists():
        if log.exists():
            raise StateFileError(f"{path}: does not exist, but {log.name} does; restore the file, or delete its log")
    elif not path.is_file():
        raise StateFileError(f"{path}: is not a file; name another path")
    elif not os.access(path, os.W_OK) or not path.stat().st_mode & _WRITABLE:
        raise StateFileError(f"{path}: no permission to write the file; change its mode, or name another file")
    elif not path.stat().st_size and log.exists():
        raise damaged(path, f"it is empty, but {log.name} exists")


def _check_file(path: Path) -> None:
    """Refuse a file that is not a complete state file, without a write to it."""
    log, index = _log(path), path.with_name(f"{path.name}-shm")
    # After a crash the log has content. SQLite reads it with an index file, which it does not delete.
    crashed, indexed = log.exists() and log.stat().st_size > 0, index.exists()
    uri = path.as_uri() + ("?mode=ro" if crashed else "?immutable=1")
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=0)) as connection:
            _check_owner(path, connection)
            (page_size,) = connection.execute("PRAGMA page_size").fetchone()
            if path.stat().st_size % page_size:
                raise damaged(path, "it is truncated")
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise damaged(path, verdict)
            if _schema(connection) not in {_SCHEMA, ()}:  # A process that was killed early did not create tables.
                raise damaged(path, "its tables are not those of a state file")
    except sqlite3.Error as error:
        raise _refusal(path, error) from error
    finally:
        if crashed and not indexed:
            index.unlink(missing_ok=True)


def _check_owner(path: Path, connection: sqlite3.Connection) -> None:
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if owner != _APPLICATION_ID:
        raise StateFileError(
            f"{path}: is the SQLite file of another program, or its header is damaged; name another file{_UNCHANGED}"
        )
    if version != _VERSION:
        raise StateFileError(
            f"{path}: was written by another version of project-platform (format {version}; this version reads "
            f"{_VERSION}); use that version, or name another file{_UNCHANGED}"
        )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        is_new = not _schema(connection)
        if is_new:
            # First, and in a transaction of one page: a killed process leaves an empty file or a file with this identifier.
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        if is_new:
            connection.execute("BEGIN")
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _schema(connection: sqlite3.Connection) -> tuple[str, ...]:
    return tuple(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))


def _refusal(path: Path, error: sqlite3.Error) -> StateFileError:
    match error.sqlite_errorcode & 0xFF:  # The low byte is the primary result code of SQLite.
        case sqlite3.SQLITE_BUSY:
            return StateFileError(f"{path}: is in use by another process; stop that process, or name another file")
        case sqlite3.SQLITE_NOTADB:
            return StateFileError(
                f"{path}: is not an SQLite file, or its header is damaged; name another file{_UNCHANGED}"
            )
        case sqlite3.SQLITE_CORRUPT:
            return damaged(path, str(error))
        case _:
            return StateFileError(f"{path}: cannot be opened: {error}")


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")
