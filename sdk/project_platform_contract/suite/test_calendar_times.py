"""Endpoints 5 and 6: start, end and duration of events: offsets, time zones, daylight saving time, seconds and lengths.

Each test checks a table of values; a failure names those that differ.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.calendar import SEASONS, ZONES, Bookings, Minutes, joined, moment
from .support.calendar_dates import CLOCKS, DAYS, clock_changes, next_day
from .support.calendar_model import cut

# Offsets of a start and an end; an offset denotes the instant, also if timeZone names another zone.
_OFFSETS = [
    ("+05:30", "-03:00", None),
    ("-09:30", "+14:00", None),
    ("Z", "+12:45", None),
    ("-11:00", "Z", "Asia/Kolkata"),
    ("+02:00", "+02:00", "America/New_York"),
]
_DURATIONS = (1, 59, 61, 480, 1440, 2000)
# Offsets of a quarter of an hour, the greatest and the least offset, and names with no slash and with two.
_UNUSUAL_ZONES = (
    *(
        "Asia/Kathmandu",
        "Pacific/Kiritimati",
        "Pacific/Pago_Pago",
        "America/Argentina/Buenos_Aires",
        "UTC",
        "Etc/GMT+5",
    ),
    "Asia/Calcutta",  # a former name, with which some systems still name the zone
)
_ZONE = 12  # Minutes between the events of two zones.
_DAY = 24 * 60  # minutes
_AFTER = 60  # Minutes after an event in which a calendar is compared; later, others may have events.
_LATE = timedelta(days=420)  # After the year in which the stretches of other tests are.


@pytest.mark.rule("calendar.book.start-offset")
def test_the_offsets_of_start_and_end_denote_instants(bookings: Bookings) -> None:
    spans = {}
    for number, (first, second, zone) in enumerate(_OFFSETS):
        body = {
            "start": bookings.with_offset(30 * number, first),
            "end": bookings.with_offset(30 * number + 10, second),
            **({"timeZone": zone} if zone else {}),
        }
        spans[first, second, zone] = bookings.span(bookings.book(**body))

    assert spans == {case: (30 * number, 30 * number + 10) for number, case in enumerate(_OFFSETS)}
    assert bookings.busy() == [(30 * number, 30 * number + 10) for number in range(len(_OFFSETS))]


@pytest.mark.rule("calendar.book.start-offset")
def test_fractions_of_seconds_are_accepted(bookings: Bookings) -> None:
    """JavaScript writes every timestamp with milliseconds."""
    fractions = (".000", ".0", ".000000")

    spans = [
        bookings.span(bookings.book(**{name: at.replace("Z", f"{fraction}Z") for name, at in slot.items()}))
        for number, fraction in enumerate(fractions)
        for slot in [{"start": bookings.at(20 * number), "end": bookings.at(20 * number + 10)}]
    ]

    assert spans == [(20 * number, 20 * number + 10) for number in range(len(fractions))]


@pytest.mark.rule("calendar.book.time-zone")
@pytest.mark.parametrize("season", SEASONS)
def test_local_times_follow_daylight_saving_time(api: Api, contract_run: Run, season: str) -> None:
    """In the north and in the south."""
    bookings = Bookings(api, contract_run, months=SEASONS[season])
    spans = {}
    for number, zone in enumerate(ZONES):
        start, end = (bookings.local(40 * number + minutes, ZoneInfo(zone)) for minutes in (0, 30))
        spans[zone] = bookings.span(bookings.book(start=start, end=end, timeZone=zone))

    assert spans == {zone: (40 * number, 40 * number + 30) for number, zone in enumerate(ZONES)}
    assert bookings.busy() == [(40 * number, 40 * number + 30) for number in range(len(ZONES))]


@pytest.mark.rule("calendar.reschedule.time-zone")
@pytest.mark.parametrize("season", SEASONS)
def test_new_local_times_follow_daylight_saving_time(api: Api, contract_run: Run, season: str) -> None:
    bookings = Bookings(api, contract_run, months=SEASONS[season])
    booking = bookings.book()
    spans = {}
    for number, zone in enumerate(ZONES):
        start, end = (bookings.local(40 * number + minutes, ZoneInfo(zone)) for minutes in (40, 70))
        spans[zone] = _moved(bookings, booking, {"start": start, "end": end, "timeZone": zone})

    assert spans == {zone: [(40 * number + 40, 40 * number + 70)] * 2 for number, zone in enumerate(ZONES)}


@pytest.mark.rule("calendar.book.time-zone")
def test_local_times_are_in_any_time_zone(bookings: Bookings) -> None:
    """Every name of the IANA time zone database is a zone."""
    spans = {}
    for number, zone in enumerate(_UNUSUAL_ZONES):
        start, end = (bookings.local(_ZONE * number + minutes, ZoneInfo(zone)) for minutes in (0, 10))
        spans[zone] = _span(bookings, bookings.post(0, start=start, end=end, timeZone=zone))

    assert spans == {zone: (_ZONE * number, _ZONE * number + 10) for number, zone in enumerate(_UNUSUAL_ZONES)}
    assert bookings.busy() == list(spans.values())


@pytest.mark.rule("calendar.reschedule.time-zone")
def test_new_local_times_are_in_any_time_zone(bookings: Bookings) -> None:
    booking = bookings.book()

    for number, zone in enumerate(_UNUSUAL_ZONES):
        start, end = (bookings.local(_ZONE * number + minutes, ZoneInfo(zone)) for minutes in (0, 10))
        slots = _moved(bookings, booking, {"start": start, "end": end, "timeZone": zone})
        assert slots == [(_ZONE * number, _ZONE * number + 10)] * 2, zone


@pytest.mark.rule("calendar.book.clock-changes")
@pytest.mark.parametrize("zone", CLOCKS)
def test_an_event_across_a_change_of_the_clocks_has_its_duration(api: Api, contract_run: Run, zone: str) -> None:
    """To daylight saving time and from it. The slots need not be free, so only the responses are checked."""
    for change in clock_changes(moment(contract_run.data["free_slot"]), zone):
        bookings = Bookings(api, contract_run, begin=change - timedelta(minutes=90))
        bodies = _around_a_change(bookings, zone)

        responses = {name: bookings.post(0, **body, conflictCheck=False) for name, body in bodies.items()}

        spans = {name: _span(bookings, response) for name, response in responses.items()}
        assert spans == dict.fromkeys(bodies, (0, 180)), change


@pytest.mark.rule("calendar.reschedule.time-zone")
@pytest.mark.parametrize("zone", CLOCKS)
def test_an_event_is_moved_across_a_change_of_the_clocks(api: Api, contract_run: Run, zone: str) -> None:
    """From a day before it, and to one after it. The slots need not be free, so only the responses are checked."""
    for change in clock_changes(moment(contract_run.data["free_slot"]), zone):
        bookings = Bookings(api, contract_run, begin=change - timedelta(minutes=90))
        booking = bookings.book(-_DAY, 30 - _DAY, timeZone=zone, conflictCheck=False)
        start = {"start": bookings.local(_DAY, ZoneInfo(zone)), "timeZone": zone}
        moves: dict[str, tuple[dict[str, Any], Minutes]] = {
            **{name: (body, (0, 180)) for name, body in _around_a_change(bookings, zone).items()},
            "local end": ({"end": bookings.local(200, ZoneInfo(zone)), "timeZone": zone}, (0, 200)),
            "duration": ({"durationMinutes": 240}, (0, 240)),
            "a day later": ({**start, "durationMinutes": 240}, (_DAY, _DAY + 240)),
        }

        for name, (body, slot) in moves.items():
            moved = bookings.move(booking, **body, conflictCheck=False, notifyAttendees=False)
            assert _span(bookings, moved) == slot, (name, change)


@pytest.mark.rule("calendar.book.end-given")
def test_times_are_exact_to_the_second(bookings: Bookings) -> None:
    bodies: dict[Minutes, dict[str, Any]] = {
        (0.25, 10.75): {"start": bookings.at(0.25), "end": bookings.at(10.75)},
        (20.5, 20.75): {"start": bookings.at(20.5), "end": bookings.at(20.75)},
        (30, 30.25): {"start": bookings.at(30), "end": bookings.at(30.25)},
        (2459 / 60, 2999 / 60): {"start": bookings.at(2459 / 60), "end": bookings.at(2999 / 60)},
    }

    spans = [_span(bookings, bookings.post(0, **body)) for body in bodies.values()]

    assert spans == list(bodies)
    assert bookings.busy() == list(bodies)


@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(False, id="booked", marks=pytest.mark.rule("calendar.book.answers-booking")),
        pytest.param(True, id="moved", marks=pytest.mark.rule("calendar.reschedule.moves")),
    ],
)
@pytest.mark.parametrize(("month", "day"), DAYS.values(), ids=DAYS)
def test_an_event_on_any_day_has_its_slot(api: Api, contract_run: Run, month: int, day: int, moved: bool) -> None:
    """Within the day, and into the next one, also in zones that have another date.

    The slots need not be free.
    """
    bookings = Bookings(api, contract_run, begin=next_day(moment(contract_run.data["free_slot"]), month, day))
    noon, night = (12 * 60.0, 12 * 60.0 + 30), (23 * 60.0 + 45, 24 * 60.0 + 15)
    bodies: dict[tuple[str, Minutes], dict[str, Any]] = {}
    bodies["end", noon] = {"start": bookings.at(noon[0]), "end": bookings.at(noon[1])}
    bodies["duration", night] = {"start": bookings.at(night[0]), "durationMinutes": 30}
    for zone, slot in (("Pacific/Kiritimati", night), ("Pacific/Pago_Pago", noon)):
        local = [bookings.local(minutes, ZoneInfo(zone)) for minutes in slot]
        bodies[zone, slot] = {"start": local[0], "end": local[1], "timeZone": zone}

    if moved:
        booking = bookings.book(conflictCheck=False)
        responses = {case: bookings.move(booking, **body, conflictCheck=False) for case, body in bodies.items()}
    else:
        responses = {case: bookings.post(0, **body, conflictCheck=False) for case, body in bodies.items()}

    found = {case: bookings.span(response.json()) for case, response in responses.items() if response.is_success}
    if not found:
        raise MissingError(f"no event on {bookings.begin:%Y-%m-%d} was accepted")
    assert found == {case: case[1] for case in found}
    # Other events may be there, too, but this one alone makes all of its slot busy.
    for first, last in {list(found.values())[-1]} if moved else set(found.values()):
        listed = bookings.listed({"timeMin": bookings.at(first), "timeMax": bookings.at(last)})
        assert joined(cut(listed, (first, last))) == [(first, last)]
        assert bookings.post(first + 1, last - 1).status_code == 409


@pytest.mark.rule("calendar.book.end-default")
def test_an_event_of_any_length_has_its_duration(api: Api, contract_run: Run) -> None:
    """Also of more than a day, and from a start within a minute."""
    bookings = Bookings(api, contract_run, long=True)

    seen = {
        (start, minutes): _span(bookings, bookings.post(start, durationMinutes=minutes, conflictCheck=False))
        for minutes in _DURATIONS
        for start in (0, 0.25)
        if start == 0 or minutes in {1, 1440}
    }

    assert seen == {(start, minutes): (start, start + minutes) for start, minutes in seen}
    assert bookings.busy(until=max(_DURATIONS) + _AFTER) == [(0, max(_DURATIONS))]


@pytest.mark.parametrize(
    "moved",
    [
        pytest.param(False, id="booked", marks=pytest.mark.rule("calendar.book.end-default")),
        pytest.param(True, id="moved", marks=pytest.mark.rule("calendar.reschedule.duration")),
    ],
)
def test_an_event_of_days_or_weeks_has_its_duration(api: Api, contract_run: Run, moved: bool) -> None:
    """A service may refuse such events. They are later than all other events of a run, and take none of their slots."""
    bookings = Bookings(api, contract_run, begin=moment(contract_run.data["free_slot"]) + _LATE)
    booking = bookings.book(conflictCheck=False) if moved else {}

    for days in (3, 8, 15, 32):
        body = {"start": bookings.at(0), "durationMinutes": days * _DAY, "conflictCheck": False}
        response = bookings.move(booking, **body, notifyAttendees=False) if moved else bookings.post(0, **body)
        if response.is_success:
            assert bookings.span(response.json()) == (0, days * _DAY)
            last = {"timeMin": bookings.at(days * _DAY - 30), "timeMax": bookings.at(days * _DAY)}
            assert joined(cut(bookings.listed(last), (days * _DAY - 30, days * _DAY))) == [
                (days * _DAY - 30, days * _DAY)
            ]


def _moved(bookings: Bookings, booking: dict[str, Any], body: dict[str, Any]) -> list[Minutes]:
    """Update a booking silently, and return its slot in the response and the busy intervals of the stretch."""
    response = bookings.move(booking, **body, notifyAttendees=False)
    assert response.is_success, f"the update with {body} was refused: {response.status_code}"
    return [bookings.span(response.json()), *bookings.busy()]


def _span(bookings: Bookings, response: Any) -> Minutes | str:
    """Return the slot in a response, or its status."""
    return bookings.span(response.json()) if response.is_success else f"refused: {response.status_code}"


def _around_a_change(bookings: Bookings, zone: str) -> dict[str, dict[str, Any]]:
    """Return the times of an event of three hours, in several forms."""
    start, end = (bookings.local(minutes, ZoneInfo(zone)) for minutes in (0, 180))
    return {
        "local start and end": {"start": start, "end": end, "timeZone": zone},
        "local start and duration": {"start": start, "durationMinutes": 180, "timeZone": zone},
        "local start and end in UTC": {"start": start, "end": bookings.at(180), "timeZone": zone},
    }
