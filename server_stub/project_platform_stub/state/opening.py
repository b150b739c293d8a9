"""Opens a state file, or refuses it and leaves it as it was.

Nothing is written before all of the file has been read and found good. Who has a file open holds a lock beside it,
`FILE-lock`, which ends with the process; SQLite's own lock on the file keeps out what does not know of that one.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from .format import APPLICATION_ID, SCHEMA, VERSION, Kept, read
from .write_ahead_log import check_log

_HEADER = 100  # Bytes; https://www.sqlite.org/fileformat2.html#the_database_header
_MAGIC = b"SQLite format 3\0"
_WRITABLE = 0o222  # Mode bits; without any of them the file is not meant to be written, not even by root.


class StateFileError(Exception):
    """A state file cannot be opened or written; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A state file that is open.

    Attributes:
        path: Where it is.
        lock: What keeps other processes out.
        connection: What writes to it.
    """

    path: Path
    lock: sqlite3.Connection
    connection: sqlite3.Connection

    def close(self) -> None:
        """Let other processes have it; what the log holds goes into the file itself."""
        self.connection.close()
        _unlock(self.path, self.lock)


def open_file(path: Path) -> tuple[OpenFile, Kept]:
    """Open a state file, or make it if there is none, and return it with what is kept in it.

    Raises:
        StateFileError: It is in use, or cannot be used; it was left as it was.
    """
    path = path.resolve()
    _check_place(path)
    lock = _lock(path)
    try:
        if not path.exists():
            _create(path)
        _check_header(path)
        kept = _read(path)
        return OpenFile(path, lock, _connect_for_writing(path)), kept
    except BaseException:
        _unlock(path, lock)
        raise


def _check_place(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise StateFileError(f"{path}: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise StateFileError(f"{path}: no permission to write in {folder}, where SQLite keeps its log beside the file")
    if not path.exists():
        if _beside(path, "-wal").exists():
            raise StateFileError(f"{path}: is gone, but {path.name}-wal is there; put it back, or delete its log too")
    elif not path.is_file():
        raise StateFileError(f"{path}: is no file; name another")
    elif not os.access(path, os.W_OK) or not path.stat().st_mode & _WRITABLE:
        raise StateFileError(f"{path}: no permission to write it; change that, or name another file")


def _lock(path: Path) -> sqlite3.Connection:
    # In SQLite because that can lock a file on every system, and notices a second lock by the same process.
    lock = sqlite3.connect(_beside(path, "-lock"), isolation_level=None, timeout=0, check_same_thread=False)
    try:
        lock.execute("PRAGMA journal_mode = OFF")
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if _is_busy(error):
            raise _in_use(path) from None
        raise StateFileError(f"{path}: cannot lock {path.name}-lock: {error}") from error
    return lock


def _unlock(path: Path, lock: sqlite3.Connection) -> None:
    with suppress(PermissionError):  # Windows deletes no file that is open; there it stays, empty.
        _beside(path, "-lock").unlink(missing_ok=True)
    lock.close()


def _create(path: Path) -> None:
    """Make a file under another name first, so that a file of this name is always whole."""
    new = _beside(path, "-new")
    for left in (new, _beside(path, "-new-journal")):
        left.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(new, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            for statement in SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = WAL")
        new.replace(path)
    except (OSError, sqlite3.Error) as error:
        new.unlink(missing_ok=True)
        raise StateFileError(f"{path}: cannot be made: {error}") from error


def _check_header(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(_HEADER)
    if not header:
        raise StateFileError(f"{path}: is empty, so it is no state file; delete it to begin with a new one")
    if not header.startswith(_MAGIC) or len(header) < _HEADER:
        raise StateFileError(f"{path}: is no SQLite file, or its beginning is damaged; name another file{_UNTOUCHED}")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise StateFileError(f"{path}: is the SQLite file of another program; name another file{_UNTOUCHED}")
    version = int.from_bytes(header[60:64], "big")
    if version > VERSION:
        raise StateFileError(
            f"{path}: was written by a newer version (its format is {version}, this version knows {VERSION}); "
            f"update project-platform, or name another file{_UNTOUCHED}"
        )
    if version != VERSION:
        raise _damaged(path, f"there is no format {version}")
    page_size = int.from_bytes(header[16:18], "big")
    if page_size == 0 or path.stat().st_size % page_size:
        raise _damaged(path, "it is cut short")


def _read(path: Path) -> Kept:
    """Read all of a file without writing to it."""
    log, shared = _beside(path, "-wal"), _beside(path, "-shm")
    # A log is there after a crash. To read it SQLite needs `FILE-shm`; without one, nothing but the file itself.
    crashed, was_shared = log.exists() and log.stat().st_size > 0, shared.exists()
    uri = path.as_uri() + ("?mode=ro" if crashed else "?immutable=1")
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=0)) as connection:
            _check_pages(connection)
            if crashed:
                check_log(log)
            return read(connection)
    except Exception as error:
        if _is_busy(error):
            raise _in_use(path) from None
        raise _damaged(path, str(error)) from error
    finally:
        if crashed and not was_shared:
            shared.unlink(missing_ok=True)


def _check_pages(connection: sqlite3.Connection) -> None:
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise ValueError(verdict)
    if tuple(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")) != SCHEMA:
        raise ValueError("its tables are not those of a state file")


def _connect_for_writing(path: Path) -> sqlite3.Connection:
    uri = path.as_uri() + "?mode=rw"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=0, check_same_thread=False)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        connection.close()
        if _is_busy(error):
            raise _in_use(path) from None
        raise StateFileError(f"{path}: cannot be opened for writing: {error}") from error
    return connection


_UNTOUCHED = "; this one was left as it is"


def _damaged(path: Path, how: str) -> StateFileError:
    return StateFileError(f"{path}: is damaged ({how}); put back a copy of it, or name another file{_UNTOUCHED}")


def _in_use(path: Path) -> StateFileError:
    return StateFileError(f"{path}: is in use by another process; stop that one, or name another file")


def _is_busy(error: Exception) -> bool:
    # The low byte is the kind of the error, the others say more of it.
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
