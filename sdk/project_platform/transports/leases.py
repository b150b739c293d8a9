"""The places of a pool. A lease is one, together with the connection that it uses.

A place is not counted but held: it is free once its lease does not exist any more. An interruption, such as Ctrl+C, may come
between any two lines; wherever it drops a lease, the weak reference to it leaves the pool in C, which nothing interrupts.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from .origins import IdleConnection

_LOOK: Final = 1.0  # seconds after which a request that waits looks by itself: a lease that was dropped wakes no other

ConnectionT = TypeVar("ConnectionT", bound=IdleConnection[Any])


class Lease(Generic[ConnectionT]):
    """One request in a pool, with its connection.

    Attributes:
        connection: The connection, None before there is one and after the release.
        wake: Wakes the request if it waits for a place.
    """

    def __init__(self, leases: Leases[ConnectionT]) -> None:
        self.connection: ConnectionT | None = None
        self.wake: Callable[[], object] | None = None
        self._leases = leases

    @property
    def sent(self) -> bool:
        """Whether a byte of the request may have been handed to the network."""
        return self.connection is not None and self.connection.sent

    def has_place(self) -> bool:
        """Return whether the request may use a connection."""
        return self._leases.have_place(self)

    def release(self) -> None:
        """Give back the connection, then the place: the next request reuses the connection and does not open another one."""
        connection, self.connection = self.connection, None
        try:
            if connection is not None:
                connection.end_exchange()
        finally:
            self._leases.end(self)

    def __del__(self) -> None:
        if self.connection is not None:  # it was dropped, and not released
            self.release()


def patience(ends_at: float) -> float:
    """Return the seconds after which a request that waits looks again for a place; 0 or less after the given time."""
    return min(ends_at - time.monotonic(), _LOOK)


class Leases(Generic[ConnectionT]):
    """The leases of a pool, oldest first. The first `most` have a place, and the others wait for one."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._references: dict[weakref.ref[Lease[ConnectionT]], None] = {}

    def new(self) -> Lease[ConnectionT]:
        """Return a new lease, the last one."""
        lease = Lease(self)
        # In one expression, since nothing else may refer to this reference: it would call `pop` a second time.
        self._references[weakref.ref(lease, self._references.pop)] = None
        return lease

    def have_place(self, lease: Lease[ConnectionT]) -> bool:
        """Return whether a lease is one of the first."""
        references = self._references
        return len(references) <= self._most or weakref.ref(lease) in list(islice(references, self._most))

    def end(self, lease: Lease[ConnectionT]) -> None:
        """Remove a lease, and wake the one that gets its place."""
        references = self._references
        references.pop(weakref.ref(lease), None)  # it is equal to the reference with the function, and not the same
        if len(references) >= self._most:
            for reference in list(islice(references, self._most - 1, self._most)):
                next_lease = reference()
                if next_lease is not None and next_lease.wake is not None:
                    next_lease.wake()

    def close(self) -> None:
        """Close the connections of all leases, and let none wait: the threads that held them are not in this process."""
        leases = [lease for reference in list(self._references) if (lease := reference()) is not None]
        self._references.clear()
        for lease in leases:
            if lease.connection is not None:
                lease.connection.close()
