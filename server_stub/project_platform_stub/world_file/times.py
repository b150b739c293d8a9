"""Times in a world file: absolute, or relative to the creation of the world.

| Written | Means |
|---|---|
| `2026-11-02T09:00:00Z` | this moment; without an offset it is local time in the event's `timeZone`, or in UTC |
| `now`, `+90m`, `-30d` | the creation of the world, plus or minus weeks, days, hours, minutes or seconds |
| `+1d 09:00` | 9:00 on the day of the creation, plus or minus days or weeks |
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from project_platform_stub.http.errors import ApiError
from project_platform_stub.http.timestamps import read_time

_RELATIVE = re.compile(r"([+-][0-9]{1,4})([wdhms])(?: ([0-9]{2}):([0-9]{2}))?", re.ASCII)
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_FIRST_YEAR, _LAST_YEAR = 1000, 9000  # Far from the limits of `datetime`, so that adding ten years never overflows.
# The order of two times of the same kind does not depend on the creation of the world.
ANY_TIME = datetime(2026, 1, 1, 12, tzinfo=UTC)


def is_moment(text: str) -> bool:
    """Return whether a string is a time of a world file."""
    try:
        read_moment(text, ANY_TIME)
    except (ApiError, ValueError):
        return False
    return True


def read_moment(text: str, now: datetime, zone: str | None = None) -> datetime:
    """Return the moment, in UTC, of a time for which `is_moment` is true; a local time without a zone is in UTC."""
    if text == "now":
        return now.astimezone(UTC)
    found = _RELATIVE.fullmatch(text)
    if found is None:
        moment = read_time(text, zone, "")
        if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
            raise ValueError("is out of range")
        return moment
    amount, unit, hour, minute = found.groups()
    distance = timedelta(**{_UNITS[unit]: int(amount)})
    if hour is None:
        return now.astimezone(UTC) + distance
    if unit not in "wd":
        raise ValueError("a time of day needs days or weeks before it, such as '+1d 09:00'")
    clocks: tzinfo = UTC if zone is None else ZoneInfo(zone)
    day = (now.astimezone(clocks) + distance).date()
    return datetime(day.year, day.month, day.day, int(hour), int(minute), tzinfo=clocks).astimezone(UTC)


def problem_of_interval(start: str, end: str, zone: str | None = None) -> str | None:
    """Return the problem of the end of an interval, given its start; None if it is valid."""
    if _kind(start) != _kind(end):
        return "must have the same form as the start: absolute, relative, or a relative day with a time"
    if read_moment(end, ANY_TIME, zone) <= read_moment(start, ANY_TIME, zone):
        return "must be after the start"
    return None


def _kind(text: str) -> Literal["absolute", "relative", "day"]:
    if text == "now":
        return "relative"
    found = _RELATIVE.fullmatch(text)
    if found is None:
        return "absolute"
    return "relative" if found[3] is None else "day"
