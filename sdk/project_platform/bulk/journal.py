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
import json
import os
import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Final

from ..errors import InputChangedError, JournalInUseError
from .journal_file import (
    SCHEMA,
    check_file,
    check_tables,
    count_rows,
    errors_of,
    file_id,
    journal_error,
    locked,
    read_lines,
    settle_row,
)
from .journal_rows import NUMBERS, STATES, End, Intent, Line, OpenBatch, State

_ROW_WITH: Final = (
    "select row from item where named = 1 and coalesce(external_id, key) = ? and row <> ? order by row limit 1"
)
_MIN_BLOCK, _MAX_BLOCK = 64, 8192


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
        self._lock = locked(self.path)
        try:
            self._open(service)
        except BaseException:
            self._lock.close()
            raise
        self._block, self._reserved_at = _MIN_BLOCK, time.monotonic()

    def _open(self, service: str) -> None:
        with errors_of(self.path):
            # Python's own transactions are off. The engine's thread may change between two runs.
            self._db = db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            with errors_of(self.path):
                check_tables(db, self.path)
                db.execute("pragma journal_mode = wal")
                db.execute("pragma synchronous = full")
                with self._transaction():
                    self._begin(service)
                db.execute("pragma synchronous = normal")
            self._file = file_id(self.path)
        except BaseException:
            db.close()
            raise

    def _begin(self, service: str) -> None:
        db, boot = self._db, _boot_id()
        if not db.execute("select 1 from sqlite_master").fetchone():
            for statement in SCHEMA:
                db.execute(statement)
            db.execute("insert into run (epoch, service, boot, reserved) values (0, ?, ?, 0)", (service, boot))
        known, known_boot, self._reserved = db.execute("select service, boot, reserved from run").fetchone()
        if known != service:
            raise InputChangedError(
                f"{self.path} is the journal of a run on {known}, and this one is on {service}; give another journal"
            )
        if lost := bool(self._reserved and (boot is None or boot != known_boot)):
            self._doubt_reserved()
        self.lost_power: bool = lost
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

    def commit(
        self,
        intents: Sequence[Intent],
        ends: Sequence[End],
        unsent: Sequence[tuple[Intent, End]] = (),
        begun: Sequence[OpenBatch] = (),
        ended: Sequence[str] = (),
    ) -> None:
        """Write the ends of attempts, then the intents, in one transaction. Only then may the rows be sent.

        Args:
            intents: The rows that are about to be sent.
            ends: The ends of rows that have a line.
            unsent: The ends of rows that were not sent by this process.
            begun: The batches in which an executor gets the rows.
            ended: The names of batches whose rows have all ended.

        Raises:
            JournalInUseError: Another process has taken the journal over.
            JournalError: It cannot be written. Nothing of this turn is in it.
        """
        with errors_of(self.path):
            self._end_reading()
            if not (intents or ends or unsent or ended):
                return
            if intents and (last := max(intents)[0]) >= self._reserved:
                self._reserve(last)
            with self._transaction():
                self._check_epoch()
                self._write(intents, ends, unsent)
                if begun or ended:
                    self._write_batches(begun, ended)

    def _write(self, intents: Sequence[Intent], ends: Sequence[End], unsent: Sequence[tuple[Intent, End]]) -> None:
        db, epoch = self._db, self._epoch
        db.executemany(
            "update item set state = ?, ref = ?, note = ? where row = ?",
            [(NUMBERS[state], ref, note, row) for row, state, ref, note in ends],
        )
        db.executemany(
            "insert into item (row, digest, key, state, epoch, attempts, note) values (?, ?, ?, ?, ?, 0, ?)"
            " on conflict (row) do update set digest = excluded.digest, key = excluded.key, state = excluded.state,"
            " note = excluded.note",
            [(i.row, i.digest, i.key, NUMBERS[end.state], epoch, end.note) for i, end in unsent],
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

    def _write_batches(self, begun: Sequence[OpenBatch], ended: Sequence[str]) -> None:
        lines: list[tuple[str, str, str]] = []
        for batch in begun:
            rows = [(row, doubt, self._doubtful_attempt(row)) for row, doubt in batch.rows]
            lines.append((batch.name, batch.claims, json.dumps(rows, separators=(",", ":"))))
        self._db.executemany("insert into batch (name, claims, rows) values (?, ?, ?)", lines)
        self._db.executemany("delete from batch where name = ?", [(name,) for name in ended])

    def _doubtful_attempt(self, row: int) -> int | None:
        """Return the number of the attempt in which a row is in doubt, or None if it is not."""
        found = self._db.execute("select attempts from item where row = ? and state = 1", (row,)).fetchone()
        return None if found is None else int(found[0])

    def open_batches(self) -> list[OpenBatch]:
        """Return the batches that executors had when earlier processes ended, with the rows that are in doubt since then.

        A row that was sent again later, in another batch or without one, is not among them.
        """
        with errors_of(self.path):
            found = self._db.execute("select name, claims, rows from batch order by name").fetchall()
            return [
                OpenBatch(
                    name,
                    claims,
                    tuple(
                        (row, doubt)
                        for row, doubt, attempt in json.loads(rows)
                        if attempt == self._doubtful_attempt(row)
                    ),
                )
                for name, claims, rows in found
            ]

    def _reserve(self, row: int) -> None:
        """Announce that rows up to about the work of a second after this one may be sent, and sync the file."""
        check_file(self.path, self._file)
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
        with errors_of(self.path):
            found = self._db.execute("select row, state, digest from item where row >= ? and row < ?", (first, end))
            return {row: (STATES[state], digest) for row, state, digest in found}

    def end(self) -> int:
        """Return the number after that of the last known row; 0 if there is none."""
        with errors_of(self.path):
            last = self._db.execute("select max(row) from item").fetchone()[0]
        return 0 if last is None else int(last) + 1

    def forget_reserved(self, first: int) -> None:
        """Remove the rows from `first` on that are known only because a power cut may have taken their lines."""
        with errors_of(self.path):
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
            raise journal_error(self.path, error) from error
        return None if found is None else int(found[0])

    def _end_reading(self) -> None:
        """End the transaction of `row_with`."""
        if self._db.in_transaction:
            self._db.execute("commit")

    def counts(self) -> dict[State, int]:
        """Return the number of rows in each state."""
        return count_rows(self._db, self.path)

    def lines(self, *states: State) -> Iterator[Line]:
        """Return the rows in these states, in the order of the input."""
        return read_lines(self._db, self.path, states)

    def settle(self, row: int, state: State, ref: str | None) -> bool:
        """Write what a person found out about a row; return whether the row was unknown, or in doubt since another process."""
        with errors_of(self.path):
            self._end_reading()
        return settle_row(self._db, self.path, row, state, ref, before_epoch=self._epoch)

    def close(self) -> None:
        """Close the file. Every row in it that was sent has its end, or is in doubt."""
        if self._lock.closed:
            return
        try:
            with errors_of(self.path), contextlib.closing(self._db) as db:
                check_file(self.path, self._file)
                self._end_reading()
                db.execute("pragma synchronous = full")
                # Synced, so no power cut takes a line any more.
                db.execute("update run set reserved = 0 where epoch = ?", (self._epoch,))
        finally:
            self._lock.close()


def _boot_id() -> str | None:
    """Return what differs from one start of the machine to the next, or None where there is no such value."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return None
