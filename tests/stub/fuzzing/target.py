"""A stub that listens on a socket in a separate process, and inspections of it between requests."""

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

from .invariants import violations
from .known import dictionaries, examples

CLEAN = "clean"  # The snapshot that is restored after each inspection.


@dataclass(frozen=True)
class Description:
    """The address and token of a stub, and the values that exist in its world."""

    base_url: str
    token: str
    dictionaries: dict[str, list[str]]
    examples: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Inspection:
    """The result of an inspection of a stub.

    Attributes:
        problems: Violated invariants of the world, errors in the journal, and log messages.
        added: Number of rows that were written since the last inspection.
        memory: Resident memory in bytes; 0 if it is not available.
    """

    problems: list[str]
    added: int
    memory: int


class Target:
    """A stub with a profile, in a separate process."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, remote = context.Pipe()
        self._process = context.Process(target=_serve, args=(remote, dict(profile)), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        self.description: Description = self._connection.recv()
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._connection.send(None)
        self._process.join(20)

    def inspect(self, statuses: Mapping[str, int]) -> Inspection:
        """Inspect the stub, and restore its world.

        Args:
            statuses: Statuses of the responses since the last inspection, by request id.
        """
        self._connection.send(dict(statuses))
        inspection: Inspection = self._connection.recv()
        return inspection


def _serve(connection: Connection, profile: dict[str, Any]) -> None:
    log = _LogHandler()
    logging.getLogger().addHandler(log)
    with Stub(profile=Profile.from_mapping(profile)) as stub:
        stub.world.snapshot(CLEAN)
        journal = _JournalCheck()
        with stub.serve() as server:
            world = stub.world
            connection.send(
                Description(server.base_url, stub.token(lifetime=1e6), dictionaries(world), examples(world))
            )
            while (statuses := connection.recv()) is not None:
                connection.send(_inspect(stub, [*journal.problems(stub, statuses), *log.take_lines()]))


def _inspect(stub: Stub, problems: list[str]) -> Inspection:
    problems = [*problems, *violations(stub.world)]
    added = stub.world.state.added
    stub.world.restore(CLEAN)
    return Inspection(problems, added - stub.world.state.added, resident_memory())


@dataclass
class _JournalCheck:
    """The journal entries since the start of the stub; a journal itself stores only the latest ones."""

    statuses: dict[str, int | None] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    def problems(self, stub: Stub, statuses: dict[str, int]) -> list[str]:
        """Return a message for each response that is not in a journal, and for missing or repeated numbers of entries."""
        for entry in (*stub.world.journal, *stub.unmatched_requests):
            self.statuses[entry.request_id] = entry.status
            self.numbers.add(entry.number)
        problems = [
            f"not in the journal: {id}, {status}" for id, status in statuses.items() if self.statuses.get(id) != status
        ]
        # The next request may be in progress; it has the highest number.
        missing = set(range(1, max(self.numbers, default=0))) - self.numbers
        if missing or len(self.numbers) != len(self.statuses):
            problems.append(f"entries of the journal are missing or repeated: missing {sorted(missing)[:9]}")
        return problems


def resident_memory() -> int:
    """Return the resident memory of this process in bytes; 0 if it is not available."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


@dataclass
class _LogHandler(logging.Handler):
    """Collects log messages of level WARNING and above."""

    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        # uvicorn logs this for a 400, and Schemathesis sends requests that are not valid HTTP.
        if record.getMessage() != "Invalid HTTP request received.":
            self.lines.append(f"logged: {self.format(record)}")

    def take_lines(self) -> list[str]:
        lines, self.lines = self.lines, []
        return lines

    __hash__ = logging.Handler.__hash__
