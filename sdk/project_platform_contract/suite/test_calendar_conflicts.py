"""Endpoints 5, rules 2 to 4: slots that were taken, the write scope, and invitations."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings
from .support.preconditions import require_refused

# From when to when a booking would be, where the hour from 60 to 120 was taken.
_TAKEN = {"the same": (60, 120), "within": (80, 90), "around": (30, 150), "its end": (119, 150), "its begin": (30, 61)}
_BESIDE = {"before": (30, 60), "after": (120, 150)}


@pytest.fixture
def bookings(api: Api, contract_run: Run) -> Bookings:
    """Bookings of this test."""
    return Bookings(api, contract_run)


@pytest.mark.rule("calendar.book.conflict")
@pytest.mark.parametrize(("start", "until"), _TAKEN.values(), ids=_TAKEN)
def test_a_taken_slot_is_a_conflict(bookings: Bookings, start: int, until: int) -> None:
    """One minute in common is enough."""
    bookings.book(60, 120)

    assert bookings.post(start, until, conflictCheck=True).status_code == 409


@pytest.mark.rule("calendar.book.conflict-default")
def test_conflicts_are_checked_by_default(bookings: Bookings) -> None:
    """Without conflictCheck it is as with true."""
    bookings.book(60, 120)

    assert bookings.post(90, 150).status_code == 409


@pytest.mark.rule("calendar.book.conflict-off")
def test_a_taken_slot_can_be_booked_without_the_check(bookings: Bookings) -> None:
    """Both events are on the calendar then."""
    bookings.book(60, 120)

    assert bookings.post(90, 150, conflictCheck=False).is_success
    assert bookings.busy() == [(60, 150)]


@pytest.mark.rule("calendar.book.conflict-only-taken")
@pytest.mark.parametrize(("start", "until"), _BESIDE.values(), ids=_BESIDE)
def test_a_slot_beside_a_taken_one_is_free(bookings: Bookings, start: int, until: int) -> None:
    """Events may follow one another without a pause."""
    bookings.book(60, 120)

    assert bookings.post(start, until, conflictCheck=True).is_success


@pytest.mark.rule("calendar.book.conflict-writes-nothing")
def test_a_conflict_writes_nothing(bookings: Bookings) -> None:
    """The calendar is busy as it was before."""
    bookings.book(60, 120)

    bookings.post(90, 150, conflictCheck=True)

    assert bookings.busy() == [(60, 120)]


@pytest.mark.rule("calendar.book.conflict-body")
def test_a_conflict_says_what_is_wrong(bookings: Bookings) -> None:
    """`message` is always there."""
    bookings.book()

    response = require_refused(bookings.post(0, 30, conflictCheck=True))

    assert isinstance(response.json()["message"], str)
    assert isinstance(response.json().get("code", ""), str)


@pytest.mark.rule("calendar.book.write-scope")
def test_a_calendar_that_may_only_be_read_takes_no_booking(bookings: Bookings, api: Api, data: Data) -> None:
    """The booking is refused, and on the calendar is what was there before."""
    calendar = data["read_only_calendar"]
    stretch = {"timeMin": bookings.at(0), "timeMax": bookings.at(60), "calendarId": calendar}
    before = api("calendar_busy", query=stretch)

    # Without the check, so that nothing but the missing scope can be the reason.
    response = bookings.post(0, 30, calendarId=calendar, conflictCheck=False)

    assert 400 <= response.status_code < 500
    assert api("calendar_busy", query=stretch).json().get("busy") == before.json().get("busy")


@pytest.mark.rule("calendar.book.invitation")
def test_an_attendee_with_an_address_is_invited(bookings: Bookings, contract_run: Run, data: Data, tag: str) -> None:
    """By one mail about this event."""
    mails = contract_run.target.outbox()
    before = len(mails)

    booking = bookings.book(attendee={"name": tag, "email": data["recipient"], "phone": "+49 30 1234567"})

    sent = [(mail.to, mail.kind, mail.booking_uid) for mail in mails[before:]]
    assert sent == [(data["recipient"], "invitation", booking["bookingUid"])]


@pytest.mark.rule("calendar.book.no-invitation")
@pytest.mark.parametrize("body", [{}, {"attendee": {}}, {"attendee": {"name": "Guest", "phone": "+49 30 1234567"}}])
def test_without_an_address_nobody_is_invited(bookings: Bookings, contract_run: Run, body: dict[str, Any]) -> None:
    """There is nobody that a mail could go to."""
    mails = contract_run.target.outbox()
    before = len(mails)

    bookings.book(**body)

    assert len(mails) == before


@pytest.mark.rule("calendar.book.no-invitation")
@pytest.mark.parametrize("reason", ["taken", "read-only", "invalid"])
def test_what_was_not_written_invites_nobody(bookings: Bookings, contract_run: Run, data: Data, reason: str) -> None:
    """A booking that was refused tells nobody."""
    mails = contract_run.target.outbox()
    bookings.book()
    before = len(mails)
    body: dict[str, Any] = {
        "taken": {"conflictCheck": True},
        "read-only": {"calendarId": data["read_only_calendar"], "conflictCheck": False},
        "invalid": {"summary": "", "conflictCheck": False},
    }[reason]

    require_refused(bookings.post(0, 30, attendee={"email": data["recipient"]}, **body))

    assert len(mails) == before
