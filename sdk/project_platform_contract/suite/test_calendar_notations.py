"""Endpoints 5 to 7: an instant is the same in every notation of RFC 3339, in every year, on the way in and on the way out.

Each test checks a table; a failure names the notations that differ. What RFC 3339 does not have, or what a service may consider
out of range, may be refused, but not read as another instant.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings, answered, intervals, joined, moment
from .support.calendar_dates import CLOCKS, repeated_hour
from .support.reading import refused

_SECOND: Final = timedelta(seconds=1)
_STEP, _LENGTH = 5, 3  # Minutes between the starts of the events of a table, and of an event.

# RFC 3339 section 5.6: `Z` or a sign, hours and minutes. None of them has the digits of another with another sign.
_OFFSETS: Final = ("Z", "-00:30", "+05:45", "-03:30", "+14:00", "-12:00", "+01:00", "-09:30")
# RFC 3339 section 5.6: a point and at least one digit.
_FRACTIONS: Final = ("", ".5", ".005", ".0625", ".999999", ".123456789", ".000", ".100")
# ISO 8601 has these notations, and RFC 3339 does not have them, does not recommend them, or few libraries read them.
_UNUSUAL: Final = (
    *("{day}t{time}z", "{day} {time}Z", "{day}T{time}-00:00", "{day}T{time}+0000", "{day}T{minutes}Z"),
    *("{day}T{time},5Z", "{basic}Z"),
)
# Days on which a counter overflows, a leap day is or is missing, or a year ends; and years far away.
_FAR: Final = ("2038-01-19T03:00", "2040-02-29T23:45", "2099-12-31T23:45", "2100-02-28T23:45", "2999-06-15T12:00")
_HOURS: Final = [zone for zone in CLOCKS if zone != "Australia/Lord_Howe"]  # It repeats half an hour.
_LAST_RULES: Final = 2060  # Rules of daylight saving time are not compared after this year.


class Form(NamedTuple):
    """How the start and the end of an event are written.

    Attributes:
        start: Offset and fraction of the start.
        end: Offset and fraction of the end; None if it has a duration in place of an end.
        zone: Time zone of the request, which has no effect on an instant with an offset; None for none.
    """

    start: tuple[str, str]
    end: tuple[str, str] | None
    zone: str | None


def _forms() -> Iterator[Form]:
    """Yield forms, so that every offset and every fraction is that of a start and of an end."""
    for number, offset in enumerate(_OFFSETS):
        end = (_OFFSETS[-1 - number], _FRACTIONS[(number + 5) % len(_FRACTIONS)])
        zone = "America/New_York" if number % 5 == 3 else None
        yield Form((offset, _FRACTIONS[number]), None if number % 4 == 1 else end, zone)
    yield Form(("", ".250"), ("", ".750"), "Asia/Kathmandu")
    yield Form(("", ".5"), ("Z", ""), "America/St_Johns")


_FORMS: Final = tuple(_forms())


def _written(bookings: Bookings, minutes: float, notation: tuple[str, str], zone: str | None) -> tuple[str, datetime]:
    """Return an instant of the stretch with an offset and a fraction of a second, and the instant."""
    offset, fraction = notation
    if offset == "":
        text = bookings.local(minutes, ZoneInfo(zone or "UTC"))
    else:
        text = bookings.with_offset(minutes, "+00:00" if offset == "Z" else offset).removesuffix(
            "+00:00" if offset == "Z" else offset
        )
    return f"{text}{fraction}{offset}", moment(bookings.at(minutes)) + float(f"0{fraction}0") * _SECOND


def _body(bookings: Bookings, form: Form, minutes: float) -> tuple[dict[str, Any], tuple[datetime, datetime]]:
    """Return the times of an event that starts at a minute, and its slot."""
    zone = {} if form.zone is None else {"timeZone": form.zone}
    start, begins = _written(bookings, minutes, form.start, form.zone)
    if form.end is None:
        return {"start": start, "durationMinutes": _LENGTH, **zone}, (begins, begins + timedelta(minutes=_LENGTH))
    end, ends = _written(bookings, minutes + _LENGTH, form.end, form.zone)
    return {"start": start, "end": end, **zone}, (begins, ends)


def _is_same(text: str, instant: datetime) -> bool:
    """Return whether a timestamp is that of an instant: to the millisecond, or to the second, as some calendars store it."""
    seen, second = answered(text), instant.replace(microsecond=0)
    return abs(seen - instant) < timedelta(milliseconds=1) or seen in {
        second,
        second + _SECOND * (instant - second >= _SECOND / 2),
    }


def _problem(response: httpx.Response, slot: tuple[datetime, datetime]) -> str | None:
    """Return how a response differs from the slot of its request; None if it does not."""
    if not response.is_success:
        return f"refused: {response.status_code}"
    booking = response.json()
    same = all(_is_same(booking[name], instant) for name, instant in zip(("start", "end"), slot, strict=True))
    return None if same else f"{booking['start']} to {booking['end']}"


@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(False, id="booked", marks=pytest.mark.rule("calendar.book.start-offset")),
        pytest.param(True, id="moved", marks=pytest.mark.rule("calendar.reschedule.moves")),
    ],
)
def test_every_notation_of_a_start_and_an_end_denotes_its_instant(bookings: Bookings, moved: bool) -> None:
    """With any offset and any number of digits of a fraction; a new end alone has any notation, too."""
    booking = bookings.book(0, 1) if moved else {}
    problems, slots = {}, []
    for number, form in enumerate(_FORMS, 1):
        body, slot = _body(bookings, form, number * _STEP)
        response = bookings.move(booking, **body, notifyAttendees=False) if moved else bookings.post(0, **body)
        if problem := _problem(response, slot):
            problems[str(body)] = problem
        if moved and form.end is not None and number % 3 == 0:
            end, ends = _written(bookings, number * _STEP + _LENGTH + 1, form.end, form.zone)
            zone = {} if form.zone is None else {"timeZone": form.zone}
            later = bookings.move(booking, end=end, **zone, notifyAttendees=False)
            if problem := _problem(later, slot := (slot[0], ends)):
                problems[end] = problem
        slots.append(slot)

    assert problems == {}
    expected = slots[-1:] if moved else slots
    listed = [tuple(moment(bookings.at(minutes)) for minutes in span) for span in bookings.busy()]
    assert [
        (span, slot)
        for span, slot in zip(listed, expected, strict=True)
        if max(abs(seen - instant) for seen, instant in zip(span, slot, strict=True)) >= _SECOND
    ] == []


@pytest.mark.rule("calendar.busy.every-event")
def test_every_notation_of_a_range_denotes_its_instants(bookings: Bookings) -> None:
    """It begins and ends within two seconds of events that are in it, and of events that are not."""
    inside = [(10 + 2 / 60, 10 + 4 / 60), (40 - 4 / 60, 40 - 2 / 60)]
    for start, end in ((0, 10), *inside, (40, 50)):
        bookings.book(start, end)

    problems = {}
    for form in _FORMS:
        if form.end is None or "" in (form.start[0], form.end[0]):
            continue
        query = {
            "timeMin": _written(bookings, 10, form.start, None)[0],
            "timeMax": _written(bookings, 40 - 1 / 60, form.end, None)[0],
        }
        try:
            listed: Any = bookings.listed(query)
        except AssertionError as error:
            listed = str(error)
        if isinstance(listed, str) or joined(listed) != inside:
            problems[str(query)] = listed

    assert problems == {}


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param("calendar_book", marks=pytest.mark.rule("calendar.book.start-offset")),
        pytest.param("calendar_busy", marks=pytest.mark.rule("calendar.busy.every-event")),
    ],
)
def test_an_unusual_notation_denotes_its_instant_or_is_refused(bookings: Bookings, operation: str) -> None:
    """An offset beyond those of any zone, too."""
    problems = {}
    if operation == "calendar_busy":
        bookings.book(0, 30)
    for number, notation in enumerate((*_UNUSUAL, "+23:59", "-18:30")):
        minutes = (60 if operation != "calendar_book" else 5) + 5 * number
        start, begins = _unusual(bookings, minutes, notation)
        end, ends = _unusual(bookings, minutes + 2, notation)
        if operation == "calendar_book":
            response = bookings.post(0, start=start, end=end)
        else:
            response = bookings.query({"timeMin": _unusual(bookings, 15, notation)[0], "timeMax": end})
        if refused(response):
            continue
        if operation == "calendar_busy":
            listed = response.json()["busy"]
            right = [end for _, end in intervals(response)] == [moment(bookings.at(30))]
            problem = None if right else str(listed)
        else:
            problem = _problem(response, (begins, ends))
        if problem:
            problems[start] = problem

    assert problems == {}


def _unusual(bookings: Bookings, minutes: float, notation: str) -> tuple[str, datetime]:
    instant = moment(bookings.at(minutes))
    if notation[0] in "+-":
        return bookings.with_offset(minutes, notation), instant
    text = notation.format(
        day=f"{instant:%Y-%m-%d}",
        time=f"{instant:%H:%M:%S}",
        minutes=f"{instant:%H:%M}",
        basic=f"{instant:%Y%m%dT%H%M%S}",
    )
    return text, instant + (_SECOND / 2 if "5" in notation else 0 * _SECOND)


@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(False, id="booked", marks=pytest.mark.rule("calendar.book.answers-booking")),
        pytest.param(True, id="moved", marks=pytest.mark.rule("calendar.reschedule.moves")),
    ],
)
def test_an_event_in_any_year_has_its_slot(api: Api, contract_run: Run, moved: bool) -> None:
    """A service may refuse years far away. The slots need not be free."""
    problems, accepted = {}, 0
    booking = Bookings(api, contract_run).book() if moved else {}
    for text in _FAR:
        bookings = Bookings(api, contract_run, begin=moment(f"{text}:00Z"))
        bodies: list[dict[str, Any]] = [{"start": bookings.with_offset(0, "-05:30"), "durationMinutes": 30}]
        if bookings.begin.year > _LAST_RULES:
            bodies.append({"start": bookings.at(0), "end": bookings.at(30)})
        else:
            zone = ZoneInfo("America/New_York")
            local = {"start": bookings.local(0, zone), "end": bookings.local(30, zone)}
            bodies.append({**local, "timeZone": zone.key})
        slot = (bookings.begin, bookings.begin + timedelta(minutes=30))
        for body in bodies:
            body["conflictCheck"] = False
            response = bookings.move(booking, **body, notifyAttendees=False) if moved else bookings.post(0, **body)
            if not refused(response):
                accepted += 1
                if problem := _problem(response, slot):
                    problems[str(body)] = problem
        if moved or not response.is_success:
            continue
        listed = bookings.query({"timeMin": bookings.at(-10), "timeMax": bookings.at(40)})
        if listed.is_success:
            covered = intervals(listed)
            if not any(begin <= slot[0] and slot[1] <= end for begin, end in covered):
                problems[f"busy on {text}"] = str(covered)

    if not accepted:
        raise MissingError("no event in the years from 2037 on was accepted")
    assert problems == {}


@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(False, id="booked", marks=pytest.mark.rule("calendar.book.clock-changes")),
        pytest.param(True, id="moved", marks=pytest.mark.rule("calendar.reschedule.time-zone")),
    ],
)
def test_offsets_tell_the_two_hours_apart_that_the_clocks_repeat(api: Api, contract_run: Run, moved: bool) -> None:
    """Start and end have the same local time, and an hour between them. The slots need not be free."""
    seen = {}
    for name in _HOURS:
        zone = ZoneInfo(name)
        change = repeated_hour(moment(contract_run.data["free_slot"]), name)
        bookings = Bookings(api, contract_run, begin=change - timedelta(minutes=30))
        first, second = (moment(bookings.at(minutes)).astimezone(zone) for minutes in (0, 60))
        step = int((first.replace(tzinfo=None) - second.replace(tzinfo=None)).total_seconds())
        body = {"start": first.isoformat(), "end": second.isoformat(), "timeZone": name, "conflictCheck": False}
        if moved:
            booking = bookings.book(-600, -570, conflictCheck=False)
            response = bookings.move(booking, **body, notifyAttendees=False)
        else:
            response = bookings.post(0, **body)
        assert step == 0
        seen[name] = _problem(response, (bookings.begin, bookings.begin + timedelta(hours=1)))

    assert seen == dict.fromkeys(_HOURS)
