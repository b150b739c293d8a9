"""The worlds of a server."""

from __future__ import annotations

import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import date, datetime

from .clock import Clock, system_time
from .keys import KeyRing
from .store import Origin
from .world import Persistence, World

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
        ring: The keys that sign tokens; new ones if not given.
        persistence: Stores the worlds; they are in memory only if not given.
        idle_after: Seconds without use after which a world is deleted.
        max_worlds: Number of worlds from which on `create` refuses another one.
        monotonic: The clock that measures `idle_after`, in seconds.
    """

    def __init__(
        self,
        *,
        default_origin: Callable[[date, int], Origin],
        system: Callable[[], datetime] = system_time,
        ring: KeyRing | None = None,
        persistence: Persistence | None = None,
        idle_after: float = IDLE_AFTER,
        max_worlds: int = MAX_WORLDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ring = ring or KeyRing()
        self._default_origin = default_origin
        self._system = system
        self._persistence = persistence
        self._idle_after = idle_after
        self._max_worlds = max_worlds
        self._monotonic = monotonic
        self._worlds: dict[str, World] = {}
        self._lock = threading.Lock()

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
        world = World(id, origin, clock, self.ring, self._persistence)
        world.permanent = permanent
        self._add(world, self._persistence, maximum=self._max_worlds)
        return world

    def add(self, world: World) -> None:
        """Add a world that the persistence has loaded, whatever the maximum is.

        Raises:
            ValueError: There is a world of this name.
        """
        self._add(world, None, maximum=None)

    def _add(self, world: World, persistence: Persistence | None, *, maximum: int | None) -> None:
        world.used = self._monotonic()
        with self._lock:
            if world.id in self._worlds:
                raise ValueError(f"id: a world {world.id!r} already exists; choose another id, or delete that world")
            if maximum is not None and len(self._worlds) >= maximum:
                raise ValueError(
                    f"worlds: there are {len(self._worlds)} already and the maximum is {maximum}; delete some first, or start "
                    "the stub with a larger max_worlds"
                )
            if persistence is not None:
                persistence.add(world)
            self._worlds[world.id] = world

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
            if self._persistence is not None:
                self._persistence.delete(world)
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
