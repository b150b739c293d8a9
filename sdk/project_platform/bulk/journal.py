"""The journal of a run: which rows were about to be sent, and how they ended. It survives `kill -9` and a power cut.

A row of the input has no line here until it is about to be sent. Then, in this order: its intent is committed, its request
is sent, its outcome is committed. So after a crash, a row whose line has no outcome may have been applied, and no other may.
Intents and outcomes of one turn of the engine share a transaction.

A commit that is not synced survives the end of the process, but not a power cut; a synced one takes milliseconds. So about
once a second one synced commit says up to which row the next intents go (`reserved`). If the machine was started again
since, every row before `reserved` without an outcome may have been sent: about the work of a second.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final, Literal, NamedTuple, TypeAlias

from ..errors import InputChangedError, JournalError, JournalInUseError
from .file_lock import try_lock

State: TypeAlias = Literal["waiting", "in doubt", "yes", "in effect", "no", "unknown"]
"""The state of a row in the journal: not applied and to be sent; perhaps sent; or how it ended, as `applied` has it."""

STATES: Final[tuple[State, ...]] = ("waiting", "in doubt", "yes", "in effect", "no", "unknown")

_SCHEMA: Final = (
    """create table run (
        epoch integer not null,             -- number of processes that have opened the journal
        service text not null,              -- base URL and project
        boot text,                          -- identifies the start of the machine
        reserved integer not null,          -- rows before this one may be sent before the next synced commit
        created text not null default current_timestamp
    )""",
    """create table item (
        row integer primary key,            -- position in the input, from 0
        digest blob not null,               -- of operation, path and body; empty if a power cut took the line
        state integer not null,             -- index in STATES
        epoch integer not null,             -- of the process that wrote the intent
        attempts integer not null default 1,
        named integer not null default 0,   -- whether the row creates a record with an external_id
        key text,                           -- external_id, record_id, or the key that the user gave
        external_id text,                   -- of a create whose key is another
        ref text,                           -- identifier of the record in the answer
        note text                           -- the error, redacted
    ) without rowid""",
    "create index open on item (state) where state in (0, 1, 4, 5)",
    "create index name on item (coalesce(external_id, key)) where named = 1",
)
_ROW_WITH: Final = (
    "select row from item where named = 1 and coalesce(external_id, key) = ? and row <> ? order by row limit 1"
)
_IN_DOUBT: Final = 1
_UNKNOWN: Final = 5
_MIN_BLOCK, _MAX_BLOCK = 64, 8192


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


class Journal:
    """A journal that is open for a run, which no other process can open meanwhile.

    Args:
        path: The file; it is created if there is none. It must be on a local file system.
        service: Base URL and project, to which the journal belongs.

    Raises:
        JournalInUseError: Another process has it open.
        InputChangedError: It belongs to another service or project.
        JournalError: It cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], service: str) -> None:
        self.path: Path = Path(path)
        self._lock = _locked(self.path)
        try:
            self._open(service)
        except BaseException:
            self._lock.close()
            raise
        self._block, self._reserved_at = _MIN_BLOCK, time.monotonic()

    def _open(self, service: str) -> None:
        with _errors_of(self.path):
            # Python's own transactions are off. The engine's thread may change between two runs.
            self._db = db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            with _errors_of(self.path):
                db.execute("pragma journal_mode = wal")
                db.execute("pragma synchronous = full")
                with self._transaction():
                    self._begin(service)
                db.execute("pragma synchronous = normal")
        except BaseException:
            db.close()
            raise

    def _begin(self, service: str) -> None:
        db, boot = self._db, _boot_id()
        if not db.execute("select 1 from sqlite_master where name = 'item'").fetchone():
            for statement in _SCHEMA:
                db.execute(statement)
            db.execute("insert into run (epoch, service, boot, reserved) values (0, ?, ?, 0)", (service, boot))
        known, known_boot, self._reserved = db.execute("select service, boot, reserved from run").fetchone()
        if known != service:
            raise InputChangedError(
                f"{self.path} is the journal of a run on {known}, and this one is on {service}; give another journal"
            )
        if self._reserved and (boot is None or boot != known_boot):
            self._doubt_reserved()
        db.execute("update run set epoch = epoch + 1, boot = ?", (boot,))
        self._epoch: int = db.execute("select epoch from run").fetchone()[0]

    def _doubt_reserved(self) -> None:
        """Put the rows in doubt that may have been sent by commits that the power cut took."""
        self._db.execute("update item set state = 1 where state = 0 and row < ?", (self._reserved,))
        self._db.execute(
            "with recursive number (row) as (select 0 union all select row + 1 from number where row + 1 < ?)"
            " insert into item (row, digest, state, epoch) select row, x'', 1, 0 from number"
            " where not exists (select 1 from item where item.row = number.row)",
            (self._reserved,),
        )

    def commit(self, intents: Sequence[Intent], ends: Sequence[End], unsent: Sequence[tuple[Intent, End]] = ()) -> None:
        """Write the ends of attempts, then the intents, in one transaction. Only then may the rows be sent.

        Args:
            intents: The rows that are about to be sent.
            ends: The ends of rows that have a line.
            unsent: The ends of rows that were not sent by this process.

        Raises:
            JournalInUseError: Another process has taken the journal over.
            JournalError: It cannot be written. Nothing of this turn is in it.
        """
        if not (intents or ends or unsent):
            return
        with _errors_of(self.path):
            if intents and (last := max(intents)[0]) >= self._reserved:
                self._reserve(last)
            with self._transaction():
                self._check_epoch()
                self._write(intents, ends, unsent)

    def _write(self, intents: Sequence[Intent], ends: Sequence[End], unsent: Sequence[tuple[Intent, End]]) -> None:
        db, epoch = self._db, self._epoch
        db.executemany(
            "update item set state = ?, ref = ?, note = ? where row = ?",
            [(_NUMBERS[state], ref, note, row) for row, state, ref, note in ends],
        )
        db.executemany(
            "insert into item (row, digest, key, state, epoch, attempts, note) values (?, ?, ?, ?, ?, 0, ?)"
            " on conflict (row) do update set digest = excluded.digest, key = excluded.key, state = excluded.state,"
            " note = excluded.note",
            [(i.row, i.digest, i.key, _NUMBERS[end.state], epoch, end.note) for i, end in unsent],
        )
        db.executemany(
            "insert into item (row, digest, key, named, external_id, state, epoch) values (?, ?, ?, ?, ?, 1, ?)"
            " on conflict (row) do update set state = 1, epoch = excluded.epoch, attempts = attempts + 1,"
            " digest = excluded.digest, key = excluded.key, named = excluded.named, external_id = excluded.external_id",
            [
                (row, digest, key, external_id is not None, external_id if external_id != key else None, epoch)
                for row, digest, key, external_id in intents
            ],
        )

    def _reserve(self, row: int) -> None:
        """Announce that rows up to about the work of a second after this one may be sent, and sync the file."""
        now = time.monotonic()
        past, self._reserved_at = now - self._reserved_at, now
        if past < 0.5:  # noqa: PLR2004  # half a second, so blocks approach one per second
            self._block = min(_MAX_BLOCK, self._block * 2)
        elif past > 2:  # noqa: PLR2004
            self._block = max(_MIN_BLOCK, self._block // 2)
        self._db.execute("pragma synchronous = full")
        with self._transaction():
            self._check_epoch()
            self._db.execute("update run set reserved = ?", (row + self._block,))
        self._reserved = row + self._block
        self._db.execute("pragma synchronous = normal")

    def _check_epoch(self) -> None:
        if self._db.execute("select epoch from run").fetchone()[0] != self._epoch:
            raise JournalInUseError(
                f"{self.path} was taken over by another process, and nothing was sent since; wait for that process"
            )

    @contextlib.contextmanager
    def _transaction(self) -> Generator[None]:
        self._db.execute("begin immediate")
        try:
            yield
            self._db.execute("commit")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("rollback")
            raise

    def known(self, first: int, end: int) -> dict[int, tuple[State, bytes]]:
        """Return state and digest of the rows from `first` up to, and without, `end`."""
        with _errors_of(self.path):
            found = self._db.execute("select row, state, digest from item where row >= ? and row < ?", (first, end))
            return {row: (STATES[state], digest) for row, state, digest in found}

    def end(self) -> int:
        """Return the number after that of the last known row; 0 if there is none."""
        with _errors_of(self.path):
            last = self._db.execute("select max(row) from item").fetchone()[0]
        return 0 if last is None else int(last) + 1

    def forget_reserved(self, first: int) -> None:
        """Remove the rows from `first` on that are known only because a power cut may have taken their lines."""
        with _errors_of(self.path):
            self._db.execute("delete from item where row >= ? and digest = x''", (first,))

    def row_with(self, external_id: str, other_than: int) -> int | None:
        """Return the first other row that creates a record with this `external_id`, or None."""
        try:  # and no `with`, which would cost as much as the query, for each row
            found = self._db.execute(_ROW_WITH, (external_id, other_than)).fetchone()
        except sqlite3.Error as error:
            raise _journal_error(self.path, error) from error
        return None if found is None else int(found[0])

    def counts(self) -> dict[State, int]:
        """Return the number of rows in each state."""
        return _counts(self._db, self.path)

    def lines(self, *states: State) -> Iterator[Line]:
        """Return the rows in these states, in the order of the input."""
        return _lines(self._db, self.path, states)

    def settle(self, row: int, state: State, ref: str | None) -> bool:
        """Write what a person found out about a row; return whether the row was unknown, or in doubt since another process."""
        return _settle(self._db, self.path, row, state, ref, before_epoch=self._epoch)

    def close(self) -> None:
        """Close the file. Every row in it that was sent has its end, or is in doubt."""
        if self._lock.closed:
            return
        try:
            with _errors_of(self.path), contextlib.closing(self._db) as db:
                db.execute("pragma synchronous = full")
                # Synced, so no power cut takes a line any more.
                db.execute("update run set reserved = 0 where epoch = ?", (self._epoch,))
        finally:
            self._lock.close()


_NUMBERS: Final[dict[State, int]] = {state: number for number, state in enumerate(STATES)}


class ClosedJournal:
    """A journal that is only read, or settled, whether or not a run has it open.

    Raises:
        JournalError: There is none, or it cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        if not self.path.is_file():
            raise JournalError(f"there is no journal {self.path}; give the path that the run was given")

    @property
    def service(self) -> str:
        """Base URL and project of the run."""
        with self._connected() as db:
            return str(db.execute("select service from run").fetchone()[0])

    def counts(self) -> dict[State, int]:
        """Return the number of rows in each state."""
        with self._connected() as db:
            return _counts(db, self.path)

    def lines(self, *states: State) -> Iterator[Line]:
        """Return the rows in these states, in the order of the input."""
        with self._connected() as db:
            yield from _lines(db, self.path, states)

    def settle(self, row: int, state: State, ref: str | None) -> bool:
        """Same as `Journal.settle`; a row in doubt can be settled only while no run has the journal open."""
        with contextlib.ExitStack() as stack:
            db, in_doubt = stack.enter_context(self._connected()), False
            with contextlib.suppress(JournalInUseError):
                stack.enter_context(_locked(self.path))
                in_doubt = True
            return _settle(db, self.path, row, state, ref, before_epoch=2**62 if in_doubt else 0)

    @contextlib.contextmanager
    def _connected(self) -> Generator[sqlite3.Connection]:
        with _errors_of(self.path), contextlib.closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            yield db


def _counts(db: sqlite3.Connection, path: Path) -> dict[State, int]:
    with _errors_of(path):
        found = dict(db.execute("select state, count(*) from item group by state").fetchall())
    return {state: found.get(number, 0) for number, state in enumerate(STATES)}


def _lines(db: sqlite3.Connection, path: Path, states: Iterable[State]) -> Iterator[Line]:
    numbers = [_NUMBERS[state] for state in states]
    marks = ", ".join("?" * len(numbers))
    with _errors_of(path):
        query = f"select row, key, state, ref, note from item where state in ({marks}) order by row"  # noqa: S608  # only marks
        for row, key, state, ref, note in db.execute(query, numbers):
            yield Line(row, key, STATES[state], ref, note)


def _settle(db: sqlite3.Connection, path: Path, row: int, state: State, ref: str | None, *, before_epoch: int) -> bool:
    with _errors_of(path):
        changed = db.execute(
            "update item set state = ?, ref = coalesce(?, ref), note = 'settled by hand'"
            " where row = ? and (state = ? or (state = ? and epoch < ?))",
            (_NUMBERS[state], ref, row, _UNKNOWN, _IN_DOUBT, before_epoch),
        )
    return changed.rowcount == 1


def _locked(path: Path) -> IO[bytes]:
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
        return file
    file.close()
    raise JournalInUseError(f"{path} is in use by another run; wait until it ends, or give another journal")


def _boot_id() -> str | None:
    """Return what differs from one start of the machine to the next, or None where there is no such value."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return None


@contextlib.contextmanager
def _errors_of(path: Path) -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _journal_error(path, error) from error


def _journal_error(path: Path, error: sqlite3.Error) -> JournalError:
    return JournalError(
        f"the journal {path} cannot be used: {error}; check the disk and the permissions, and run again: the run continues where "
        "the journal ends"
    )
