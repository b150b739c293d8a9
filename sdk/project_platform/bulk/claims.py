"""Claims: who may send a batch, decided once for all processes that see the same storage.

An engine may run a task again while its first run is alive. So whoever creates the object of a batch owns the batch, and no other
process ever sends a row of it. The owner writes how its rows ended beside its claim, in objects that are never changed or deleted.
A row without an outcome is in doubt, because the owner may still be sending it: the outcomes of a lost worker are read when
nothing else is left of the run, and when the run continues. Until then its batches stay in the journal.

The storage is a folder, or a prefix in an object store. Files need no library. Object stores are used through obstore, whose
threads do not survive `os.fork`: a forked worker must not have them from its parent.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, cast
from urllib.parse import urlsplit

from ..errors import BulkWorkerError, JournalError, UsageError
from ..optional import load
from .attempt import UNSENT
from .journal import NUMBERS, End, Journal, OpenBatch, State, Turn

_CLAIM: Final = "claim"
_COPY: Final = "claim-copy"
_LINES: Final = ".jsonl"
_LOCAL_INTERVAL: Final = 0.05  # seconds between two writes of outcomes: what a kill may cost, beside the rows in flight
_REMOTE_INTERVAL: Final = 1.0


def place_of(place: str | os.PathLike[str]) -> str:
    """Return a place as text that means the same in every process: an absolute path or a URL without a credential."""
    text = os.fspath(place)
    if not _is_remote(text):
        return str(Path(text).absolute())
    parts = urlsplit(text)
    if "@" in parts.netloc or parts.query:
        raise UsageError(
            "the URL of the claims has a credential or a query, and it is sent to the workers; leave them out: the credentials "
            "of the storage are those of the environment"
        )
    return text.rstrip("/")


def _is_remote(place: str) -> bool:
    """Return whether a place is the URL of an object store."""
    return "://" in place


class Claims:
    """The claims in a place. With `create`, create a folder that does not exist.

    Its methods raise `JournalError` if the storage cannot be used.
    """

    def __init__(self, place: str | os.PathLike[str], *, create: bool = False) -> None:
        self.place: str = place_of(place)
        is_remote = _is_remote(self.place)
        self._storage: _Files | _Objects = _Objects(self.place) if is_remote else _Files(Path(self.place))
        self.interval: float = _REMOTE_INTERVAL if is_remote else _LOCAL_INTERVAL
        if create:
            with self._usable():
                self._storage.begin()

    @contextlib.contextmanager
    def _usable(self) -> Generator[None]:
        try:
            yield
        except self._storage.errors as error:
            raise JournalError(
                f"the claims in {self.place} cannot be used: {_reason(error)}; check the place and its permissions, and run again: the "
                "run continues where the journal ends"
            ) from None

    def create(self, path: str, data: bytes) -> bool:
        """Write an object if it does not exist; return whether it did not."""
        with self._usable():
            try:
                self._storage.create(path, data)
            except self._storage.exists:
                return False
        return True

    def _read(self, path: str) -> bytes | None:
        """Return the content of an object, or None if it does not exist."""
        with self._usable(), contextlib.suppress(FileNotFoundError):
            return self._storage.read(path)
        return None

    def _paths(self, prefix: str) -> list[str]:
        """Return the paths of the objects in a folder and its folders, in order."""
        with self._usable():
            return sorted(self._storage.paths(prefix))

    def open_run(self, run: str) -> None:
        """Write the mark of a run, which shows a worker that it sees the same storage."""
        self.create(f"{run}/run", _json({"host": socket.gethostname(), "process": os.getpid()}))

    def sees(self, run: str) -> bool:
        """Return whether the mark of a run can be read."""
        return self._read(f"{run}/run") is not None

    def claim(self, batch: str, **facts: Any) -> Claim | None:
        """Claim a batch and write facts into the claim, or return None if it has another owner."""
        owner = token_hex(8)
        content = {"owner": owner, "host": socket.gethostname(), "process": os.getpid(), **facts}
        created = self.create(f"{batch}/{_CLAIM}", _json(content))
        # The library of an object store repeats a request whose response was lost, so the owner may be this claim.
        if not created and (self.facts(batch) or {}).get("owner") != owner:
            return None
        return Claim(batch, owner, self)

    def facts(self, batch: str) -> dict[str, Any] | None:
        """Return the content of a claim, or None if the batch has no owner.

        It is empty if the owner was killed while it wrote, on a file system without hard links, and nothing completed it.
        """
        if (found := self._read(f"{batch}/{_CLAIM}")) is None:
            return None
        return _object(found) or _object(self._read(f"{batch}/{_COPY}") or b"") or {}

    def complete(self, batch: str, **facts: Any) -> None:
        """Write the facts of a batch whose owner was killed while it wrote its claim. It stays the owner."""
        self.create(f"{batch}/{_COPY}", _json(facts))

    def batches(self) -> list[str]:
        """Return the names of the batches with a claim, in order."""
        return sorted(path.rpartition("/")[0] for path in self._paths("") if path.endswith(f"/{_CLAIM}"))

    def lines(self, batch: str) -> list[str]:
        """Return the paths of what was written about the rows of a batch."""
        return [path for path in self._paths(batch) if path.endswith(_LINES)]

    def ends(self, batch: str) -> dict[int, End]:
        """Return how the rows of a batch ended, as far as that was written."""
        found: dict[int, End] = {}
        for path in self.lines(batch):
            for text in (self._read(path) or b"").split(b"\n")[:-1]:  # a killed owner may leave half a line
                line = json.loads(text)
                row = line["row"]
                if row not in found or found[row].kind in _OPEN or line["kind"] == "yes":
                    found[row] = _end_of(line)
        return found

    def take_over(self, batch: str, rows: Iterable[int]) -> dict[int, End]:
        """Claim a batch that was given up, so that no row of it is ever sent, and return how its rows ended.

        If it has another owner, that is what this one has written.
        """
        if self.claim(batch) is not None:
            return {row: End("unsent") for row in rows}
        return self.ends(batch)

    def open_writer(self, batch: str) -> Claim:
        """Return a writer of outcomes for a batch that another process owns."""
        return Claim(batch, token_hex(8), self)


_OPEN: Final = frozenset({"lost", "conflict", "unknown"})
"""Ends of an attempt after which another writer may know more."""


class Claim:
    """Writes how the rows of a batch ended."""

    def __init__(self, batch: str, owner: str, claims: Claims) -> None:
        self._batch, self._owner, self._claims = batch, owner, claims
        self._parts = count(1)

    def is_shared(self) -> bool:
        """Return whether another run sends rows of the batch, too, which writes first that it does."""
        own = f"{self._batch}/{self._owner}-"
        return any(not path.startswith(own) for path in self._claims.lines(self._batch))

    def write(self, ends: Sequence[tuple[int, End]]) -> None:
        """Write ends of attempts; none of them, before rows of another run are sent."""
        lines = b"".join(_line(row, end) for row, end in ends)
        self._claims.create(f"{self._batch}/{self._owner}-{next(self._parts):05}{_LINES}", lines)


def _line(row: int, end: End) -> bytes:
    line = {"row": row, "kind": end.kind, "ref": end.ref, "note": end.note}
    return _json({name: value for name, value in line.items() if value is not None}) + b"\n"


def _end_of(line: dict[str, Any]) -> End:
    end = End(line["kind"], ref=line.get("ref"), note=line.get("note"))
    if end.kind == "stop":
        end.error = BulkWorkerError(end.note or "a worker could not send a row")
    return end


def _object(content: bytes) -> dict[str, Any] | None:
    try:
        return cast("dict[str, Any]", json.loads(content))
    except ValueError:
        return None


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


class ClaimedRows:
    """The journal of a partition, with the methods of `Journal` that a run needs: writes outcomes beside the claims of their batches."""

    def __init__(self, interval: float) -> None:
        self._interval, self._written_at = interval, time.monotonic()
        self._claims: dict[int, Claim] = {}  # by row
        self._perhaps_sent: set[int] = set()
        self._lines: dict[Claim, list[tuple[int, End]]] = {}
        self._names: dict[str, int] = {}

    def own(self, rows: list[int], claim: Claim, *, doubt: bool = False) -> None:
        """Write the outcomes of these rows beside a claim."""
        self._claims.update(dict.fromkeys(rows, claim))
        if doubt:
            self._perhaps_sent.update(rows)

    def is_shared(self, row: int) -> bool:
        """Return whether another run of the task may have sent a row, too."""
        return self._claims[row].is_shared()

    def row_with(self, external_id: str, other_than: int) -> int | None:
        """Return the first other row of the partition that creates a record with this `external_id`, or None."""
        row = self._names.get(external_id)
        return None if row == other_than else row

    def commit(self, turn: Turn) -> None:
        """Write outcomes, at least once an interval. The claim of a batch is the intent to send its rows.

        A row that waits has no line: it may be sent at any time.
        """
        for intent in turn.intents:
            self._perhaps_sent.add(intent.row)
            if intent.external_id is not None:
                self._names.setdefault(intent.external_id, intent.row)
        for row, end in turn.ends:
            self._perhaps_sent.discard(row)
            if end.kind != "waiting":
                self._lines.setdefault(self._claims.pop(row), []).append((row, end))
        if time.monotonic() >= self._written_at + self._interval:
            self._write()

    def close(self, *, complete: bool | None) -> None:
        """Write the outcomes that are not written yet, and give back the rows that were surely not sent."""
        for row, claim in self._claims.items():
            if row not in self._perhaps_sent:
                self._lines.setdefault(claim, []).append((row, End("unsent")))
        self._write()

    def _write(self) -> None:
        for claim in list(self._lines):
            claim.write(self._lines[claim])
            del self._lines[claim]
        self._written_at = time.monotonic()


def recover(journal: Journal) -> list[OpenBatch]:
    """Write the outcomes of batches of earlier processes to the journal, and return those with rows of unknown outcome.

    A batch that has no owner is claimed here, so no row of it is ever sent by a task that was delayed.
    """
    batches = journal.open_batches()
    ends = ends_of(batches, claim=True, lost_power=journal.lost_power)
    left = [batch._replace(rows=tuple(row for row in batch.rows if row[0] not in ends)) for batch in batches]
    journal.commit(Turn(ends=[*ends.items()], ended=[batch.name for batch in left if not batch.rows]))
    return [batch for batch in left if batch.rows]


def ends_of(batches: Iterable[OpenBatch], *, claim: bool = False, lost_power: bool) -> dict[int, End]:
    """Return how rows of batches ended, by their positions, as far as their owners have written it.

    Args:
        batches: The batches, with the rows that are in doubt.
        claim: Whether to claim the batches that have no owner.
        lost_power: Whether a power cut may have taken lines of the journal, and claims: a row that its batch did not apply may
            then have been sent by another one.
    """
    known: dict[int, End] = {}
    for batch in batches:
        claims, rows = Claims(batch.claims), dict(batch.rows)
        found = claims.take_over(batch.name, rows) if claim else claims.ends(batch.name)
        for row, end in found.items():
            if row in rows and (state := _state_of(end, doubt=rows[row], lost_power=lost_power)) is not None:
                known[row] = replace(end, kind=state)
    return known


def _state_of(end: End, *, doubt: bool, lost_power: bool) -> State | None:
    """Return the state of a row whose attempt ended so in another process, or None if it is still in doubt."""
    if end.kind in {"yes", "in effect"} or (end.kind in NUMBERS and not lost_power):
        return cast("State", end.kind)
    if lost_power or doubt:
        return None
    if end.kind == "forbidden":
        return "no"
    return "waiting" if end.kind in UNSENT else None


class _Files:
    """A folder, also on a network file system.

    A file is written beside its name and then linked to it, which is as exclusive as `O_EXCL` and leaves no half of a file
    if the process is killed. A file system without hard links, such as that of some object stores, has `O_EXCL` only.
    """

    errors: tuple[type[Exception], ...] = (OSError,)
    exists: tuple[type[Exception], ...] = (FileExistsError,)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self) -> None:
        """Create the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def create(self, path: str, data: bytes) -> None:
        """Write a file, or raise `FileExistsError`."""
        self._check_folder()
        target = self._folder / path
        target.parent.mkdir(exist_ok=True, parents=True)
        part = target.with_name(f"{target.name}.{token_hex(8)}")
        _write(part, data)
        try:
            os.link(part, target)
        except FileExistsError:
            raise
        except OSError:
            _write(target, data)
        finally:
            part.unlink(missing_ok=True)

    def read(self, path: str) -> bytes:
        """Return the content of a file, or raise `FileNotFoundError`."""
        return (self._folder / path).read_bytes()

    def paths(self, prefix: str) -> list[str]:
        """Return the paths of the files in a folder and its folders."""
        self._check_folder()
        files = [file for file in (self._folder / prefix).rglob("*") if file.is_file()]
        return [file.relative_to(self._folder).as_posix() for file in files]

    def _check_folder(self) -> None:
        if not self._folder.is_dir():
            raise OSError("there is no such folder")


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)


