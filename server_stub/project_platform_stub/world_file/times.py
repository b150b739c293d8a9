"""Times in a world file: absolute, or counted from the moment the world is made.

| Written | Means |
|---|---|
| `2026-11-02T09:00:00Z` | this moment; without an offset it is on the clocks of the event's `timeZone`, or in UTC |
| `now`, `+90m`, `-30d` | so many weeks, days, hours, minutes or seconds after or before the world is made |
| `+1d 09:00` | at 9:00 so many days or weeks after or before the day on which the world is made |
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

from project_platform_stub.http.errors import RefusalError
from project_platform_stub.http.timestamps import read_time, read_zone

_RELATIVE = re.compile(r"([+-][0-9]{1,4})([wdhms])(?: ([0-9]{2}):([0-9]{2}))?", re.ASCII)
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_FIRST_YEAR, _LAST_YEAR = 1000, 9000  # Far from where Python's calendar ends, so that what lasts ten years still fits.
_ANY_TIME = datetime(
    2026, 1, 1, 12, tzinfo=UTC
)  # Two times of one kind come in the same order whenever a world is made.


def is_moment(text: str) -> bool:
    """Return whether a text is a time."""
    try:
        read_moment(text, _ANY_TIME)
    except ValueError:
        return False
    return True


def is_zone(text: str) -> bool:
    """Return whether a text is the name of an IANA time zone."""
    try:
        read_zone(text, "")
    except RefusalError:
        return False
    return True


def read_moment(text: str, now: datetime, zone: str | None = None) -> datetime:
    """Return the moment, in UTC, that a text names.

    Args:
        text: The text.
        now: When the world is made.
        zone: The IANA zone of a time of day; UTC if None.

    Raises:
        ValueError: It names none.
    """
    if text == "now":
        return now.astimezone(UTC)
    found = _RELATIVE.fullmatch(text)
    if found is None:
        try:
            moment = read_time(text, zone, "")
        except RefusalError as refusal:
            raise ValueError(refusal.message) from None
        if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
            raise ValueError("is out of range")
        return moment
    amount, unit, hour, minute = found.groups()
    distance = timedelta(**{_UNITS[unit]: int(amount)})
    if hour is None:
        return now.astimezone(UTC) + distance
    if unit not in "wd":
        raise ValueError("a time of day needs whole days or weeks before it")
    clocks: tzinfo = UTC if zone is None else ZoneInfo(zone)
    day = (now.astimezone(clocks) + distance).date()
    return datetime(day.year, day.month, day.day, int(hour), int(minute), tzinfo=clocks).astimezone(UTC)


def problem_of_stretch(start: str, end: str, zone: str | None = None) -> str | None:
    """Return what is wrong with an end, given its start; None if nothing is."""
    if _kind(start) != _kind(end):
        return "must be written as the start is: absolute, as a distance, or as a day with a time"
    if read_moment(end, _ANY_TIME, zone) <= read_moment(start, _ANY_TIME, zone):
        return "must be after the start"
    return None


def _kind(text: str) -> Literal["absolute", "distance", "day"]:
    if text == "now":
        return "distance"
    found = _RELATIVE.fullmatch(text)
    if found is None:
        return "absolute"
    return "distance" if found[3] is None else "day"
