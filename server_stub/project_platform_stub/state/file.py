"""Keeps worlds in an SQLite file: what was answered is there after a restart, and after the process was killed.

Each transaction of a world is one of SQLite, in WAL mode, and ends before the world shows what was written. The log goes
to the operating system at each commit, and is forced to the disk (`synchronous=NORMAL`) only now and then: a process that
is killed loses nothing, a machine that loses power may lose the last writes.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from os import PathLike
from pathlib import Path

from project_platform_stub.http.json import write_json
from project_platform_stub.world.clock import Clock
from project_platform_stub.world.keys import KeyRing
from project_platform_stub.world.store import Key, Origin, Row, State
from project_platform_stub.world.world import World

from .format import KeptWorld, differences, sealed, written
from .opening import StateFileError, open_file

__all__ = ["StateFile", "StateFileError"]

_ROW = "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)"
_ORIGIN_ROW = "INSERT INTO origin_rows VALUES (?, ?, ?, ?, ?, ?, ?)"
_COUNTS = "INSERT OR REPLACE INTO counts VALUES (?, ?, ?, ?)"


class StateFile:
    """A keeper of worlds in a file. One process at a time has it open, and any of its threads may use it.

    Attributes:
        ring: The keys that sign the worlds' tokens.

    Args:
        path: Where the file is; it is made if there is none.

    Raises:
        StateFileError: It is in use, or cannot be used; then it was left as it was.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._file, kept = open_file(Path(path))
        self._connection = self._file.connection
        self._lock = threading.RLock()
        self._closed = False
        self._numbers: dict[World, int] = {}
        self._origins = kept.origins
        self._kept = kept.worlds
        self._keys: str | None = None
        self.ring = KeyRing()
        if kept.keys is not None:
            self.ring.restore(kept.keys)

    def resumed(self, system: Callable[[], datetime]) -> list[World]:
        """Return the worlds that were in the file when it was opened; a second call returns none.

        Args:
            system: The clock that the worlds' clocks run beside.
        """
        with self._lock:
            kept, self._kept = self._kept, []
            return [self._resume(each, system) for each in kept]

    def add(self, world: World) -> None:
        """Keep a world from now on."""
        with self._lock:
            with self.together():
                number, origin = self._next("world", "worlds"), self._origin(world.origin)
                row = sealed(number, world.id, origin, int(world.stays))
                self._connection.execute("INSERT INTO worlds VALUES (?, ?, ?, ?, ?)", row)
                self._put_state(number, world.origin.state, world.state)
                self._put_settled(number, world)
            self._numbers[world] = number

    def write(self, world: World, changes: Mapping[Key, Row | None], added: int, drawn: int) -> None:
        """Keep some rows of a world, and take those away that are None."""
        rows = [written(key, row) for key, row in changes.items()]
        with self.together():
            number = self._number(world)
            self._connection.executemany(_ROW, [sealed(number, *row) for row in rows])
            self._connection.execute(_COUNTS, sealed(number, added, drawn))

    def replace(self, world: World, state: State) -> None:
        """Keep another state of a world in place of the one it has."""
        with self.together():
            number = self._number(world)
            self._connection.execute("DELETE FROM rows WHERE world = ?", (number,))
            self._put_state(number, world.origin.state, state)

    def settle(self, world: World) -> None:
        """Keep a world's clock and keys as they are now."""
        with self.together():
            self._put_settled(self._number(world), world)

    def forget(self, world: World) -> None:
        """Keep nothing of a world any more."""
        with self._lock:
            with self.together():
                self._connection.execute("DELETE FROM worlds WHERE world = ?", (self._number(world),))
                self._connection.execute("DELETE FROM origins WHERE origin NOT IN (SELECT origin FROM worlds)")
            del self._numbers[world]
            self._check_memory()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep all that is written in a `with` statement at once, or nothing after an error."""
        with self._lock:
            if self._closed:
                raise StateFileError(f"{self._file.path}: is closed")
            within = self._connection.in_transaction
            if within:
                yield
                return
            try:
                self._connection.execute("BEGIN")
                yield
                self._connection.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:  # SQLite has ended it itself if the disk is full.
                    self._connection.execute("ROLLBACK")
                self._check_memory()
                if isinstance(error, sqlite3.Error):
                    raise StateFileError(f"{self._file.path}: cannot be written, so nothing was: {error}") from error
                raise

    def close(self) -> None:
        """Let other processes have the file; nothing can be written any more."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._file.close()

    def _resume(self, kept: KeptWorld, system: Callable[[], datetime]) -> World:
        world = World(kept.id, self._origins[kept.origin], Clock(system), self.ring, self)
        world.stays = kept.stays
        world.resume(kept.state)
        world.clock.restore(kept.settled["clock"])
        world.tokens.signing = kept.settled["signing"]
        world.tokens.accepted = frozenset(kept.settled["accepted"])
        self._numbers[world] = kept.number
        return world

    def _number(self, world: World) -> int:
        if world not in self._numbers:
            raise StateFileError(f"{self._file.path}: the world {world.id!r} was deleted")
        return self._numbers[world]

    def _origin(self, origin: Origin) -> int:
        for number, known in self._origins.items():
            if known is origin:
                return number
        number = self._next("origin", "origins")
        state = origin.state
        value = {"name": origin.name, "seed": origin.seed, "added": state.added, "drawn": state.drawn}
        self._connection.execute("INSERT INTO origins VALUES (?, ?, ?)", sealed(number, write_json(value).decode()))
        rows = sorted(written(key, row) for key, row in state.rows())  # in order they fill their pages
        self._connection.executemany(_ORIGIN_ROW, [sealed(number, *row) for row in rows])
        self._origins[number] = origin
        return number

    def _next(self, number: str, table: str) -> int:
        (last,) = self._connection.execute(f"SELECT max({number}) FROM {table}").fetchone()  # noqa: S608  # our own names
        return (last or 0) + 1

    def _put_state(self, number: int, origin: State, state: State) -> None:
        rows = [sealed(number, *written(key, row)) for key, row in sorted(differences(origin, state), key=_place)]
        self._connection.executemany(_ROW, rows)
        self._connection.execute(_COUNTS, sealed(number, state.added, state.drawn))

    def _check_memory(self) -> None:
        """Remember no more than what is in the file."""
        there = {number for (number,) in self._connection.execute("SELECT origin FROM origins")}
        self._origins = {number: origin for number, origin in self._origins.items() if number in there}
        self._keys = None

    def _put_settled(self, number: int, world: World) -> None:
        keys = write_json(self.ring.kept()).decode()
        if keys != self._keys:
            self._connection.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?)", sealed(1, keys))
            self._keys = keys
        tokens = world.tokens
        value = {"clock": world.clock.kept(), "signing": tokens.signing, "accepted": sorted(tokens.accepted)}
        text = write_json(value).decode()
        self._connection.execute("INSERT OR REPLACE INTO settled VALUES (?, ?, ?)", sealed(number, text))


def _place(change: tuple[Key, Row | None]) -> Key:
    return change[0]
