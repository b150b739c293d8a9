"""The worlds of a server. A world is the state that its tokens can reach, with a clock, planned faults and a journal."""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from datetime import date, datetime
from typing import TYPE_CHECKING

from project_platform_stub.faults.plans import FaultPlans
from project_platform_stub.world.clock import Clock, system_time
from project_platform_stub.world.journal import Journal
from project_platform_stub.world.store import Contents, Origin, Project, State, T, Writes
from project_platform_stub.world.tokens import LIFETIME, KeyRing, Tokens

if TYPE_CHECKING:
    from project_platform_stub.state.file import StateFile


class World(Contents):
    """A world, isolated from all others. Worlds share only the signing key of their tokens, until they rotate it.

    Attributes:
        id: Identifier, the claim `world` of its tokens.
        origin: Initial state.
        state: Present rows.
        clock: Clock.
        tokens: Access tokens.
        faults: Planned faults.
        journal: Requests with a valid token of this world.
        used: Time of its last use, in seconds of `time.monotonic`.
        permanent: Whether it is exempt from deletion when idle.

    Args:
        file: Stores what is written to the world. A write that cannot be stored raises, and the world stays as it was.
    """

    def __init__(
        self,
        id: str,
        origin: Origin,
        clock: Clock,
        ring: KeyRing,
        file: StateFile | None = None,
        *,
        state: State | None = None,
    ) -> None:
        super().__init__(self, origin.seed)
        self.id = id
        self.origin = origin
        self.clock = clock
        self.tokens = Tokens(self, ring)
        self.journal = Journal()
        self.faults = FaultPlans(self.journal)
        self.used = 0.0
        self.permanent = False
        self.state = state or origin.state
        self._lock = threading.RLock()
        self._file = file
        self._snapshots: dict[str, State] = {}
        if file is not None:
            clock.changed = self.tokens.changed = lambda: file.write_settings(self)

    def __repr__(self) -> str:
        return f"<World {self.id} of {self.origin.name}>"

    @property
    def project(self) -> Project:
        """The first project."""
        return next(iter(self.projects.values()))

    def token(self, identity: str | None = None, *, lifetime: float = LIFETIME) -> str:
        """Return an access token of an identity, of the first one if not given, that is valid for `lifetime` seconds."""
        return self.tokens.valid(identity, lifetime=lifetime)

    @contextmanager
    def transaction(self) -> Iterator[Contents]:
        """Open a transaction: its writes become visible together at the end of the `with` statement, or not at all after an error.

        Other writers wait, so what was read remains true until the end.
        """
        with self.writing() as writes:
            yield Contents(writes, self.seed)

    def read_only(self) -> Contents:
        """Return the present contents of the world; writes to them have no effect on it."""
        return Contents(Writes(self.state), self.seed)

    def copied(self, value: T) -> T:
        """Return a deep copy, because worlds of the same origin share their values."""
        return deepcopy(value)

    def snapshot(self, name: str | None = None) -> str:
        """Save the present content under a name, in constant time, and return the name; a new one if not given.

        The clock, planned faults and the journal are not part of a snapshot.
        """
        with self._lock:
            name = name or str(len(self._snapshots) + 1)
            self._snapshots[name] = self.state
            return name

    def restore(self, name: str) -> None:
        """Replace the content by that of a snapshot. The snapshot remains.

        Raises:
            LookupError: There is no snapshot of this name.
        """
        with self._lock:
            if name not in self._snapshots:
                known = ", ".join(self._snapshots) or "none"
                raise LookupError(f"This world has no snapshot {name!r}; it has: {known}")
            if self._file is not None:
                self._file.replace_state(self, self._snapshots[name])
            self.state = self._snapshots[name]

    def discard(self, name: str) -> None:
        """Delete a snapshot, if there is one of this name."""
        with self._lock:
            self._snapshots.pop(name, None)

    @property
    def snapshots(self) -> list[str]:
        """Names of the snapshots, oldest first."""
        return list(self._snapshots)

    def reset(self) -> None:
        """Reset content, clock, keys, faults and journal to their initial state."""
        # Before taking the lock: a request that is being carried out late needs the lock to finish.
        self.faults.clear()
        with self._lock:
            with self._file.transaction() if self._file else nullcontext():
                self.clock.reset()
                self.tokens.reset()
                if self._file is not None:
                    self._file.replace_state(self, self.origin.state)
            self.state = self.origin.state
            self.journal.clear()

    @contextmanager
    def writing(self) -> Iterator[Writes]:
        """Open a transaction of single rows."""
        with self._lock:
            writes = Writes(self.state)
            yield writes
            if writes.state is not self.state:
                if self._file is not None:
                    self._file.write(self, writes.changes, writes.state.added, writes.state.drawn)
                self.state = writes.state


