"""A stub in a process of its own, behind a socket, and what is looked at in it between requests."""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from project_platform_stub import Profile, Stub

from .invariants import broken
from .known import dictionaries, examples

CLEAN = "clean"  # The snapshot that is gone back to.


@dataclass(frozen=True)
class Told:
    """What there is to know of a stub before it is asked anything."""

    base_url: str
    token: str
    dictionaries: dict[str, list[str]]
    examples: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Look:
    """What was found in a stub.

    Attributes:
        problems: What should not be: in the world, in the journal, in the log.
        added: Rows that were written since the last look.
        memory: Resident memory in bytes; 0 where that cannot be told.
    """

    problems: list[str]
    added: int
    memory: int


class Target:
    """A stub with a profile, in a process of its own."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, dict(profile)), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        self.told: Told = self._ours.recv()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ours.send(None)
        self._process.join(20)

    def look(self, answered: Mapping[str, int]) -> Look:
        """Return what is found in the stub, and make its world again what it was.

        Args:
            answered: Statuses of the answers since the last look, by request id.
        """
        self._ours.send(dict(answered))
        found: Look = self._ours.recv()
        return found


def _serve(connection: Connection, profile: dict[str, Any]) -> None:
    kept = _Kept()
    logging.getLogger().addHandler(kept)
    with Stub(profile=Profile.from_mapping(profile)) as stub:
        stub.world.snapshot(CLEAN)
        account = _Account()
        with stub.serve() as server:
            world = stub.world
            connection.send(Told(server.base_url, stub.token(lifetime=1e6), dictionaries(world), examples(world)))
            while (answered := connection.recv()) is not None:
                connection.send(_look(stub, [*account.of(stub, answered), *kept.taken()]))


def _look(stub: Stub, problems: list[str]) -> Look:
    problems = [*problems, *broken(stub.world)]
    added = stub.world.state.added
    stub.world.restore(CLEAN)
    return Look(problems, added - stub.world.state.added, resident())


@dataclass
class _Account:
    """What the journals said so far: they keep the latest entries only."""

    statuses: dict[str, int | None] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    def of(self, stub: Stub, answered: dict[str, int]) -> list[str]:
        """Return which answers a client got that no journal tells of, and which numbers of entries are missing."""
        for entry in (*stub.world.journal, *stub.unmatched_requests):
            self.statuses[entry.request_id] = entry.status
            self.numbers.add(entry.number)
        told = [
            f"not in the journal: {id}, {status}" for id, status in answered.items() if self.statuses.get(id) != status
        ]
        # The next request may be under way; it has the highest number.
        missing = set(range(1, max(self.numbers, default=0))) - self.numbers
        if missing or len(self.numbers) != len(self.statuses):
            told.append(f"entries missing from the journal: {sorted(missing)[:9]}, or there twice")
        return told


def resident() -> int:
    """Return the resident memory of this process in bytes; 0 where that cannot be told."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


@dataclass
class _Kept(logging.Handler):
    """Keeps what is logged as a warning or worse."""

    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        # uvicorn logs what it refuses with a 400, and Schemathesis sends requests that are not HTTP.
        if record.getMessage() != "Invalid HTTP request received.":
            self.lines.append(f"logged: {self.format(record)}")

    def taken(self) -> list[str]:
        taken, self.lines = self.lines, []
        return taken

    __hash__ = logging.Handler.__hash__
