"""Endpoints 5 and 6, conflictCheck: which slots are taken, in whatever form they are requested, and whoever took them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings, Minutes, busy, intervals, wire
from .support.preconditions import require_success

_ZONE = "America/New_York"
_DAYS = 28  # Length of a query; providers do not list much more in one response.
_OTHERS = 5  # Maximum number of events of others that are tried.


@pytest.mark.rule("calendar.book.conflict")
def test_a_taken_slot_is_a_conflict_in_every_form_of_request(bookings: Bookings, data: Data) -> None:
    bookings.book(60, 120)
    start, end = (bookings.local(minutes, ZoneInfo(_ZONE)) for minutes in (90, 100))
    forms: dict[str, dict[str, Any]] = {
        "duration": {"durationMinutes": 10},
        "duration that reaches into it": {"start": bookings.at(30), "durationMinutes": 31},
        "local times": {"start": start, "end": end, "timeZone": _ZONE},
        "local start and duration": {"start": start, "durationMinutes": 10, "timeZone": _ZONE},
        "named calendar": {"end": bookings.at(100), "calendarId": data["calendar"]},
        "one second": {"start": bookings.at(59), "end": bookings.at(60 + 1 / 60)},
        "its last second": {"start": bookings.at(120 - 1 / 60), "end": bookings.at(121)},
        "all of it and more": {"start": bookings.at(30), "end": bookings.at(150)},
        "with metadata": {"end": bookings.at(100), "metadata": {"force": True}, "description": "again"},
    }

    statuses = {name: bookings.post(90, **{"conflictCheck": True, **body}).status_code for name, body in forms.items()}

    assert statuses == dict.fromkeys(forms, 409)
    assert bookings.busy() == [(60, 120)]


@pytest.mark.rule("calendar.book.conflict")
def test_each_of_several_events_takes_its_slot(bookings: Bookings) -> None:
    """Also if two of them overlap, or one lies within another."""
    for start, end in ((0, 10), (20, 30), (20, 40), (60, 70), (50, 55), (100, 150), (110, 112)):
        bookings.book(start, end, conflictCheck=False)
    slots = [(5, 6), (22, 23), (32, 38), (61, 62), (52, 53), (9, 21), (56, 61), (120, 125)]

    assert {slot: bookings.post(*slot).status_code for slot in slots} == dict.fromkeys(slots, 409)
    free = [(10, 20), (70, 75), (40, 50)]
    assert {slot: bookings.post(*slot).is_success for slot in free} == dict.fromkeys(free, True)


@pytest.mark.rule("calendar.book.conflict")
def test_a_long_event_takes_all_of_its_time(api: Api, contract_run: Run) -> None:
    bookings = Bookings(api, contract_run, long=True)
    bookings.book(60, 60 + 26 * 60)
    slots = [(60, 70), (700, 800), (1440, 1500), (26 * 60, 27 * 60)]

    assert {slot: bookings.post(*slot).status_code for slot in slots} == dict.fromkeys(slots, 409)
    assert bookings.post(30, 1800).status_code == 409


@pytest.mark.rule("calendar.book.conflict-moved")
def test_an_event_takes_the_slot_of_its_last_update(bookings: Bookings) -> None:
    """Also if only its end or its duration changed, it has become longer or shorter, or was moved back."""
    booking = bookings.book(60, 90)
    updates: list[tuple[dict[str, Any], Minutes]] = [
        ({"end": bookings.at(110)}, (60, 110)),
        ({"end": bookings.at(80)}, (60, 80)),
        ({"durationMinutes": 40}, (60, 100)),
        ({"durationMinutes": 10}, (60, 70)),
        ({"start": bookings.at(20), "end": bookings.at(70)}, (20, 70)),
        ({"start": bookings.at(50), "end": bookings.at(70)}, (50, 70)),
        ({"start": bookings.at(120), "durationMinutes": 30}, (120, 150)),
        ({"start": bookings.at(60), "end": bookings.at(90)}, (60, 90)),
        ({"summary": "changed"}, (60, 90)),
    ]

    for update, (start, end) in updates:
        assert bookings.move(booking, **update, notifyAttendees=False).is_success, update
        slots = [(start - 1, start + 1), (start + 2, start + 3), (end - 3, end - 2), (end - 1, end + 1)]
        taken = {slot: bookings.post(*slot).status_code for slot in slots}
        assert taken == dict.fromkeys(slots, 409), update

    free = [(20, 60), (90, 120), (120, 150)]
    assert {slot: bookings.post(*slot).is_success for slot in free} == dict.fromkeys(free, True)
    assert bookings.busy() == [(20, 150)]


@pytest.mark.rule("calendar.book.conflict-others")
def test_an_event_of_another_identity_takes_its_slot(bookings: Bookings, sign_in: SignIn, contract_run: Run) -> None:
    theirs = Bookings(sign_in("service_account"), contract_run, begin=bookings.begin)
    response = theirs.post(0, 30)
    if not response.is_success:
        raise MissingError(f"the service account cannot book an event: {response.status_code}")

    assert bookings.post(10, 20).status_code == 409
    assert theirs.post(10, 20).status_code == 409
    assert bookings.busy() == theirs.busy() == [(0, 30)]


@pytest.mark.rule("calendar.book.conflict-others")
def test_an_event_that_others_wrote_takes_its_slot(api: Api, contract_run: Run) -> None:
    """Every busy interval of the next days is tried, also those that the service did not write."""
    middles = _taken_soon(api, 1 / 2)
    body = {"summary": contract_run.tag, "durationMinutes": 1, "conflictCheck": True}

    statuses = {middle: api("calendar_book", json={**body, "start": middle}).status_code for middle in middles}

    assert statuses == dict.fromkeys(middles, 409)


@pytest.mark.rule("calendar.reschedule.conflict-check")
def test_an_event_is_not_moved_over_one_that_others_wrote(api: Api, bookings: Bookings) -> None:
    instants = _taken_soon(api, 1 / 4)
    booking = bookings.book()

    moved = {
        instant: bookings.move(booking, start=instant, durationMinutes=1, conflictCheck=True).is_success
        for instant in instants
    }

    assert moved == dict.fromkeys(instants, False)
    assert bookings.busy() == [(0, 30)]


@pytest.mark.rule("calendar.reschedule.conflict-check")
def test_an_update_is_checked_against_the_calendar_as_it_is(bookings: Bookings) -> None:
    """Also against events that were booked, moved or made longer since the event was updated before."""
    booking, other = bookings.book(0, 10), bookings.book(20, 30)

    def moves(start: float, end: float) -> bool:
        response = bookings.move(booking, start=bookings.at(start), end=bookings.at(end), conflictCheck=True)
        assert response.is_success or response.is_client_error
        return response.is_success

    assert moves(5, 15)
    third = bookings.book(40, 50)
    assert [moves(45, 55), moves(22, 25)] == [False, False]
    require_success(bookings.move(third, start=bookings.at(70), end=bookings.at(80)))
    assert [moves(72, 75), moves(40, 50)] == [False, True]
    require_success(bookings.move(other, durationMinutes=15))
    assert [moves(31, 34), moves(35, 40)] == [False, True]
    require_success(bookings.move(other, end=bookings.at(25)))
    assert [moves(24, 26), moves(26, 34)] == [False, True]
    assert bookings.busy() == [(20, 25), (26, 34), (70, 80)]


def _taken_soon(api: Api, part: float) -> list[str]:
    """Return instants of the next days at which the primary calendar is busy: each after that part of a busy interval.

    Each test has another part, since a service that does not check books an event there, which then is busy.
    """
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    taken = [slot for slot in intervals(busy(api, soon, soon + timedelta(days=_DAYS))) if slot[0] > soon][:_OTHERS]
    if not taken:
        raise MissingError(f"the primary calendar is not busy in the next {_DAYS} days")
    return [wire(start + (end - start) * part) for start, end in taken]
