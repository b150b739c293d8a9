"""Dates on which tests book at fixed times, because something is special about them; no other test has its stretch there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

CLOCKS: Final = ("America/New_York", "Australia/Sydney", "Australia/Lord_Howe")
"""Zones whose clocks change to and from daylight saving time."""

DAYS: Final = {"leap day": (2, 29), "end of year": (12, 31), "end of month": (4, 30), "end of long month": (1, 31)}
"""Months and days after which another month begins."""

_NEAR: Final = timedelta(days=2)  # Tests book so near to a special instant.


def next_day(after: datetime, month: int, day: int) -> datetime:
    """Return the beginning of the next day with a month and a day of the month, in UTC."""
    begin = after.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    while (begin.month, begin.day) != (month, day):
        begin += timedelta(days=1)
    return begin


@cache
def clock_changes(after: datetime, zone: str) -> list[datetime]:
    """Return the instants of the next two changes of the clocks in a zone, to a quarter of an hour."""
    clocks = ZoneInfo(zone)
    found: list[datetime] = []
    instant = after.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    while len(found) < 2:
        for step in (timedelta(days=1), timedelta(minutes=15)):
            while instant.astimezone(clocks).utcoffset() == (instant + step).astimezone(clocks).utcoffset():
                instant += step
        instant += step
        found.append(instant)
    return found


def repeated_hour(after: datetime, zone: str) -> datetime:
    """Return the next instant at which the clocks of a zone are turned back."""
    first, second = clock_changes(after, zone)
    clocks = ZoneInfo(zone)
    offsets = [(at.astimezone(clocks).utcoffset() or timedelta()) for at in (first - timedelta(days=1), first)]
    return first if offsets[1] < offsets[0] else second


@cache
def special(after: datetime) -> list[tuple[datetime, datetime]]:
    """Return the intervals in which tests book at fixed times."""
    instants = [
        *(change for zone in CLOCKS for change in clock_changes(after, zone)),
        *(next_day(after, *day) for day in DAYS.values()),
    ]
    return [(instant - _NEAR, instant + _NEAR) for instant in instants]
