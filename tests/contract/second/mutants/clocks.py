"""Times that are read with the usual mistakes of hand-written parsers, and in types that are too small."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, patch, wrap
from ..service import calendar
from ..service.app import Call

clock = Kind("clock")

START = "`start` | string | ISO timestamp; event start"
ZONE = "`timeZone` | string | IANA zone for start and end"
MOVED = "Moves start/end and/or changes title/description."
LAST_SECOND = 2**31 - 1  # of a signed number of 32 bits: 2038-01-19T03:14:07Z


def reading(name: str, sentence: str, change: Callable[[str, str | None], tuple[str, str | None]]) -> None:
    """Register a mutant that reads other texts than were sent, given a timestamp and a zone."""

    def apply() -> None:
        instant = calendar.instant
        patch(calendar, "instant", lambda value, zone: instant(*change(value, zone)))

    clock.add(name, "calendar_book", sentence, apply)


def milliseconds(value: str, zone: str | None) -> tuple[str, str | None]:
    """Read the digits of a fraction as a number of milliseconds."""
    return re.sub(r"[.,](\d{1,3})\d*", lambda match: f".{int(match[1]):03}", value), zone


reading("fractions of a second are a number of milliseconds", START, milliseconds)


def unsigned_zero(value: str, zone: str | None) -> tuple[str, str | None]:
    """Read the hours of an offset as an integer, which has no sign if it is zero."""
    return re.sub(r"-(00:?\d\d)$", r"+\1", value), zone


reading("a negative offset of less than an hour is positive", START, unsigned_zero)


def other_sign(value: str, zone: str | None) -> tuple[str, str | None]:
    """Read the zones of fixed offsets as they look; the database of zones has them with the other sign."""
    match = re.fullmatch(r"Etc/GMT([+-])(\d\d?)", zone or "")
    if match is None or int(match[2]) > 12:
        return value, zone
    return value, f"Etc/GMT{'-' if match[1] == '+' else '+'}{match[2]}"


reading("zones of fixed offsets have the offset in their name", ZONE, other_sign)


@clock("calendar_book", START)
def seconds_since_1970_have_32_bits() -> None:
    instant = calendar.instant

    def wrapped(value: str, zone: str | None) -> datetime:
        at = instant(value, zone)
        return at - timedelta(seconds=2**32) if at.timestamp() > LAST_SECOND else at

    patch(calendar, "instant", wrapped)


@clock("calendar_reschedule", MOVED)
def a_moved_event_keeps_the_offset_of_its_first_date() -> None:
    def with_first_offset(perform: Any, call: Call) -> Any:
        body = dict(call.body)
        with suppress(KeyError, ValueError, TypeError, OSError):
            event = call.world.events[call.project, call.path["eventId"]]
            offset = event["begin"].astimezone(ZoneInfo(body["timeZone"])).utcoffset()
            for name in {"start", "end"} & body.keys():
                local = datetime.fromisoformat(body[name])
                if local.tzinfo is None:
                    body[name] = local.replace(tzinfo=timezone(offset)).isoformat()
        return perform(replace(call, body=body))

    wrap("calendar_reschedule", with_first_offset)


@clock("calendar_busy", "`timeMin`: ISO timestamp, inclusive start of the range.")
def ranges_of_two_years_have_no_days() -> None:
    in_range = calendar.in_range

    def of_one_year(event: Json, begin: datetime, end: datetime) -> bool:
        first, last = (at.astimezone(UTC).timetuple().tm_yday for at in (begin, end))
        return first <= last and in_range(event, begin, end)

    patch(calendar, "in_range", of_one_year)
