"""A world: all state that a token of it can reach, and what is needed to test against it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import deepcopy
from typing import Protocol

from project_platform_stub.faults.plans import FaultPlans

from .clock import Clock
from .journal import Journal
from .keys import KeyRing
from .store import Key, Origin, Row, State, T, Writes
from .tokens import LIFETIME, Tokens
from .views import Contents, Project


class Persistence(Protocol):
    """Stores worlds outside of the process. A write that cannot be stored raises, and the world stays as it was."""

    def add(self, world: World) -> None:
        """Store a world from now on."""
        ...

    def write(self, world: World, changes: Mapping[Key, Row | None], added: int, drawn: int) -> None:
        """Store rows of a world, and remove those that are None."""
        ...

    def replace_state(self, world: World, state: State) -> None:
        """Store another state of a world in place of its present one."""
        ...

    def write_settings(self, world: World) -> None:
        """Store the present clock and keys of a world."""
        ...

    def delete(self, world: World) -> None:
        """Delete a world."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Store all writes of a `with` statement together, or none of them after an error."""
        ...


class World(Contents):
    """One world. Worlds share nothing but the keys that sign their tokens, unless they rotate them.

    Attributes:
        id: Its identifier, the claim `world` of its tokens.
        origin: What it was made from.
        clock: The clock it goes by.
        tokens: Its access tokens.
        faults: What is planned to go wrong.
        journal: The requests it has had.
        used: When it was last used, in seconds of `time.monotonic`.
        stays: Whether it is kept however long it is not used.
    """

    def __init__(
        self, id: str, origin: Origin, clock: Clock, ring: KeyRing, persistence: Persistence | None = None
    ) -> None:
        super().__init__(self, origin.seed)
        self.id = id
        self.origin = origin
        self.clock = clock
        self.tokens = Tokens(self, ring)
        self.journal = Journal()
        self.faults = FaultPlans(self.journal)
        self.used = 0.0
        self.stays = False
        self._state = origin.state
        self._lock = threading.RLock()
        self._persistence = persistence
        self._snapshots: dict[str, State] = {}
        if persistence is not None:
            clock.changed = self.tokens.changed = lambda: persistence.write_settings(self)

    def __repr__(self) -> str:
        return f"<World {self.id} of {self.origin.name}>"

    @property
    def state(self) -> State:
        """All that is in it now."""
        return self._state

    @property
    def project(self) -> Project:
        """The first project."""
        return next(iter(self.projects.values()))

    def token(self, identity: str | None = None, *, lifetime: float = LIFETIME) -> str:
        """Return an access token that lives for `lifetime` seconds (a day): of the identity that is called so, or of the first."""
        return self.tokens.valid(identity, lifetime=lifetime)

    @contextmanager
    def transaction(self) -> Iterator[Contents]:
        """Give the contents to read and write in a `with` statement: all becomes visible at its end, or nothing after an error.

        Nobody else writes meanwhile, so that what was read is still so.
        """
        with self._lock:
            writes = Writes(self._state)
            yield Contents(writes, self.seed)
            self._commit(writes)

    def reading(self) -> Contents:
        """Return the world's contents as they are now; what is written to them is lost."""
        return Contents(Writes(self._state), self.seed)

    def put(self, key: Key, value: object) -> None:
        """Add a row, or replace its value."""
        with self._lock:
            writes = Writes(self._state)
            writes.put(key, deepcopy(value))
            self._commit(writes)

    def remove(self, key: Key) -> None:
        """Take a row away, which must be there."""
        with self._lock:
            writes = Writes(self._state)
            writes.remove(key)
            self._commit(writes)

    def draw(self) -> int:
        """Return the number of the next identifier."""
        with self._lock:
            writes = Writes(self._state)
            number = writes.draw()
            self._commit(writes)
            return number

    def lent(self, value: T) -> T:
        """Return a copy of a value: worlds that were made from the same share what is in them."""
        return deepcopy(value)

    def snapshot(self, name: str | None = None) -> str:
        """Keep what is in the world now under a name, and return that name. It costs nothing, whatever the size.

        The clock, planned faults and the journal are no part of it.
        """
        with self._lock:
            name = name or str(len(self._snapshots) + 1)
            self._snapshots[name] = self._state
            return name

    def restore(self, name: str) -> None:
        """Go back to a snapshot, which stays.

        Raises:
            LookupError: There is no snapshot of this name.
        """
        with self._lock:
            if name not in self._snapshots:
                known = ", ".join(self._snapshots) or "none"
                raise LookupError(f"There is no snapshot {name!r} of this world; there are: {known}")
            self._replace(self._snapshots[name])

    def discard(self, name: str) -> None:
        """Forget a snapshot, if there is one of this name."""
        with self._lock:
            self._snapshots.pop(name, None)

    @property
    def snapshots(self) -> list[str]:
        """Names of the snapshots, oldest first."""
        return list(self._snapshots)

    def reset(self) -> None:
        """Make the world again what it was in the beginning: contents, clock, keys, faults and journal."""
        # Before the lock is taken: what is just landing late needs it to finish.
        self.faults.clear()
        with self._lock:
            with nullcontext() if self._persistence is None else self._persistence.transaction():
                self.clock.reset()
                self.tokens.reset()
                if self._persistence is not None:
                    self._persistence.replace_state(self, self.origin.state)
            self._state = self.origin.state
            self.journal.clear()

    def load_state(self, state: State) -> None:
        """Set the state to one that the persistence has stored."""
        self._state = state

    def _commit(self, writes: Writes) -> None:
        if writes.state is self._state:
            return
        if self._persistence is not None:
            self._persistence.write(self, writes.changes, writes.state.added, writes.state.drawn)
        self._state = writes.state

    def _replace(self, state: State) -> None:
        if self._persistence is not None:
            self._persistence.replace_state(self, state)
        self._state = state
