"""Reads and writes timestamps."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import format_datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from .errors import bad_request

_TIME = re.compile(r"[0-9:.,]+(Z|z|[+-][0-9:.]+)?", re.ASCII)  # `datetime` accepts blanks, too


def wire_time(moment: datetime) -> str:
    """Return a date-time in UTC as the service writes it, to the microsecond: `2026-11-02T09:00:00.000000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def retry_after_header(form: str, seconds: float, now: datetime) -> dict[str, str]:
    """Return the header field that asks a client to wait: in `seconds`, `milliseconds` or as a `date`; none for `none`."""
    match form:
        case "seconds":
            return {"Retry-After": f"{seconds:.0f}"}
        case "milliseconds":
            return {"Retry-After-Ms": f"{seconds * 1000:.0f}"}
        case "date":
            # An HTTP date has whole seconds (RFC 9110 section 10.2.3); rounding up never shortens a wait.
            until = now + timedelta(seconds=seconds + bool(now.microsecond))
            return {"Retry-After": format_datetime(until, usegmt=True)}
        case _:
            return {}


def local_time(moment: datetime, zone: str | None) -> str:
    """Return an instant as ISO 8601 with offset: in the local time of an IANA time zone, or in UTC as `...Z`."""
    if zone is None:
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return moment.astimezone(ZoneInfo(zone)).isoformat()


def read_zone(name: str, place: str) -> str:
    """Return the name of an IANA time zone, or raise a 400 if there is no such zone."""
    if name not in zones():
        raise bad_request(place, "is not an IANA time zone")
    return name


@cache
def zones() -> frozenset[str]:
    """Return the names of all IANA time zones."""
    # `ZoneInfo` reads more names: `posix/...`, `right/...`, and two names for the local zone of this machine.
    return frozenset(available_timezones() - {"localtime", "posixrules"})


def read_time(text: str, zone: str | None, place: str) -> datetime:
    """Return the instant, in UTC, of an ISO 8601 timestamp.

    An offset in the timestamp takes precedence over the zone. Without an offset the timestamp is local time in the zone,
    or UTC if there is no zone. An ambiguous local time is its first occurrence, and a skipped one gets the offset from
    before the change (`fold=0`).
    """
    _, *times = re.split("[Tt ]", text, maxsplit=1)
    # A date alone is valid ISO 8601, but not an instant.
    if not times:
        raise bad_request(place, "is not an ISO 8601 timestamp with a date and a time")
    try:
        moment = datetime.fromisoformat(text if _TIME.fullmatch(times[0]) else "")
    except ValueError:
        # In a query a plus sign means a space, so `+02:00` has to be sent as `%2B02:00`.
        hint = "; write a plus sign in a query as %2B" if place.startswith("query") and " " in text else ""
        raise bad_request(place, f"is not an ISO 8601 timestamp{hint}") from None
    default_zone: tzinfo = UTC if zone is None else ZoneInfo(zone)
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=default_zone)).astimezone(UTC)
    except OverflowError:
        raise bad_request(place, "is out of range") from None