IDLE_AFTER = 3600.0  # Seconds
MAX_WORLDS = 10_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)


class Worlds:
    """The worlds of a stub (`stub.worlds`), as an iterable. Idle worlds are deleted, except for the first one.

    Attributes:
        ring: The keys that sign tokens.

    Args:
        default_origin: Returns the initial state of a world for a day and a seed, where `create` is given no `origin`.
        system: The underlying clock of the worlds' clocks.
        file: Stores the worlds, and the keys that sign tokens; they are in memory only if not given.
        idle_after: Seconds without use after which a world is deleted.
        max_worlds: Number of worlds from which on `create` refuses another one.
        monotonic: The clock that measures `idle_after`, in seconds.
    """

    def __init__(
        self,
        *,
        default_origin: Callable[[date, int], Origin],
        system: Callable[[], datetime] = system_time,
        file: StateFile | None = None,
        idle_after: float = IDLE_AFTER,
        max_worlds: int = MAX_WORLDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ring = KeyRing() if file is None else file.ring
        self._default_origin = default_origin
        self._system = system
        self._file = file
        self._idle_after = idle_after
        self._max_worlds = max_worlds
        self._monotonic = monotonic
        self._worlds = {world.id: world for world in (() if file is None else file.load_worlds(system))}
        self._lock = threading.Lock()
        for world in self:
            world.used = monotonic()

    def __iter__(self) -> Iterator[World]:
        return iter(list(self._worlds.values()))

    def __len__(self) -> int:
        return len(self._worlds)

    def create(
        self,
        id: str | None = None,
        *,
        origin: Origin | None = None,
        seed: int = 0,
        at: datetime | None = None,
        permanent: bool = False,
    ) -> World:
        """Create a world.

        Args:
            id: Its identifier; a new one if not given.
            origin: Its initial state; the demo world with this seed if not given.
            seed: Seed of the identifiers in a demo world.
            at: Initial time of its clock; the system's time if not given.
            permanent: Whether it is exempt from deletion when idle.

        Raises:
            ValueError: The identifier has other characters than letters, digits and `_.-`, or is taken, or there are too many worlds.
        """
        self.expire()
        id = id or uuid.uuid4().hex[:12]
        if not _ID.fullmatch(id):
            raise ValueError(
                f"id: {id!r} is not valid; use at most 64 letters, digits and _ . - that begin with a letter or digit"
            )
        clock = Clock(self._system, at)
        origin = origin or self._default_origin(clock.now().date(), seed)
        world = World(id, origin, clock, self.ring, self._file)
        world.permanent = permanent
        world.used = self._monotonic()
        with self._lock:
            if world.id in self._worlds:
                raise ValueError(f"id: a world {world.id!r} already exists; choose another id, or delete that world")
            if len(self._worlds) >= self._max_worlds:
                raise ValueError(
                    f"worlds: there are {len(self._worlds)} already and the maximum is {self._max_worlds}; delete some "
                    "first, or start the stub with a larger max_worlds"
                )
            if self._file is not None:
                self._file.add(world)
            self._worlds[world.id] = world
        return world

    def get(self, id: str) -> World | None:
        """Return the world with this identifier, or None. Its idle time starts again."""
        world = self._worlds.get(id)
        if world is not None:
            world.used = self._monotonic()
        return world

    def delete(self, id: str) -> bool:
        """Delete a world, and return whether it existed."""
        with self._lock:
            world = self._worlds.get(id)
            if world is None:
                return False
            if self._file is not None:
                self._file.delete(world)
            del self._worlds[id]
        world.faults.clear()
        return True

    def expire(self) -> list[str]:
        """Delete the idle worlds, and return their identifiers."""
        before = self._monotonic() - self._idle_after
        idle = [world.id for world in self if world.used < before and not world.permanent]
        for id in idle:
            self.delete(id)
        return idle