class _Objects:
    """A prefix in an object store, with the methods of `_Files`. Exclusive creation is `If-None-Match: *`, or what the store has for it."""

    def __init__(self, url: str) -> None:
        self._obstore = load("a place of claims in an object store", "obstore", extra="dask")
        if _USED_IN and _USED_IN[0] != os.getpid():
            raise UsageError(
                "a forked process cannot use the object store of the claims, because its parent used it; start the workers with "
                'multiprocessing.get_context("spawn") or "forkserver"'
            )
        errors = import_module("obstore.exceptions")
        self.errors: tuple[type[Exception], ...] = (errors.BaseError, OSError)
        self.exists: tuple[type[Exception], ...] = (errors.AlreadyExistsError, errors.PreconditionError)
        try:
            self._store = import_module("obstore.store").from_url(url)
        except (errors.BaseError, ValueError) as error:
            raise UsageError(f"the claims in {url} cannot be used: {_reason(error)}") from None
        _USED_IN[:] = [os.getpid()]

    def begin(self) -> None:
        """Do nothing: a prefix needs no folder."""

    def create(self, path: str, data: bytes) -> None:
        self._obstore.put(self._store, path, data, mode="create")

    def read(self, path: str) -> bytes:
        return bytes(self._obstore.get(self._store, path).bytes())

    def paths(self, prefix: str) -> list[str]:
        chunks = list(self._obstore.list(self._store, prefix=prefix or None))
        return [meta["path"] for chunk in chunks for meta in chunk]


_USED_IN: Final[list[int]] = []
"""The process that has used an object store, of which a forked child has a copy."""


def _reason(error: Exception) -> str:
    """Return the first line of an error: the rest of that of an object store is about its request."""
    return getattr(error, "strerror", None) or str(error).partition("\n")[0]
