"""Times of events that are read in another way than they are written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, patch
from ..service import calendar

times = Kind("times of events")


busy = Kind("busy intervals")


START = "| start | string | ISO timestamp; event start |"


END = "| end | string | ISO timestamp; defaults to start + durationMinutes |"


ZONE = "| timeZone | string | IANA zone for start and end |"


original_instant = calendar.instant


original_end = calendar.end_of


def instant(name: str, read: Callable[[str, str | None], datetime], sentence: str = START) -> None:
    """Register a mutant that reads timestamps in another way, in bookings and everywhere else."""
    times.add(name, "calendar_book", sentence, lambda: patch(calendar, "instant", read))


def whole(at: datetime, unit: timedelta) -> datetime:
    """Return an instant, rounded down."""
    return at - (at - datetime(2000, 1, 1, tzinfo=UTC)) % unit


def with_offset(offset: Callable[[datetime, ZoneInfo], timedelta | None]) -> Callable[[str, str | None], datetime]:
    """Return a reader of timestamps that computes the offset of a zone in another way."""

    def read(value: str, name: str | None) -> datetime:
        local = datetime.fromisoformat(value.upper())
        if local.tzinfo or name is None:
            return original_instant(value, name)
        return (local - (offset(local, ZoneInfo(name)) or timedelta())).replace(tzinfo=UTC)

    return read


def winter(local: datetime, zone: ZoneInfo) -> timedelta | None:
    """Return the offset of January."""
    return local.replace(month=1, day=15, tzinfo=zone).utcoffset()


def standard(local: datetime, zone: ZoneInfo) -> timedelta:
    """Return the offset without daylight saving time."""
    at = local.replace(tzinfo=zone)
    return (at.utcoffset() or timedelta()) - (at.dst() or timedelta())


def northern(local: datetime, zone: ZoneInfo) -> timedelta:
    """Return the offset with daylight saving time from April to October on both hemispheres."""
    return standard(local, zone) + (
        timedelta(hours=1)
        if any(local.replace(month=month, day=15, tzinfo=zone).dst() for month in (1, 7)) and 4 <= local.month <= 10
        else timedelta()
    )


def american(local: datetime, zone: ZoneInfo) -> timedelta:
    """Return the offset with the dates of daylight saving time in New York, also in Europe."""
    if not zone.key.startswith("Europe/"):
        return local.replace(tzinfo=zone).utcoffset() or timedelta()
    return standard(local, zone) + (local.replace(tzinfo=ZoneInfo("America/New_York")).dst() or timedelta())


instant(
    "seconds of a timestamp are dropped", lambda value, name: whole(original_instant(value, name), timedelta(minutes=1))
)


instant(
    "timestamps are rounded to five minutes",
    lambda value, name: whole(original_instant(value, name), timedelta(minutes=5)),
)


instant("the offset of today applies all year", with_offset(lambda local, zone: datetime.now(zone).utcoffset()), ZONE)


instant("the offset of January applies all year", with_offset(winter), ZONE)


instant("there is no daylight saving time", with_offset(standard), ZONE)


instant("daylight saving time is in the northern summer everywhere", with_offset(northern), ZONE)


instant("daylight saving time has the American dates in Europe", with_offset(american), ZONE)


instant(
    "offsets of zones are whole half hours",
    with_offset(lambda local, zone: whole_offset(local.replace(tzinfo=zone).utcoffset(), 30)),
    ZONE,
)


instant(
    "offsets of zones are whole hours",
    with_offset(lambda local, zone: whole_offset(local.replace(tzinfo=zone).utcoffset(), 60)),
    ZONE,
)


def whole_offset(offset: timedelta | None, minutes: int) -> timedelta:
    """Return an offset in whole units, rounded down."""
    unit = timedelta(minutes=minutes)
    return (offset or timedelta()) // unit * unit


@times("calendar_book", START)
def the_sign_of_an_offset_is_ignored() -> None:
    patch(calendar, "instant", lambda value, name: original_instant(value[:11] + value[11:].replace("-", "+"), name))


@times("calendar_book", START)
def minutes_of_an_offset_are_ignored() -> None:
    def read(value: str, name: str | None) -> datetime:
        return original_instant(value[:-2] + "00" if value[-6:-5] in {"+", "-"} else value, name)

    patch(calendar, "instant", read)


@times("calendar_book", START)
def fractions_of_a_second_make_a_timestamp_invalid() -> None:
    timestamp = calendar.timestamp
    for name in ("start", "end"):
        calendar._TIMES[name] = lambda value: timestamp(value) and "." not in value


@times("calendar_book", START)
def only_timestamps_in_utc_are_accepted() -> None:
    timestamp = calendar.timestamp
    for name in ("start", "end"):
        calendar._TIMES[name] = lambda value: (
            timestamp(value) and (value.endswith("Z") or value[-6:-5] not in {"+", "-"})
        )


@times("calendar_book", ZONE)
def the_zone_applies_to_the_start_only() -> None:
    def end(body: Json, begin: datetime) -> datetime | None:
        return original_instant(body["end"], "UTC") if "end" in body else original_end(body, begin)

    patch(calendar, "end_of", end)


@times("calendar_book", ZONE)
def zones_without_a_slash_are_refused() -> None:
    zone = calendar.zone
    calendar._TIMES["timeZone"] = lambda value: zone(value) and "/" in value


def ends(name: str, end: Callable[[Json, datetime], datetime | None], sentence: str = END) -> None:
    """Register a mutant that computes the end of an event in another way."""
    times.add(name, "calendar_book", sentence, lambda: patch(calendar, "end_of", end))


def limited(minutes: Callable[[int], float]) -> Callable[[Json, datetime], datetime | None]:
    """Return a function that changes the duration of an event without an end."""

    def end(body: Json, begin: datetime) -> datetime | None:
        if "end" in body or "durationMinutes" not in body:
            return original_end(body, begin)
        return begin + timedelta(minutes=minutes(int(body["durationMinutes"])))

    return end


ends("a duration has at most eight hours", limited(lambda minutes: min(minutes, 480)))


ends("a duration has at most a day", limited(lambda minutes: min(minutes, 1440)))


ends("a duration has at least five minutes", limited(lambda minutes: max(minutes, 5)))


ends("a duration is a multiple of fifteen minutes", limited(lambda minutes: -(-minutes // 15) * 15))


@times("calendar_book", END)
def an_end_has_the_offset_of_the_start() -> None:
    def end(body: Json, begin: datetime) -> datetime | None:
        if "end" not in body:
            return original_end(body, begin)
        start = datetime.fromisoformat(body["start"].upper()) if "start" in body else begin
        local = datetime.fromisoformat(body["end"].upper())
        return (
            local.replace(tzinfo=start.tzinfo).astimezone(UTC)
            if local.tzinfo and start.tzinfo
            else original_end(body, begin)
        )

    patch(calendar, "end_of", end)


@times("calendar_book", END)
def an_event_ends_on_the_day_on_which_it_starts() -> None:
    def end(body: Json, begin: datetime) -> datetime | None:
        at = original_end(body, begin)
        midnight = (begin + timedelta(days=1)).replace(hour=0, minute=0, second=0)
        return min(at, midnight) if at else None

    patch(calendar, "end_of", end)
