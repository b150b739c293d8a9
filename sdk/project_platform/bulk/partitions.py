"""A partition of an input whose engine has no executor: `map_partitions`, Spark's `mapPartitions`, mapped tasks of Airflow.

The claims are its journal: a batch is claimed when its first row is read, and its outcomes are written beside the claim.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import count, islice
from typing import TYPE_CHECKING, Final, cast

from ..calls.operation import Applied
from ..errors import InputChangedError, JournalError, UsageError
from .attempt import BulkOptions, Sending, repeatable
from .candidates import Unsent, reader_of, sending_of
from .claims import Claim, ClaimedRows, Claims
from .journal import GATHERED, End, Intent, Journal, Turn
from .report import BulkOutcome, BulkReport
from .run import Bulk, BulkItem

if TYPE_CHECKING:
    from ..client import Client, Project

_BATCH_ROWS: Final = 64
_NOT_WRITTEN: Final = End("unknown", note="another run of the task has it, and wrote no outcome")


def partition(
    project: Project,
    items: Iterable[BulkItem],
    *,
    claims: str | os.PathLike[str],
    name: str,
    settle: bool = False,
    most: int | None = None,
) -> Iterator[BulkOutcome]:
    """Send the rows of a partition, and yield the outcome of each row when it is written beside the claims.

    It can be run again, and by several workers at once: no row is sent twice, unless that has the same effect as once. Also
    rows that were sent by another run of the task are yielded, with the outcome that it wrote; if it wrote none, a row is
    "unknown", because the other run may still be sending it.

    Args:
        project: The project, of a client that the worker made.
        items: The rows of the partition, the same ones in the same order whenever the task is run.
        claims: Where batches are claimed, in a place that all workers see: a folder, or a URL such as `s3://bucket/deals` whose
            credentials are those of the environment. Give another one for another input.
        name: The name of the partition, without slashes.
        settle: Whether rows are settled, as by `client.settle`, of which it is not known whether they were applied.
        most: Maximum number of requests of this task in flight. The default is the number of connections of the client.

    Raises:
        InputChangedError: The rows are not those of the earlier run of the task.
        JournalError: The claims cannot be written.
        PlatformError: The errors of `Bulk.run`.
    """
    if not name or "/" in name:
        raise UsageError(f"name is {name!r}; give the name of the partition, without slashes")
    options = BulkOptions(settle=settle, most=most)
    client = project._client  # pyright: ignore[reportPrivateUsage]  # a run needs more of it than its public part
    return _Partition(client, project.id, Claims(claims, create=True), name, options).send(items)


class _Partition(Bulk):
    """A run whose journal is the claims of its batches."""

    def __init__(self, caller: Client, project_id: str, claims: Claims, name: str, options: BulkOptions) -> None:
        super().__init__(caller, project_id, f"{claims.place}/{name}", options)
        self._claims, self._name = claims, name
        self._rows = ClaimedRows(claims.interval)
        self._earlier: list[BulkOutcome] = []  # of rows that another run of the task sent

    def send(self, items: Iterable[BulkItem]) -> Iterator[BulkOutcome]:
        """Send the rows that no other run of the task sends, and yield all outcomes."""
        with self:
            for outcome in self.stream(cast("Iterable[BulkItem]", self._claimed(items))):
                yield from self._taken()
                yield outcome
            yield from self._taken()

    def _taken(self) -> Iterator[BulkOutcome]:
        while self._earlier:
            yield self._earlier.pop(0)

    def _new_journal(self) -> ClaimedRows:
        return self._rows

    def _claimed(self, items: Iterable[BulkItem]) -> Iterator[Sending | Unsent]:
        """Claim batch after batch, and yield the rows that may be sent, and those that cannot be sent."""
        rows, first = iter(reader_of(items), object()), 0  # until StopIteration
        while batch := list(islice(rows, _BATCH_ROWS)):
            sendings = [sending_of(row, item, self._project_id) for row, item in enumerate(batch, first)]
            digest = blake2b(b"".join(sending.digest for sending in sendings), digest_size=8).hexdigest()
            facts = {"first": first, "keys": [sending.key for sending in sendings], "digest": digest}
            for name in _names(f"{self._name}/{first // _BATCH_ROWS:07}"):
                claim = self._claims.claim(name, **facts)
                if claim is not None:
                    self._rows.own([sending.row for sending in sendings], claim)
                    yield from sendings
                    break
                if not (found := self._claims.facts(name)):
                    self._claims.complete(name, **facts)
                elif found["digest"] != digest:
                    raise InputChangedError(
                        f"rows {first} to {sendings[-1].row} of partition {self._name} are not what they were; give the same input, "
                        "or another place for the claims, with which all rows are sent again",
                        row=first,
                    )
                ends = self._claims.ends(name)
                yield from self._of_another_run(name, sendings, ends)
                sendings = [s for s in sendings if s.row in ends and ends[s.row].kind == "unsent"]
                if not sendings:
                    break
            first += len(batch)

    def _of_another_run(self, name: str, rows: list[Sending | Unsent], ends: dict[int, End]) -> Iterator[Sending]:
        """Yield the rows of a batch of another run that may be sent again, and keep the outcomes of the others."""
        writer: Claim | None = None
        for row in rows:
            end = ends.get(row.row, _NOT_WRITTEN)
            in_doubt = end is _NOT_WRITTEN or (end.kind == "unknown" and self._options.settle)
            if in_doubt and isinstance(row, Sending) and repeatable(row, self._options):
                if writer is None:
                    writer = self._claims.open_writer(name)
                    writer.write([])  # so that the other run does not take its conflict for one with another writer
                row.doubt = True
                self._rows.own([row.row], writer, doubt=True)
                yield row
            elif end.kind != "unsent":
                self._earlier.append(BulkOutcome(row.row, row.key, cast("Applied", end.kind), None, end.note))


def _names(batch: str) -> Iterator[str]:
    """Return the names by which a batch is claimed: its own, and others for rows that their owner has given back."""
    return (batch if number == 0 else f"{batch}.{number}" for number in count())


def gather(claims: str | os.PathLike[str], path: str | os.PathLike[str]) -> BulkReport:
    """Write the outcomes of all partitions to a new journal, and return its report.

    The rows are numbered in the order of the names of the partitions. Call it when all tasks have ended: a row that was
    claimed and has no outcome is "unknown".

    Args:
        claims: The place of the claims.
        path: The journal, which must not exist. It is complete or not there.

    Raises:
        UsageError: The journal exists.
        JournalError: The claims cannot be read, or the journal cannot be written; or a task was killed while it wrote a claim,
            so that its rows are not known. The message has its partition: run that task again.
    """
    try:
        with open(path, "xb"):  # noqa: PTH123  # a path may be any os.PathLike
            pass
    except FileExistsError:
        raise UsageError(f"{os.fspath(path)} exists; give a path that does not, since rows are numbered anew") from None
    except OSError as error:
        raise JournalError(
            f"{os.fspath(path)} cannot be created: {error.strerror or error}; give a path that can be written"
        ) from error
    try:
        source = Claims(claims)
        with contextlib.closing(Journal(path, f"{GATHERED}{source.place}")) as journal:
            _copy(source, journal)
            journal.close(complete=True)
    except BaseException:
        os.remove(path)  # noqa: PTH107
        raise
    return BulkReport(path)


def _copy(source: Claims, journal: Journal) -> None:
    """Write the outcomes of all batches to a journal."""
    row = 0
    for name in source.batches():
        if "." in name.rpartition("/")[2]:  # rows that are in the batch that was claimed before
            continue
        if not (facts := source.facts(name)):
            raise JournalError(
                f"the claim {name} in {source.place} is incomplete, because its task was killed while it wrote it; run the task of "
                f"partition {name.rpartition('/')[0]} again, which completes the claim"
            )
        ends: dict[int, End] = {}
        for claimed in _names(name):
            if source.facts(claimed) is None:
                break
            # Rows that the owner before gave back may have been sent by this one.
            ends = {number: end for number, end in ends.items() if end.kind != "unsent"} | source.ends(claimed)
        turn = Turn()
        for number, key in enumerate(facts["keys"], facts["first"]):
            end = ends.get(number, End("unknown", note=f"row {number} of {name} has no outcome"))
            turn.unsent.append(Intent(row, b"", key))
            turn.ends.append((row, End("waiting") if end.kind == "unsent" else end))
            row += 1
        journal.commit(turn)
