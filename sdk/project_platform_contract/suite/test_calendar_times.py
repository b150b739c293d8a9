"""Endpoints 5 to 7: an event has its times in every notation, zone, season, year and length, on the way in and on the way out.

Every third row of each table is booked, and one event is moved through the others; a failure names the rows that differ. What a
service may consider out of range may be refused, but not read as another instant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.calendar import SEASONS, ZONES, Bookings, answered, intervals, joined, moment, wire
from .support.calendar_dates import CLOCKS, DAYS, clock_changes, next_day, repeated_hour
from .support.preconditions import accepted, is_invalid
from .support.reading import refused

_SECOND: Final = timedelta(seconds=1)
_MINUTE: Final = timedelta(minutes=1)
_STEP, _LENGTH = 5, 3  # Minutes between the starts of the events of a table, and of an event.
_DAY: Final = 24 * 60  # Minutes.
_BOOKED: Final = 3  # Every third row of a table is booked; events cannot be deleted.
_RANGE: Final = timedelta(days=28)  # Length of a query; providers do not list much more in one response.
_LATE: Final = timedelta(days=420)  # After the year in which the stretches of other tests are.

# RFC 3339 section 5.6: `Z` or a sign, hours and minutes. None of them has the digits of another with another sign.
_OFFSETS: Final = ("Z", "-00:30", "+05:45", "-03:30", "+14:00", "-12:00", "+01:00", "-09:30")
# RFC 3339 section 5.6: a point and at least one digit.
_FRACTIONS: Final = ("", ".5", ".005", ".0625", ".999999", ".123456789", ".000", ".100")
# Offsets of a quarter of an hour, the greatest and the least offset, names with no slash and with two, and a former name.
_UNUSUAL_ZONES: Final = (
    *("Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Pago_Pago", "America/Argentina/Buenos_Aires", "UTC"),
    *("Etc/GMT+5", "Asia/Calcutta"),
)
# Days on which a counter overflows, a leap day is or is missing, or a year ends; and years far away.
_FAR: Final = ("2038-01-19T03:00", "2040-02-29T23:45", "2099-12-31T23:45", "2100-02-28T23:45", "2999-06-15T12:00")
_MINUTES: Final = (2000, 59, 61, 480, _DAY, 1)
_DAYS: Final = (3, 15, 32)

Slot = tuple[datetime, datetime]


class Row(NamedTuple):
    """Times of an event in one notation.

    Attributes:
        body: The members of the body.
        slot: The slot that they denote.
        optional: Whether a service may refuse them, such as a zone beside offsets.
    """

    body: dict[str, Any]
    slot: Slot
    optional: bool = False


def _row(bookings: Bookings, start: float, end: float, zone: str | None = None, *, optional: bool = False) -> Row:
    """Return a start and an end in UTC, or as local times in a zone."""
    slot = moment(bookings.at(start)), moment(bookings.at(end))
    if zone is None:
        return Row({"start": bookings.at(start), "end": bookings.at(end)}, slot, optional)
    local = (bookings.local(minutes, ZoneInfo(zone)) for minutes in (start, end))
    return Row({**dict(zip(("start", "end"), local, strict=True)), "timeZone": zone}, slot, optional)


def _lasting(bookings: Bookings, start: float, minutes: int, *, optional: bool = False) -> Row:
    """Return a start in UTC with a duration."""
    row = _row(bookings, start, start + minutes, optional=optional)
    return row._replace(body={"start": row.body["start"], "durationMinutes": minutes})


def _notations(api: Api, run: Run) -> Iterator[Row]:
    """Yield every offset and every fraction, each as that of a start and of an end, and local times with fractions."""
    bookings = Bookings(api, run)
    for number, offset in enumerate(_OFFSETS):
        start = _written(bookings, number * _STEP, offset, _FRACTIONS[number])
        fraction = _FRACTIONS[(number + 5) % len(_FRACTIONS)]
        end = _written(bookings, number * _STEP + _LENGTH, _OFFSETS[-1 - number], fraction)
        zone = {"timeZone": "America/New_York"} if number % 5 == 3 else {}
        if number % 4 == 1:
            body: dict[str, Any] = {"start": start[0], "durationMinutes": _LENGTH}
            yield Row(body, (start[1], start[1] + _LENGTH * _MINUTE))
        else:
            yield Row({"start": start[0], "end": end[0], **zone}, (start[1], end[1]), bool(zone))
    local = _row(bookings, 60, 63, "Asia/Kathmandu")
    body = {"start": f"{local.body['start']}.250", "end": f"{local.body['end']}.750", "timeZone": "Asia/Kathmandu"}
    yield Row(body, (local.slot[0] + _SECOND / 4, local.slot[1] + 3 * _SECOND / 4))
    local = _row(bookings, 70, 73, "America/St_Johns")
    yield local._replace(body={**local.body, "end": bookings.at(73)})
    exact: tuple[tuple[float, float], ...] = ((80.25, 90.75), (95.5, 95.75), (100, 100.25), (6059 / 60, 6599 / 60))
    yield from (_row(bookings, *minutes) for minutes in exact)


def _written(bookings: Bookings, minutes: float, offset: str, fraction: str) -> tuple[str, datetime]:
    """Return an instant of the stretch with an offset and a fraction of a second, and the instant."""
    numeric = "+00:00" if offset == "Z" else offset
    text = bookings.with_offset(minutes, numeric).removesuffix(numeric)
    return f"{text}{fraction}{offset}", moment(bookings.at(minutes)) + float(f"0{fraction}0") * _SECOND


def _zones(api: Api, run: Run) -> Iterator[Row]:
    """Yield local times in zones: in the seasons of the north and the south, and in zones with unusual offsets or names."""
    for months in SEASONS.values():
        bookings = Bookings(api, run, months=months)
        for number, zone in enumerate(ZONES):
            yield _row(bookings, 40 * number, 40 * number + 30, zone)
    bookings = Bookings(api, run)
    for number, zone in enumerate(_UNUSUAL_ZONES):
        yield _row(bookings, 12 * number, 12 * number + 10, zone)


def _clocks(api: Api, run: Run) -> Iterator[Row]:
    """Yield events across each change of the clocks, and events whose start and end have the same local time."""
    first = moment(run.data["free_slot"])
    for zone in CLOCKS:
        for number, change in enumerate(clock_changes(first, zone)):
            bookings = Bookings(api, run, begin=change - timedelta(minutes=90))
            local = _row(bookings, 0, 180, zone)
            yield local
            duration = {"start": local.body["start"], "durationMinutes": 180, "timeZone": zone}
            yield local._replace(body=duration if number else {**local.body, "end": bookings.at(180)})
        if zone != "Australia/Lord_Howe":  # It repeats half an hour.
            start = repeated_hour(first, zone) - timedelta(minutes=30)
            slot = start, start + timedelta(hours=1)
            texts = [instant.astimezone(ZoneInfo(zone)).isoformat() for instant in slot]
            yield Row({"start": texts[0], "end": texts[1], "timeZone": zone}, slot, optional=True)


def _dates(api: Api, run: Run) -> Iterator[Row]:
    """Yield events on special days, and in years far away."""
    for number, day in enumerate(DAYS.values()):
        bookings = Bookings(api, run, begin=next_day(moment(run.data["free_slot"]), *day))
        noon, night = 12 * 60, 23 * 60 + 45
        yield _lasting(bookings, night, 30, optional=True)
        zone, start = (("Pacific/Kiritimati", night), ("Pacific/Pago_Pago", noon))[number % 2]
        yield _row(bookings, start, start + 30, zone, optional=True)
    for number, text in enumerate(_FAR):
        bookings = Bookings(api, run, begin=moment(f"{text}:00Z"))
        row = _lasting(bookings, 0, 30, optional=True)
        yield row if number % 2 else row._replace(body={**row.body, "start": bookings.with_offset(0, "-05:30")})
        yield _row(bookings, 0, 30, "America/New_York" if number < 2 else None, optional=True)


def _lengths(api: Api, run: Run) -> Iterator[Row]:
    """Yield events of any length, also from a start within a minute; a service may refuse those of days or weeks."""
    bookings = Bookings(api, run, begin=moment(run.data["free_slot"]) + _LATE)
    for number, minutes in enumerate((*_MINUTES, *(days * _DAY for days in _DAYS))):
        yield _lasting(bookings, number % 2 / 4, minutes, optional=minutes > _DAY)


_TABLES: Final[dict[str, tuple[Callable[[Api, Run], Iterator[Row]], str, str]]] = {
    "notations": (_notations, "calendar.book.start-offset", "calendar.reschedule.moves"),
    "zones": (_zones, "calendar.book.time-zone", "calendar.reschedule.time-zone"),
    "clocks": (_clocks, "calendar.book.clock-changes", "calendar.reschedule.time-zone"),
    "dates": (_dates, "calendar.book.answers-booking", "calendar.reschedule.moves"),
    "lengths": (_lengths, "calendar.book.end-default", "calendar.reschedule.duration"),
}


@pytest.mark.parametrize(
    "rows",
    [pytest.param(rows, id=name, marks=pytest.mark.rule(rule)) for name, (rows, rule, _) in _TABLES.items()],
)
def test_events_are_booked_with_their_times(
    api: Api, contract_run: Run, bookings: Bookings, rows: Callable[[Api, Run], Iterator[Row]]
) -> None:
    """The slots need not be free; an event alone makes all of its slot busy."""
    problems, found = {}, {}
    for row in islice(rows(api, contract_run), 0, None, _BOOKED):
        response = _sent(row, partial(bookings.post, 0, conflictCheck=False))
        if response is None:
            continue
        found[str(row.body)] = row.slot
        if problem := _problem(response, row.slot):
            problems[str(row.body)] = problem

    if not found:
        raise MissingError("no event with these times was accepted")
    assert problems == {}
    covered = [interval for window in _windows(found.values()) for interval in _busy(bookings, window)]
    assert {body: slot for body, slot in found.items() if not _is_covered(slot, covered)} == {}


@pytest.mark.parametrize(
    "rows",
    [pytest.param(rows, id=name, marks=pytest.mark.rule(rule)) for name, (rows, _, rule) in _TABLES.items()],
)
def test_an_event_is_moved_to_these_times(
    api: Api, contract_run: Run, bookings: Bookings, rows: Callable[[Api, Run], Iterator[Row]]
) -> None:
    """Over any distance, and back."""
    booking, back = bookings.book(), {"start": bookings.at(60), "end": bookings.at(90)}
    problems, send = {}, partial(bookings.move, booking, conflictCheck=False, notifyAttendees=False)
    for number, row in enumerate(rows(api, contract_run)):
        if number % _BOOKED and (response := _sent(row, send)) is not None:
            problems[str(row.body)] = _problem(response, row.slot)

    if not problems:
        raise MissingError("no event was moved to these times")
    assert {body: problem for body, problem in problems.items() if problem} == {}
    accepted(bookings.move(booking, **back, conflictCheck=False))
    assert bookings.busy() == [(60, 90)]


def _sent(row: Row, send: Callable[..., httpx.Response]) -> httpx.Response | None:
    """Send a row, and return the response; None if it may be refused: the same slot in UTC is invalid, too."""
    response, (start, end) = send(**row.body), map(wire, row.slot)
    may_be_refused = row.optional or (is_invalid(response) and is_invalid(send(start=start, end=end)))
    return None if may_be_refused and refused(response) else response


def _problem(response: httpx.Response, slot: Slot) -> str | None:
    """Return how a response differs from the slot of its request; None if it does not."""
    if not response.is_success:
        return f"refused: {response.status_code}"
    booking = response.json()
    same = all(_is_same(booking[name], instant) for name, instant in zip(("start", "end"), slot, strict=True))
    return None if same else f"{booking['start']} to {booking['end']}"


def _is_same(text: str, instant: datetime) -> bool:
    """Return whether a timestamp is that of an instant: to the millisecond, or to the second, as some calendars store it."""
    seen, second = answered(text), instant.replace(microsecond=0)
    nearest = second + _SECOND * (instant - second >= _SECOND / 2)
    return abs(seen - instant) < timedelta(milliseconds=1) or seen in {second, nearest}


def _windows(slots: Iterable[Slot]) -> list[Slot]:
    """Return few ranges, as short as one query may be, that together have all slots."""
    found: list[Slot] = []
    for start, end in sorted(slots):
        if found and max(found[-1][1], end) - found[-1][0] <= _RANGE:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _busy(bookings: Bookings, window: Slot) -> list[Slot]:
    """Return the busy intervals of a range; all of it if the service refuses it, as it may."""
    response = bookings.query({"timeMin": window[0].isoformat(), "timeMax": window[1].isoformat()})
    return [window] if refused(response) else intervals(response)


def _is_covered(slot: Slot, covered: Iterable[Slot]) -> bool:
    """Return whether one of the busy intervals covers a slot, up to a second."""
    return any(first - slot[0] < _SECOND and slot[1] - last < _SECOND for first, last in covered)


@pytest.mark.rule("calendar.busy.every-event")
def test_every_notation_of_a_range_denotes_its_instants(bookings: Bookings) -> None:
    """It begins and ends within two seconds of events that are in it, and of events that are not."""
    inside = [(10 + 2 / 60, 10 + 4 / 60), (40 - 4 / 60, 40 - 2 / 60)]
    for start, end in ((0, 10), *inside, (40, 50)):
        bookings.book(start, end)

    problems = {}
    for number, offset in enumerate(_OFFSETS):
        fraction = _FRACTIONS[(number + 5) % len(_FRACTIONS)]
        query = {
            "timeMin": _written(bookings, 10, offset, _FRACTIONS[number])[0],
            "timeMax": _written(bookings, 40 - 1 / 60, _OFFSETS[-1 - number], fraction)[0],
        }
        response = bookings.query(query)
        if not response.is_success or joined(bookings.listed(query)) != inside:
            problems[str(query)] = response.text[:200]

    assert problems == {}
