"""Endpoints 5, rules 2 to 4: taken slots, the write scope, and invitations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings
from .support.preconditions import require_conclusive, require_refused

# Slots to book, if the hour from 60 to 120 is taken.


@pytest.mark.rule("calendar.book.conflict-concurrent")
def test_one_of_several_concurrent_bookings_of_a_slot_succeeds(bookings: Bookings) -> None:
    """The check and the insert are one step, or the external calendar refuses the second event."""
    assert bookings.busy() == []  # the stretch is chosen before the bookings
    with ThreadPoolExecutor(4) as writers:
        statuses = list(writers.map(lambda _: bookings.post(0, 30, conflictCheck=True).status_code, range(4)))

    require_conclusive(statuses)
    assert sorted({*statuses} - {409}) == [status for status in statuses if httpx.codes.is_success(status)] != []


@pytest.mark.rule("calendar.book.empty-description")
def test_the_description_of_an_event_may_be_empty(bookings: Bookings) -> None:
    booked = bookings.post(0, 30, description="")

    assert booked.is_success
    assert bookings.move(booked.json(), description="").is_success


@pytest.mark.rule("calendar.book.conflict")
def test_a_taken_slot_is_a_conflict_whatever_is_booked(bookings: Bookings, data: Data, tag: str) -> None:
    """With an attendee, who is invited to nothing, with metadata, and with a description."""
    bookings.book(0, 30)
    more: list[dict[str, Any]] = [{"metadata": {"of": tag}}, {"description": tag}, {"attendee": {"name": tag}}]
    if "recipient" in data.values:
        more.append({"attendee": {"name": tag, "email": data["recipient"]}})

    statuses = {number: bookings.post(10, 40, **body).status_code for number, body in enumerate(more)}

    assert statuses == dict.fromkeys(range(len(more)), 409)


@pytest.mark.rule("calendar.book.conflict-writes-nothing")
def test_a_conflict_writes_nothing(bookings: Bookings) -> None:
    bookings.book(60, 120)

    bookings.post(90, 150, conflictCheck=True)

    assert bookings.busy() == [(60, 120)]


@pytest.mark.rule("calendar.book.conflict-body")
def test_a_conflict_has_an_error_body(bookings: Bookings) -> None:
    bookings.book()

    response = require_refused(bookings.post(0, 30, conflictCheck=True))

    assert isinstance(response.json()["message"], str)
    assert isinstance(response.json().get("code", ""), str)


@pytest.mark.rule("calendar.book.write-scope")
def test_a_read_only_calendar_refuses_bookings(bookings: Bookings, api: Api, data: Data) -> None:
    """With any client error, and nothing is written."""
    calendar = data["read_only_calendar"]
    stretch = {"timeMin": bookings.at(0), "timeMax": bookings.at(60), "calendarId": calendar}
    before = api("calendar_busy", query=stretch)

    # Without the conflict check, so that only the missing scope can be the reason.
    response = bookings.post(0, 30, calendarId=calendar, conflictCheck=False)

    assert 400 <= response.status_code < 500
    assert api("calendar_busy", query=stretch).json().get("busy") == before.json().get("busy")


@pytest.mark.rule("calendar.book.invitation")
def test_one_invitation_is_sent_to_the_attendee(bookings: Bookings, contract_run: Run, data: Data, tag: str) -> None:
    mails = contract_run.target.outbox()
    before = len(mails)

    booking = bookings.book(attendee={"name": tag, "email": data["recipient"], "phone": "+49 30 1234567"})

    sent = [(mail.to, mail.kind, mail.booking_uid) for mail in mails[before:]]
    assert sent == [(data["recipient"], "invitation", booking["bookingUid"])]


@pytest.mark.rule("calendar.book.no-invitation")
@pytest.mark.parametrize("body", [{}, {"attendee": {}}, {"attendee": {"name": "Guest", "phone": "+49 30 1234567"}}])
def test_without_an_address_no_invitation_is_sent(bookings: Bookings, contract_run: Run, body: dict[str, Any]) -> None:
    mails = contract_run.target.outbox()
    before = len(mails)

    bookings.book(**body)

    assert len(mails) == before


@pytest.mark.rule("calendar.book.no-invitation")
@pytest.mark.parametrize("reason", ["taken", "read-only", "invalid"])
def test_a_refused_booking_sends_no_invitation(bookings: Bookings, contract_run: Run, data: Data, reason: str) -> None:
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
