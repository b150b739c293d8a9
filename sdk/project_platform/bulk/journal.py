"""The journal of a run: which rows were about to be sent, and how they ended. It survives `kill -9` and a power cut.

A row of the input has no line here until it is about to be sent. Then, in this order: its intent is committed, its request
is sent, its outcome is committed. So after a crash, a row whose line has no outcome may have been applied, and no other may.
Intents and outcomes of one turn of the engine share a transaction.

A commit that is not synced survives the end of the process, but not a power cut; a synced one takes milliseconds. So about
once a second one synced commit says up to which row the next intents go (`reserved`). If the machine was started again
since, every row before `reserved` without an outcome may have been sent: about the work of a second.

The lines of an open journal are in SQLite's log beside it. The journal itself says that it is open, so that a copy without
the log is noticed. A reader never merges the log, which would look like its loss.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, Literal, NamedTuple, TypeAlias
from urllib.parse import quote
from uuid import UUID
from weakref import WeakSet

from ..errors import InputChangedError, JournalError, JournalInUseError, UsageError
from .file_lock import try_lock

State: TypeAlias = Literal["waiting", "in doubt", "yes", "in effect", "no", "unknown"]
"""The state of a row in the journal: not applied and to be sent; perhaps sent; or how it ended, as `applied` has it."""

STATES: Final[tuple[State, ...]] = ("waiting", "in doubt", "yes", "in effect", "no", "unknown")
NUMBERS: Final[dict[str, int]] = {state: number for number, state in enumerate(STATES)}

Kind: TypeAlias = Literal[State, "lost", "conflict", "refused", "not sent", "unsent", "forbidden", "stop"]
"""The end of an attempt: a state of its row; or without a clear response ("lost"), with a 409 after a doubt ("conflict"), with 429
("refused"), before it was sent, without having begun ("unsent"), with 403 ("forbidden"), or with an error that ends the run
("stop")."""

_MAX_NOTE: Final = 500  # characters of an error in the journal


@dataclass(slots=True)
class End:
    """The end of an attempt of a row, or of the row. In a journal and beside a claim, only `kind`, `ref` and `note` are written."""

    kind: Kind
    value: Any = None  # of the response
    error: BaseException | None = None
    retry_after: float | None = None  # the pause that the service asks for
    ref: str | None = None  # the identifier of the record in the value
    note: str | None = None  # the error as text

    def __post_init__(self) -> None:
        self.ref = _id_of(self.value) or self.ref
        if self.error is not None:
            self.note = f"{type(self.error).__name__}: {self.error}"
        if self.note is not None:
            self.note = self.note[:_MAX_NOTE]


def _id_of(value: Any) -> str | None:
    """Return the identifier of what a call created or changed: a record or a workflow, an event, a sub-project."""
    for owner, name in ((value, "id"), (value, "booking_uid"), (getattr(value, "project", None), "id")):
        if isinstance(found := getattr(owner, name, None), str | UUID):
            return str(found)
    return None


@dataclass(slots=True)
class Intent:
    """A row that is about to be sent, as the journal has it."""

    row: int  # position in the input, from 0
    digest: bytes  # of the row, or of operation, path and body
    key: str | None = None  # identifies the row for a person
    external_id: str | None = None  # of the record that the row creates


class KnownRow(NamedTuple):
    """The part of an entry that a continued run compares with its row."""

    state: State = "waiting"
    digest: bytes = b""
    key: str | None = None


@dataclass(frozen=True, slots=True)
class BulkRow:
    """A row as the journal has it.

    Attributes:
        row: Position of the row in the input, from 0.
        key: `external_id` of a create, `record_id` of a change, or the key that the row was given; None if there is none.
        applied: Whether the row was applied; "waiting" if it is sent by the next run, "in doubt" if it was being sent when its
            process ended.
        error: The error that the row ended with, as text; None without an error.
        record_id: Identifier of the record in the response; None if there was none.
    """

    row: int
    key: str | None
    applied: State
    error: str | None
    record_id: str | None


class OpenBatch(NamedTuple):
    """Rows that an executor gets, and that it sends only if it claims the batch."""

    name: str
    claims: str  # their place
    rows: tuple[tuple[int, bool], ...]  # their positions, and whether each was in doubt before


@dataclass(slots=True)
class Turn:
    """The entries that a turn of the engine writes to the journal."""

    intents: list[Intent] = field(default_factory=list[Intent])  # rows that are about to be sent
    ends: list[tuple[int, End]] = field(default_factory=list[tuple[int, End]])  # by position; or that a row waits again
    unsent: list[Intent] = field(default_factory=list[Intent])  # rows of `ends` that this process did not send
    begun: list[OpenBatch] = field(default_factory=list[OpenBatch])  # batches in which an executor gets the rows
    ended: list[str] = field(default_factory=list[str])  # names of batches whose rows have all ended


GATHERED: Final = "partitions in "  # and the place of their claims, in the place of base URL and project
SENT_AGAIN: Final = "with another journal, all rows would be sent again"
_BY_HAND: Final = "settled by hand"  # the note of a row, until it is sent
_LAST_ROW: Final = 2**63 - 1  # of SQLite
_VERSION: Final = 3  # of the tables and digests
_LOOKED_AT: Final = "state in (4, 5)"  # no and unknown
_SCHEMA: Final = (
    """create table run (
        epoch integer not null,             -- number of processes that have opened the journal
        service text not null,              -- base URL and project
        boot text,                          -- identifies the start of the machine
        reserved integer not null,          -- rows before this one may be sent before the next synced commit
        open integer not null               -- whether lines may be in the log beside the file
    )""",
    """create table item (
        row integer primary key,            -- position in the input, from 0
        digest blob not null,               -- of the row and how it is sent; empty if a power cut took the line
        state integer not null,             -- index in STATES
        epoch integer not null,             -- of the process that wrote the intent
        attempts integer not null default 1, -- number of intents to send it
        named integer not null default 0,   -- whether the row creates a record with an external_id
        key text,                           -- external_id, record_id, or the key that the user gave
        external_id text,                   -- of a create whose key is another
        ref text,                           -- identifier of the record in the response
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
    f"pragma user_version = {_VERSION}",
)
_ROW_WITH: Final = (
    "select row from item where named = 1 and coalesce(external_id, key) = ? and row <> ? order by row limit 1"
)
_MIN_BLOCK, _MAX_BLOCK = 64, 8192
_BLOCK_WITHOUT_BOOT_ID: Final = 100  # since each crash leaves the rest of a block unknown


