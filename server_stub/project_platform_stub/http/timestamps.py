"""Timestamps: how they are read, and how they are written."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from .errors import bad_request


def wire_time(moment: datetime) -> str:
    """Return a date-time in UTC as the service writes it, to the microsecond: `2026-11-02T09:00:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def local_time(moment: datetime, zone: str | None) -> str:
    """Return an instant as ISO 8601 with offset: on the clocks of an IANA zone, or in UTC as `...Z`."""
    if zone is None:
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return moment.astimezone(ZoneInfo(zone)).isoformat()


def read_zone(name: str, place: str) -> str:
    """Return the name of an IANA time zone, or refuse it: it is not known, or no zone at all."""
    if name not in _zones():
        raise bad_request(place, "is no IANA time zone")
    return name


@cache
def _zones() -> frozenset[str]:
    # What `ZoneInfo` can read is more: `posix/...`, `right/...`, and the zone of this machine, by two names.
    return frozenset(available_timezones() - {"localtime", "posixrules"})


def read_time(text: str, zone: str | None, place: str) -> datetime:
    """Return the instant, in UTC, that an ISO 8601 timestamp names.

    An offset in the timestamp wins over the zone. Without one the timestamp is read on the clocks of the zone, or in UTC
    if there is no zone. A time that those clocks show twice is its first occurrence, and one that they skip is read with
    the offset from before the change (`fold=0`).
    """
    # A date alone is ISO 8601 as well, but names a day and not a moment.
    if "T" not in text.upper() and " " not in text:
        raise bad_request(place, "is no ISO 8601 timestamp with a date and a time")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        # In a query a plus sign means a space, so `+02:00` has to travel as `%2B02:00`.
        hint = "; a plus sign in a query is written %2B" if place.startswith("query") and " " in text else ""
        raise bad_request(place, f"is no ISO 8601 timestamp{hint}") from None
    clocks: tzinfo = UTC if zone is None else ZoneInfo(zone)
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=clocks)).astimezone(UTC)
    except OverflowError:
        raise bad_request(place, "is out of range") from None
