"""The capacity of a profile: requests are carried out one after the other, and more requests than that wait."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from weakref import WeakKeyDictionary

from project_platform_stub.http.messages import Response
from project_platform_stub.profile.profile import Profile
from project_platform_stub.world.world import World


class Capacity:
    """A queue of the requests of each world, by the world's clock."""

    def __init__(self, profile: Profile) -> None:
        self._seconds = None if profile.capacity is None else timedelta(seconds=1 / profile.capacity)
        self._free_at: WeakKeyDictionary[World, datetime] = WeakKeyDictionary()

    def queued(self, world: World, response: Response) -> Response:
        """Return the response to a request with the time that it waits and takes as its delay."""
        if self._seconds is None:
            return response
        now = world.clock.now()
        free_at = max(now, self._free_at.get(world, now)) + self._seconds
        self._free_at[world] = free_at
        return replace(response, delay=response.delay + (free_at - now).total_seconds())
