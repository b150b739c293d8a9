"""The file of a journal: its tables, its lock, and what is read of it while a run has it open and after."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import IO, Final
from weakref import WeakSet

from ..errors import JournalError, JournalInUseError
from .file_lock import try_lock
from .journal_rows import NUMBERS, STATES, Line, State

_LOOKED_AT: Final = "state in (4, 5)"  # no and unknown
SCHEMA: Final = (
    """create table run (
        epoch integer not null,             -- number of processes that have opened the journal
        service text not null,              -- base URL and project
        boot text,                          -- identifies the start of the machine
        reserved integer not null           -- rows before this one may be sent before the next synced commit
    )""",
    """create table item (
        row integer primary key,            -- position in the input, from 0
        digest blob not null,               -- of operation, path and body; empty if a power cut took the line
        state integer not null,             -- index in STATES
        epoch integer not null,             -- of the process that wrote the intent
        attempts integer not null default 1, -- number of intents to send it
        named integer not null default 0,   -- whether the row creates a record with an external_id
        key text,                           -- external_id, record_id, or the key that the user gave
        external_id text,                   -- of a create whose key is another
        ref text,                           -- identifier of the record in the answer
        note text                           -- the error, redacted
    ) without rowid""",
    """create table batch (
        name text primary key,              -- of a batch that an executor has, among the claims
        claims text not null,               -- the place of the claims
        rows text not null                  -- JSON: for each row its position, whether it was in doubt before, and its attempts
    ) without rowid""",
    # Not of the rows in doubt: each row is one while it is in flight, so its two writes would take twice as long. To find them
    # is to read all rows, 0.3 s per million.
    f"create index open on item (state) where {_LOOKED_AT}",
    "create index name on item (coalesce(external_id, key)) where named = 1",
)


def check_tables(db: sqlite3.Connection, path: Path) -> None:
    """Check that a database is new or a journal, before anything is written to it.

    Raises:
        JournalError: It is another database.
    """
    tables = {name for (name,) in db.execute("select name from sqlite_master")}
    if tables and not {"run", "item"} <= tables:
        raise _not_a_journal(path)


def file_id(path: Path) -> tuple[int, int] | None:
    """Return what identifies a file, whatever its name, or None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_file(path: Path, opened: tuple[int, int] | None) -> None:
    """Check that a journal is still the file that was opened: SQLite writes to one that was removed without an error.

    Raises:
        JournalError: It was removed or replaced.
    """
    if file_id(path) != opened:
        raise JournalError(
            f"the journal {path} was removed or replaced while its run was active; put it back, or look in the platform for the rows "
            "that were sent"
        )


def count_rows(db: sqlite3.Connection, path: Path) -> dict[State, int]:
    """Return the number of rows in each state."""
    counted = ", ".join(f"count(*) filter (where state = {number})" for number in range(len(STATES)))
    with errors_of(path):  # half of the time of a `group by`, which sorts
        found = db.execute(f"select {counted} from item").fetchone()  # noqa: S608  # numbers of ours
    return dict(zip(STATES, found, strict=True))


def read_lines(db: sqlite3.Connection, path: Path, states: Iterable[State]) -> Iterator[Line]:
    """Return the rows in these states, in the order of the input."""
    with errors_of(path):
        for row, key, state, ref, note in db.execute(_lines_query(states)):
            yield Line(row, key, STATES[state], ref, note)


def _lines_query(states: Iterable[State]) -> str:
    """Return the query for the rows in these states. SQLite uses a partial index only if its condition is in the query."""
    numbers = [NUMBERS[state] for state in states]
    indexed = f" and {_LOOKED_AT}" if {4, 5}.issuperset(numbers) else ""
    condition = f"state in ({', '.join(map(str, numbers))}){indexed}"
    return f"select row, key, state, ref, note from item where {condition} order by row"  # noqa: S608  # numbers of ours


def settle_row(
    db: sqlite3.Connection, path: Path, row: int, state: State, ref: str | None, *, before_epoch: int
) -> bool:
    """Write what a person found out about a row that is unknown, or in doubt since before an epoch; return whether it is one."""
    with errors_of(path):
        changed = db.execute(
            "update item set state = ?, ref = coalesce(?, ref), note = 'settled by hand'"
            " where row = ? and (state = ? or (state = ? and epoch < ?))",
            (NUMBERS[state], ref, row, NUMBERS["unknown"], NUMBERS["in doubt"], before_epoch),
        )
    return changed.rowcount == 1


def locked(path: Path) -> IO[bytes]:
    """Return the open lock file of a journal; closing it releases the lock.

    Raises:
        JournalInUseError: Another process has it.
        JournalError: It cannot be opened.
    """
    name = path.with_name(f"{path.name}.lock")
    try:
        file = name.open("ab")
    except OSError as error:
        raise JournalError(
            f"{name} cannot be opened: {error.strerror or error}; give a path that can be written"
        ) from error
    if try_lock(file.fileno()):
        _LOCKS.add(file)
        return file
    file.close()
    raise JournalInUseError(f"{path} is in use by another run; wait until it ends, or give another journal")


_LOCKS: Final[WeakSet[IO[bytes]]] = WeakSet()


def _close_locks() -> None:
    """Close the locks in a forked child, such as a worker of a pool, which would keep them after the death of its parent."""
    for file in list(_LOCKS):
        file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_locks)


@contextlib.contextmanager
def errors_of(path: Path) -> Generator[None]:
    """Raise errors of SQLite as `JournalError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise journal_error(path, error) from error


def _not_a_journal(path: Path) -> JournalError:
    """Return the error of a file that is something else."""
    return JournalError(f"{path} is not the journal of a bulk run; give another path")


def journal_error(path: Path, error: sqlite3.Error) -> JournalError:
    """Return an error of SQLite as one of the journal."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB or str(error).startswith("no such "):
        return _not_a_journal(path)
    return JournalError(
        f"the journal {path} cannot be used: {error}; check the disk and the permissions, and run again: the run continues where "
        "the journal ends"
    )