class Journal:
    """A journal that is open for a run, which no other process can open meanwhile.

    Args:
        path: The file; it is created if there is none. It must be on a local file system.
        service: Base URL and project, to which the journal belongs.
    """

    def __init__(self, path: str | os.PathLike[str], service: str) -> None:
        self.path: Path = Path(path)
        self._process, self._epoch, self._is_whole = os.getpid(), 0, False
        self._opened = contextlib.ExitStack()
        try:
            with _errors_of(self.path):
                self._lock = self._opened.enter_context(_locked(self.path))
                _check_names(self.path)
                has_log = _log_of(self.path).exists()
                # Python's own transactions are off. The engine's thread is another one than that of the `with` statement.
                self._db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
                self._opened.callback(self._db.close)
                self._is_whole = has_log
                self._open(service)
        except BaseException:
            self._abandon()
            raise
        self._file = _file_id(self.path)
        self._block, self._reserved_at = _MIN_BLOCK, time.monotonic()

    def _abandon(self) -> None:
        """Close the file. SQLite merges its log, so that no line is missing without it, also before the run began or after an error."""
        with contextlib.ExitStack() as after, self._opened:
            if self._is_whole:
                try:
                    self._end_reading("rollback")
                    self._db.execute("update run set open = 0 where open = 1 and ? in (0, epoch)", (self._epoch,))
                except sqlite3.Error:  # as on a full disk: it must not merge, so it is not the last connection
                    with contextlib.suppress(sqlite3.Error):
                        after.enter_context(_connected(self.path, "ro")).execute("select 1 from run")

    def __del__(self) -> None:
        """Abandon a journal whose run was interrupted before it began; not that of the parent in a forked child."""
        if hasattr(self, "_lock") and not self._lock.closed and self._process == os.getpid():
            self._abandon()

    def _open(self, service: str) -> None:
        db = self._db
        db.execute("pragma synchronous = full")
        if db.execute("pragma page_count").fetchone()[0]:
            _check_tables(db, self.path, has_log=self._is_whole)
        else:  # without a log, so the file has all tables or none
            with self._transaction():
                for statement in _SCHEMA:
                    db.execute(statement)
                db.execute("insert into run values (0, ?, ?, 0, 0)", (service, _boot_id()))
        self._is_whole = True
        db.execute("pragma journal_mode = wal")
        with self._transaction():
            self._begin(service)
        self._epoch = int(db.execute("select epoch from run").fetchone()[0])
        self._was_complete = _is_complete(db)
        db.execute("pragma wal_checkpoint(truncate)")  # from here on the file itself says that it is open
        db.execute("pragma synchronous = normal")

    def _begin(self, service: str) -> None:
        db, boot = self._db, _boot_id()
        known, known_boot, self._reserved = db.execute("select service, boot, reserved from run").fetchone()
        if known.startswith(GATHERED) and known != service:
            raise InputChangedError(
                f"{self.path} has the outcomes of {known}, and no run continues it; run the tasks again to send rows, and write down what "
                "became of an unknown one with `project-platform bulk settle`"
            )
        if known != service:
            raise InputChangedError(
                f"{self.path} is the journal of a run on {known}, and this one is on {service}; give the same address and project, or, "
                "if it is another service, another journal, with which all rows are sent again"
            )
        if lost := bool(self._reserved and (boot is None or boot != known_boot)):
            self._doubt_reserved()
        self.lost_power: bool = lost
        self._max_block = _MAX_BLOCK if boot is not None else _BLOCK_WITHOUT_BOOT_ID
        db.execute("update run set epoch = epoch + 1, boot = ?, open = 1", (boot,))

    def _doubt_reserved(self) -> None:
        """Put the rows in doubt that may have been sent by commits that the power cut took."""
        self._db.execute("update item set state = 1 where state = 0 and row < ?", (self._reserved,))
        self._db.execute(
            "with recursive number (row) as (select 0 union all select row + 1 from number where row + 1 < ?)"
            " insert into item (row, digest, state, epoch) select row, x'', 1, 0 from number"
            " where not exists (select 1 from item where item.row = number.row)",
            (self._reserved,),
        )

    def commit(self, turn: Turn) -> None:
        """Write unsent rows, the ends of attempts, then the intents, in one transaction. Only then may the rows be sent.

        Raises:
            JournalInUseError: Another process has taken the journal over.
            JournalError: It cannot be written. Nothing of this turn is in it.
        """
        with _errors_of(self.path):
            self._end_reading()
            if turn == Turn():
                return
            if turn.intents and (last := max(intent.row for intent in turn.intents)) >= self._reserved:
                self._reserve(last)
            with self._transaction():
                self._check_epoch()
                self._write(turn)

    def _write(self, turn: Turn) -> None:
        db = self._db
        self._write_intents(turn.unsent)
        db.executemany(
            "update item set state = ?, ref = ?, note = ? where row = ?",
            [(NUMBERS[end.kind], end.ref, end.note, row) for row, end in turn.ends],
        )
        self._write_intents(turn.intents)
        db.executemany("insert into batch (name, claims, rows) values (?, ?, ?)", map(self._batch_line, turn.begun))
        db.executemany("delete from batch where name = ?", [(name,) for name in turn.ended])

    def _write_intents(self, intents: list[Intent]) -> None:
        self._db.executemany(
            "insert into item (row, digest, key, named, external_id, state, epoch) values (?, ?, ?, ?, ?, 1, ?)"
            " on conflict (row) do update set state = 1, epoch = excluded.epoch, attempts = attempts + 1,"
            " digest = excluded.digest, key = excluded.key, named = excluded.named, external_id = excluded.external_id",
            [
                (
                    i.row,
                    i.digest,
                    i.key,
                    i.external_id is not None,
                    i.external_id if i.external_id != i.key else None,
                    self._epoch,
                )
                for i in intents
            ],
        )

    def _batch_line(self, batch: OpenBatch) -> tuple[str, str, str]:
        rows = [(row, doubt, self._doubtful_attempt(row)) for row, doubt in batch.rows]
        return batch.name, batch.claims, json.dumps(rows, separators=(",", ":"))

    def _doubtful_attempt(self, row: int) -> int | None:
        """Return the number of the attempt in which a row is in doubt, or None if it is not."""
        found = self._db.execute("select attempts from item where row = ? and state = 1", (row,)).fetchone()
        return None if found is None else int(found[0])

    def open_batches(self) -> list[OpenBatch]:
        """Return the batches that executors had when earlier processes ended, with the rows that are in doubt since then.

        A row that was sent again later, in another batch or without one, is not among them.
        """
        with _errors_of(self.path):
            found = self._db.execute("select name, claims, rows from batch order by name").fetchall()
            return [OpenBatch(name, claims, self._doubtful_rows(rows)) for name, claims, rows in found]

    def _doubtful_rows(self, rows: str) -> tuple[tuple[int, bool], ...]:
        return tuple((row, doubt) for row, doubt, attempt in json.loads(rows) if attempt == self._doubtful_attempt(row))

    def _reserve(self, row: int) -> None:
        """Announce that rows up to about the work of a second after this one may be sent, and sync the file."""
        _check_file(self.path, self._file)
        now = time.monotonic()
        past, self._reserved_at = now - self._reserved_at, now
        if past < 0.5:  # noqa: PLR2004  # half a second, so blocks approach one per second
            self._block = min(self._max_block, self._block * 2)
        elif past > 2:  # noqa: PLR2004
            self._block = max(_MIN_BLOCK, self._block // 2)
        self._db.execute("pragma synchronous = full")
        with self._transaction():
            self._check_epoch()
            self._db.execute("update run set reserved = ?", (row + self._block,))
            self._db.execute("drop table if exists ended")
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

    def known(self, first: int, end: int) -> dict[int, KnownRow]:
        """Return the rows from `first` up to, and without, `end`."""
        with _errors_of(self.path):
            query = "select row, state, digest, key from item where row >= ? and row < ?"
            found = self._db.execute(query, (first, end))
            return {row: KnownRow(STATES[state], digest, key) for row, state, digest, key in found}

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
        """Return the first other row that creates a record with this `external_id`, or None.

        The queries of a turn share a transaction, which the next `commit` ends: one for each would take five times as long.
        """
        try:  # and no `with`, which would cost as much as the query, for each row
            if not self._db.in_transaction:
                self._db.execute("begin")
            found = self._db.execute(_ROW_WITH, (external_id, other_than)).fetchone()
        except sqlite3.Error as error:
            raise _journal_error(self.path, error) from error
        return None if found is None else int(found[0])

    def _end_reading(self, end: Literal["commit", "rollback"] = "commit") -> None:
        """End the transaction of `row_with`, or one that was interrupted."""
        if self._db.in_transaction:
            self._db.execute(end)

    def close(self, *, complete: bool | None = None) -> None:
        """Close the file. Every row that was sent has its end, or is in doubt.

        Args:
            complete: Whether it has all rows of the input; None if that is as it was before.
        """
        if self._lock.closed:
            return
        try:
            with _errors_of(self.path):
                _check_file(self.path, self._file)
                self._end_reading()
                self._db.execute("pragma synchronous = full")
                is_complete = self._was_complete if complete is None else complete
                how = "create table if not exists ended (row integer)" if is_complete else "drop table if exists ended"
                self._db.execute(how)
                # Synced, so no power cut takes a line any more.
                self._db.execute("update run set reserved = 0, open = 0 where epoch = ?", (self._epoch,))
        finally:
            self._abandon()


class ClosedJournal:
    """A journal that is only read, or settled, whether or not a run has it open."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        if not self.path.is_file():
            raise JournalError(f"there is no journal {self.path}; give the path that the run was given")
        with self._connected() as db:
            if self.path.stat().st_size:
                _check_tables(db, self.path, has_log=_log_of(self.path).exists())

    @property
    def service(self) -> str:
        """Base URL and project of the run."""
        with self._connected() as db:
            return str(db.execute("select service from run").fetchone()[0])

    @property
    def complete(self) -> bool:
        """Whether it has all rows of the input."""
        with self._connected() as db:
            return _is_complete(db)

    def counts(self) -> dict[State, int]:
        """Return the number of rows in each state."""
        counted = ", ".join(f"count(*) filter (where state = {number})" for number in range(len(STATES)))
        with self._connected() as db:  # half of the time of a `group by`, which sorts
            found = db.execute(f"select {counted} from item").fetchone()  # noqa: S608  # numbers of ours
        return dict(zip(STATES, found, strict=True))

    def lines(self, *states: State) -> Iterator[BulkRow]:
        """Return the rows in these states, in the order of the input."""
        numbers = [NUMBERS[state] for state in states]
        # SQLite uses a partial index only if its condition is in the query.
        indexed = f" and {_LOOKED_AT}" if {4, 5}.issuperset(numbers) else ""
        condition = f"state in ({', '.join(map(str, numbers))}){indexed}"
        with self._connected() as db:
            query = f"select row, key, state, ref, note from item where {condition} order by row"  # noqa: S608  # numbers of ours
            for row, key, state, ref, note in db.execute(query):
                yield BulkRow(row, key, STATES[int(state)], note, ref)

    def reasons(self, state: Literal["yes", "no"], most: int) -> list[tuple[str, int]]:
        """Return the errors of rows in a state, and the number of rows of each, the most frequent ones first.

        A row whose response cannot be read is "yes", and so is one that was applied only in part; both have an error.
        """
        # The number of the row, and the identifier of the request with which the note of a refusal ends, differ from row to row.
        note = "replace(replace(note, 'row ' || row || ' ', 'a row '), 'row ' || row || ':', 'a row:')"
        query = (
            f"select substr({note}, 1, instr({note} || ' (request ', ' (request ') - 1) as reason, count(*) from item"  # noqa: S608
            f" where state = {NUMBERS[state]} and note is not null and note != '{_BY_HAND}'"
            f"{f' and {_LOOKED_AT}' if state == 'no' else ''}"  # all of it of ours
            " group by reason order by count(*) desc, min(row) limit ?"
        )
        with self._connected() as db:
            return db.execute(query, (most,)).fetchall()

    def settle(self, row: int, applied: str, record_id: str | None) -> None:
        """Write the outcome of a row that was unknown, or in doubt since an ended process; see `Bulk.settle`."""
        states: dict[str, State] = {"yes": "yes", "no": "waiting"}
        if applied not in states:
            raise UsageError(
                f'applied is {applied!r}; give "yes", or "no" if the row was not applied and is to be sent'
            )
        with contextlib.ExitStack() as stack:
            is_open = True
            with contextlib.suppress(JournalInUseError):
                stack.enter_context(_locked(self.path))
                is_open = False
            stack.enter_context(_errors_of(self.path))
            db = stack.enter_context(contextlib.closing(sqlite3.connect(self.path, isolation_level=None)))
            if not is_open:  # then this connection merges the log, also after an interruption
                stack.callback(db.execute, "update run set open = 0")
            changed = db.execute(
                "update item set state = ?, ref = coalesce(?, ref), note = ?"
                " where row = ? and (state = ? or (state = ? and epoch < (select epoch + 1 - ? from run))"
                " or (note = ? and state != ? and not ?))",
                (
                    NUMBERS[states[applied]],
                    record_id,
                    _BY_HAND,
                    min(row, _LAST_ROW),
                    NUMBERS["unknown"],
                    NUMBERS["in doubt"],
                    is_open,
                    _BY_HAND,
                    NUMBERS["in doubt"],
                    is_open,
                ),
            )
        if changed.rowcount != 1:
            raise UsageError(
                f"row {row} is not unknown in {self.path}; only a row of which nothing is known can be settled"
            )

    @contextlib.contextmanager
    def _connected(self) -> Generator[sqlite3.Connection]:
        # A connection that can write merges the log when it is the last one; one that only reads leaves an empty log, or needs
        # none of a file that cannot change.
        can_write = os.access(self.path, os.W_OK) and os.access(self.path.absolute().parent, os.W_OK)
        mode = "ro" if _log_of(self.path).exists() else "rw" if can_write else "ro&immutable=1"
        with _errors_of(self.path), _connected(self.path, mode) as db:
            yield db


def _connected(path: Path, mode: str) -> contextlib.closing[sqlite3.Connection]:
    place = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}"  # a name need not be UTF-8
    return contextlib.closing(sqlite3.connect(place, uri=True, isolation_level=None))


def _check_tables(db: sqlite3.Connection, path: Path, *, has_log: bool) -> None:
    """Check that a database is a whole journal, before anything is written to it."""
    tables = {name for (name,) in db.execute("select name from sqlite_master")}
    log = _log_of(path)
    if tables and not {"run", "item"} <= tables:
        raise _not_a_journal(path)
    if not tables:
        raise JournalError(
            f"{path} has no rows, because its log is missing; copy {log.name} beside it from where the run was; {SENT_AGAIN}"
        )
    if db.execute("pragma user_version").fetchone()[0] != _VERSION:
        raise JournalError(
            f"{path} was written by another version of this library; continue it with that one; {SENT_AGAIN}"
        )
    if not has_log and db.execute("select open from run").fetchone()[0]:
        raise JournalError(
            f"the newest rows of {path} are missing, because its run did not close it and its log is not there; copy {log.name} "
            "beside it from where the run was"
        )


def _is_complete(db: sqlite3.Connection) -> bool:
    """Return whether a journal has all rows of the input."""
    return db.execute("select 1 from sqlite_master where name = 'ended'").fetchone() is not None


def _check_names(path: Path) -> None:
    """Check that a file has one name: two runs would not see each other's locks, nor SQLite its log."""
    with contextlib.suppress(FileNotFoundError):
        if path.is_dir():
            raise JournalError(f"{path} is a folder; give the path of a file")
        if path.stat().st_nlink > 1:
            raise JournalError(f"{path} has another name, as a hard link; copy it, and remove the link")


def _log_of(path: Path) -> Path:
    """Return the file in which SQLite writes the newest lines."""
    path = path.resolve()
    return path.with_name(f"{path.name}-wal")


def _file_id(path: Path) -> tuple[int, int] | None:
    """Return the identity of a file, whatever its name, or None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _check_file(path: Path, opened: tuple[int, int] | None) -> None:
    """Check that a journal is still the file that was opened: SQLite writes to one that was removed without an error."""
    if _file_id(path) != opened:
        raise JournalError(
            f"the journal {path} was removed or replaced while its run was active; put it back, or look in the platform for the rows "
            "that were sent"
        )


def _locked(path: Path) -> IO[bytes]:
    """Return the open lock file of a journal, which no other process has; closing it releases the lock."""
    path = path.resolve()  # a symbolic link is another name of the same journal
    name = path.with_name(f"{path.name}.lock")
    try:
        file = name.open("ab")
    except OSError as error:
        raise JournalError(
            f"{name} cannot be opened: {error.strerror or error}; give a path that can be written, or let this one be written: "
            f"{SENT_AGAIN}"
        ) from error
    if try_lock(file.fileno()):
        _LOCKS.add(file)
        return file
    file.close()
    raise JournalInUseError(f"{path} is in use by another run; wait until it ends, or end it")


_LOCKS: Final[WeakSet[IO[bytes]]] = WeakSet()


def _close_locks() -> None:
    """Close the locks in a forked child, such as a worker of a pool, which would keep them after the death of its parent."""
    for file in list(_LOCKS):
        file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_locks)


@contextlib.contextmanager
def _errors_of(path: Path) -> Generator[None]:
    """Raise errors of SQLite as `JournalError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise _journal_error(path, error) from error


def _not_a_journal(path: Path) -> JournalError:
    return JournalError(f"{path} is not the journal of a bulk run; restore it if it was one: {SENT_AGAIN}")


def _journal_error(path: Path, error: sqlite3.Error) -> JournalError:
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB or str(error).startswith("no such "):
        return _not_a_journal(path)
    return JournalError(
        f"the journal {path} cannot be used: {error}; check the disk and the permissions, and run again: the run continues where "
        "the journal ends"
    )


def _boot_id() -> str | None:
    """Return an identifier of the start of the machine, or None where there is none."""
    try:
        if sys.platform == "darwin":
            boot = subprocess.check_output(["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"], text=True)
        elif sys.platform == "win32":
            # Ten seconds, since the clock is adjusted; no machine starts twice in them and sends rows between.
            boot = str(round((time.time() - ctypes.windll.kernel32.GetTickCount64() / 1000) / 10))
        else:
            boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
    except (OSError, AttributeError, subprocess.SubprocessError):
        return None
    return boot.strip()
