"""Endpoints 5 and 6: bookings and updates that are refused, with any client error, and neither write nor move an event."""

from __future__ import annotations

from typing import Any, Final

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api

from .support.calendar import Bookings
from .support.preconditions import require_refused, require_success
from .support.reading import error_problem

Json = dict[str, Any]


def _each(**values: tuple[Any, ...]) -> tuple[Json, ...]:
    """Return bodies of one member, for each value."""
    return tuple({name: value} for name in values for value in values[name])


_OF_BOTH: Final = _each(
    start=("soon",),
    durationMinutes=("30", 30.5),
    timeZone=("Nowhere/Atlantis",),
    summary=(7,),
    description=(7,),
    conflictCheck=("false", 0),
    end=("later",),
    calendarId=(7,),
)
"""Members of another type, or with a value that would have to be converted."""

_OF_BOOKINGS: Final = _each(
    start=(1930000000, "2031-02-30T09:00:00Z"),
    durationMinutes=(True,),
    timeZone=(7, "UTC+1"),
    summary=(["a"],),
    metadata=("text", [], False),
    attendee=("somebody", {"email": 7}, {"name": 7}, {"phone": 7}),
    conflictCheck=("perhaps",),
)
_ADDRESSES: Final = _each(attendee=({"name": "Guest", "email": "no address"},))
_OF_UPDATES: Final = _each(notifyAttendees=("false", 0))


@pytest.mark.parametrize(
    "bodies",
    [
        pytest.param((*_OF_BOTH, *_OF_BOOKINGS), marks=pytest.mark.rule("calendar.book.body-types"), id="types"),
        pytest.param(_ADDRESSES, marks=pytest.mark.rule("calendar.book.attendee-email"), id="addresses"),
    ],
)
def test_a_booking_with_an_invalid_value_is_refused(bookings: Bookings, bodies: tuple[Json, ...]) -> None:
    sent = {str(body): bookings.post(0, None if "durationMinutes" in body else 30, **body) for body in bodies}

    assert [body for body, response in sent.items() if not response.is_client_error] == []
    assert bookings.busy() == []
    require_success(bookings.post(0, durationMinutes=30))


@pytest.mark.rule("calendar.book.conflict-body")
def test_a_conflict_has_an_error_body(bookings: Bookings) -> None:
    bookings.book()

    assert error_problem(require_refused(bookings.post(0, 30, conflictCheck=True))) is None


@pytest.mark.rule("scope.own-things.calendar-book")
def test_an_event_is_not_booked_through_another_project(api: Api, bookings: Bookings, data: Data, tag: str) -> None:
    """The calendar is connected to this project; the same event can be booked through it."""
    body = {"start": bookings.at(0), "end": bookings.at(30), "summary": tag, "calendarId": data["calendar"]}

    assert not api("calendar_book", projectId=data["other_project"], json=body).is_success
    assert bookings.busy() == []
    require_success(api("calendar_book", json=body))


@pytest.mark.rule("calendar.reschedule.body-types")
def test_an_update_with_a_value_of_another_type_is_refused(bookings: Bookings) -> None:
    booking = bookings.book()
    slot = {"start": bookings.at(60), "end": bookings.at(90)}
    bodies = [{**slot, **body} for body in (*_OF_BOTH, *_OF_UPDATES)]

    assert [body for body in bodies if not bookings.move(booking, **body).is_client_error] == []
    assert bookings.busy() == [(0, 30)]
    require_success(bookings.move(booking, **slot))
