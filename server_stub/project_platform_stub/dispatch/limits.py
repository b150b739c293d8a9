"""The rate limit and the capacity of a profile. The specification states neither, so there is none by default."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from datetime import datetime, timedelta
from math import ceil
from weakref import WeakKeyDictionary

from project_platform_stub.http.errors import ApiError
from project_platform_stub.http.messages import Response
from project_platform_stub.http.timestamps import retry_after_header
from project_platform_stub.profile import Profile
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.world import World


class RateLimiter:
    """Counts the requests of each identity in a sliding window, by the world's clock."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        limits = profile.rate_limit
        several = limits if isinstance(limits, tuple) else () if limits is None else (limits,)
        self._limits = sorted(several, key=lambda limit: limit.after_seconds)
        self._began: WeakKeyDictionary[World, datetime] = WeakKeyDictionary()
        self._times: WeakKeyDictionary[World, dict[str, deque[datetime]]] = WeakKeyDictionary()

    def admit(self, world: World, identity: Identity) -> None:
        """Count a request, or raise a 429 if the identity has reached the limit."""
        if not self._limits:
            return
        now = world.clock.now()
        age = (now - self._began.setdefault(world, now)).total_seconds()
        limit = next((limit for limit in reversed(self._limits) if limit.after_seconds <= age), None)
        if limit is None:
            return
        window = timedelta(seconds=limit.per_seconds)
        times = self._times.setdefault(world, {}).setdefault(identity.id, deque())
        while times and times[0] + window <= now:
            times.popleft()
        if len(times) < limit.requests:
            times.append(now)
            return
        # Rounded up, so that a client that waits this long is admitted.
        wait = ceil((times[0] + window - now).total_seconds())
        message = (
            f"The rate limit is {limit.requests} requests in {limit.per_seconds:g} seconds; retry in {wait} seconds."
        )
        raise ApiError(429, message, "rate_limited", retry_after_header(self._profile.retry_after, wait, now))


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
