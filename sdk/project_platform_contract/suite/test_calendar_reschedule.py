"""Endpoints 6: reschedule and update calendar events."""

from __future__ import annotations

from itertools import permutations
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run

from .support.calendar import ZONES, Bookings
from .support.preconditions import require_success


@pytest.mark.rule("calendar.reschedule.answers-booking")
def test_the_response_is_the_updated_booking(bookings: Bookings, fact: Fact) -> None:
    booking = bookings.book()

    response = bookings.move(booking, start=bookings.at(60), end=bookings.at(100))

    assert response.is_success
    moved = response.json()
    assert bookings.is_same(booking, moved)
    assert bookings.is_same_calendar(moved["calendarId"], booking["calendarId"])
    assert bookings.span(moved) == (60, 100)
    fact("successStatus.calendar_reschedule", response.status_code, response)


@pytest.mark.rule("calendar.reschedule.keeps-identifier")
def test_an_update_keeps_the_identifier(bookings: Bookings, tag: str) -> None:
    """Whether it moves the event or changes its title."""
    booked = [bookings.book(0, 30), bookings.book(30, 60)]
    updates: list[dict[str, Any]] = [{"start": bookings.at(60), "end": bookings.at(90)}, {"summary": f"{tag}, changed"}]

    moved = [
        require_success(bookings.move(booking, **update, notifyAttendees=False)).json()
        for booking, update in zip(booked, updates, strict=True)
    ]

    assert [answer["bookingUid"] for answer in moved] == [booking["bookingUid"] for booking in booked]


@pytest.mark.rule("calendar.reschedule.moves")
def test_an_event_is_moved_over_any_distance(bookings: Bookings) -> None:
    """By days, weeks and months, and back."""
    booking = bookings.book()

    for days in (1, 2, 8, 40, 0, -1, 0):
        start = days * 24 * 60
        body = {"start": bookings.at(start), "end": bookings.at(start + 30), "conflictCheck": False}
        response = bookings.move(booking, **body, notifyAttendees=False)
        assert response.is_success, days
        assert bookings.span(response.json()) == (start, start + 30), days
        assert bookings.busy() == ([(0, 30)] if days == 0 else []), days


@pytest.mark.rule("calendar.reschedule.moves")
def test_a_new_start_moves_the_start(bookings: Bookings, fact: Fact) -> None:
    """The specification does not say what happens to the end; this is recorded as a fact."""
    booking = bookings.book()

    response = bookings.move(booking, start=bookings.at(10))

    assert response.is_success
    start, end = bookings.span(response.json())
    assert start == 10
    fact("calendar.moved-end", {40: "moves along", 30: "stays"}.get(int(end), "another"), response)


@pytest.mark.rule("calendar.reschedule.moves")
def test_the_order_of_members_has_no_meaning(bookings: Bookings, tag: str) -> None:
    """An object of JSON is an unordered collection (RFC 8259 section 1)."""
    booking = bookings.book(0, 10)
    zone = ZoneInfo(ZONES[0])
    for number, places in enumerate(permutations(range(3))):
        start, end = 20 * number, 20 * number + 5 + number
        bodies: list[dict[str, Any]] = [
            {"start": bookings.at(start), "durationMinutes": end - start, "summary": f"{tag} {number}"},
            {"start": bookings.local(start, zone), "end": bookings.local(end, zone), "timeZone": zone.key},
        ]
        for body in bodies:
            names = [list(body)[place] for place in places]
            response = bookings.move(booking, **{name: body[name] for name in names}, notifyAttendees=False)
            assert response.is_success, f"{names} ({response.status_code})"
            assert bookings.span(response.json()) == (start, end), names


@pytest.mark.rule("calendar.reschedule.time-zone")
@pytest.mark.parametrize("zone", ZONES)
def test_times_without_offset_are_in_the_time_zone(bookings: Bookings, zone: str) -> None:
    booking = bookings.book()
    start, end = (bookings.local(minutes, ZoneInfo(zone)) for minutes in (60, 100))

    assert bookings.move(booking, start=start, end=end, timeZone=zone).is_success
    assert bookings.busy() == [(60, 100)]


@pytest.mark.rule("calendar.reschedule.title")
@pytest.mark.parametrize("field", ["summary", "description"])
def test_a_new_text_replaces_the_old_one(bookings: Bookings, contract_run: Run, tag: str, field: str) -> None:
    """The other text does not change."""
    project = contract_run.target.stub_project("an event's title")
    before: dict[str, Any] = {"summary": tag, "description": "before"}
    booking = bookings.book(**before)

    assert bookings.move(booking, **{field: f"{tag}, changed"}).is_success

    event = project.events[booking["bookingUid"]]
    assert {"summary": event.summary, "description": event.description} == {**before, field: f"{tag}, changed"}


@pytest.mark.rule("calendar.reschedule.notifies")
@pytest.mark.parametrize("named", [{}, {"notifyAttendees": True}], ids=["by default", "by name"])
def test_attendees_are_notified_once(bookings: Bookings, contract_run: Run, data: Data, named: dict[str, Any]) -> None:
    mails = contract_run.target.outbox()
    booking = bookings.book(attendee={"email": data["recipient"]})
    before = len(mails)

    assert bookings.move(booking, start=bookings.at(60), end=bookings.at(90), **named).is_success

    assert [(mail.to, mail.booking_uid) for mail in mails[before:]] == [(data["recipient"], booking["bookingUid"])]


@pytest.mark.rule("calendar.reschedule.silent")
@pytest.mark.parametrize("change", ["slot", "title"])
def test_attendees_are_not_notified_if_not_requested(
    bookings: Bookings, contract_run: Run, data: Data, tag: str, change: str
) -> None:
    """The update itself succeeds."""
    mails = contract_run.target.outbox()
    booking = bookings.book(attendee={"email": data["recipient"]})
    before = len(mails)
    body = {"slot": {"start": bookings.at(60), "end": bookings.at(90)}, "title": {"summary": f"{tag}, changed"}}[change]

    assert bookings.move(booking, **body, notifyAttendees=False).is_success

    assert len(mails) == before


@pytest.mark.rule("calendar.reschedule.conflict-check")
def test_an_event_is_not_moved_to_a_taken_slot(bookings: Bookings, fact: Fact) -> None:
    """With any client error, and neither event changes."""
    booking = bookings.book()
    bookings.book(60, 90)

    response = bookings.move(booking, start=bookings.at(75), end=bookings.at(105), conflictCheck=True)

    assert 400 <= response.status_code < 500
    assert bookings.busy() == [(0, 30), (60, 90)]
    fact("calendar.reschedule-conflict", response.status_code, response)


@pytest.mark.rule("calendar.reschedule.conflict-check")
def test_an_event_is_moved_to_a_taken_slot_without_the_check(bookings: Bookings, fact: Fact) -> None:
    """The default of the check is recorded as a fact."""
    booking = bookings.book()
    bookings.book(60, 90)
    slot = {"start": bookings.at(75), "end": bookings.at(105)}

    by_default = bookings.move(booking, **slot)
    response = bookings.move(booking, **slot, conflictCheck=False)

    assert response.is_success
    assert bookings.busy() == [(60, 105)]
    fact("calendar.reschedule-conflict-default", not by_default.is_success, by_default)


@pytest.mark.rule("calendar.reschedule.body-types")
@pytest.mark.parametrize(
    "body",
    [
        {"start": "soon"},
        {"end": "later"},
        {"durationMinutes": "half an hour"},
        {"timeZone": "Nowhere/Atlantis"},
        {"summary": ["title"]},
        {"conflictCheck": "perhaps"},
        {"notifyAttendees": "perhaps"},
    ],
    ids=lambda body: next(iter(body)),
)
def test_a_field_of_another_type_is_refused(bookings: Bookings, body: dict[str, Any]) -> None:
    """With any client error, and the event does not move."""
    booking = bookings.book()

    response = bookings.move(booking, **{"start": bookings.at(60), **body})

    assert 400 <= response.status_code < 500
    assert bookings.busy() == [(0, 30)]


@pytest.mark.rule("calendar.reschedule.body-types")
def test_a_value_that_would_have_to_be_converted_is_refused(bookings: Bookings) -> None:
    """And the event does not move."""
    booking = bookings.book()
    bodies: list[dict[str, Any]] = [
        *({"notifyAttendees": value} for value in ("false", "", 0, 1)),
        *({"conflictCheck": value} for value in ("false", "", 0)),
        *({"durationMinutes": value} for value in ("30", 30.5, True)),
        *({"start": value} for value in (1930000000, "2031-02-30T09:00:00Z")),
        *({name: 7} for name in ("summary", "description", "calendarId", "timeZone")),
    ]

    accepted = [body for body in bodies if bookings.move(booking, **{"start": bookings.at(60), **body}).is_success]

    assert accepted == []
    assert bookings.busy() == [(0, 30)]
    require_success(bookings.move(booking, start=bookings.at(60)))


@pytest.mark.rule("calendar.reschedule.unknown-event")
def test_an_unknown_event_is_refused(bookings: Bookings, tag: str) -> None:
    """With any client error."""
    response = bookings.move({"bookingUid": f"no-such-event-{tag}"}, summary=tag)

    assert 400 <= response.status_code < 500


@pytest.mark.rule("calendar.reschedule.calendar-id")
def test_the_calendar_of_the_event_can_be_named(bookings: Bookings, data: Data) -> None:
    booking = bookings.book()

    response = bookings.move(booking, calendarId=data["calendar"], start=bookings.at(60), end=bookings.at(90))

    assert response.is_success
    assert bookings.is_same_calendar(response.json()["calendarId"], booking["calendarId"])
    assert bookings.busy() == [(60, 90)]


@pytest.mark.rule("calendar.reschedule.calendar-id")
@pytest.mark.parametrize("which", ["read-only", "unknown"])
def test_an_event_is_not_moved_if_another_calendar_is_named(
    bookings: Bookings, data: Data, tag: str, which: str
) -> None:
    """Whether calendarId says where the event is or where it shall be: this calendar has no such event, and takes none."""
    calendar = {"read-only": data["read_only_calendar"], "unknown": f"{tag}-nothing"}[which]
    booking = bookings.book()

    bookings.move(booking, calendarId=calendar, start=bookings.at(60), end=bookings.at(90), conflictCheck=False)

    assert bookings.busy() == [(0, 30)]
    require_success(bookings.move(booking, start=bookings.at(60), end=bookings.at(90), conflictCheck=False))


@pytest.mark.rule("calendar.reschedule.answers-booking")
def test_every_update_answers_the_same_booking(bookings: Bookings, tag: str) -> None:
    """With its slot, also if only a text changed."""
    booking = bookings.book()
    other = bookings.book(100, 130)
    updates: list[tuple[dict[str, Any], tuple[float, float]]] = [
        ({"start": bookings.at(40), "end": bookings.at(60)}, (40, 60)),
        ({"summary": f"{tag}, changed"}, (40, 60)),
        ({"description": "changed"}, (40, 60)),
        ({"end": bookings.at(70)}, (40, 70)),
        ({"start": bookings.at(0), "end": bookings.at(30)}, (0, 30)),
    ]

    for update, slot in updates:
        moved = bookings.move(booking, **update).json()
        assert bookings.is_same(booking, moved), update
        assert moved["bookingUid"] != other["bookingUid"], update
        assert bookings.is_same_calendar(moved.get("calendarId"), booking["calendarId"]), update
        assert bookings.span(moved) == slot, update
        assert bookings.busy() == [slot, (100, 130)], update


@pytest.mark.rule("scope.own-things.calendar-reschedule")
def test_an_event_is_not_moved_through_another_project(api: Api, bookings: Bookings, data: Data) -> None:
    booking = bookings.book()
    body = {"start": bookings.at(60), "end": bookings.at(90), "conflictCheck": False}

    response = api("calendar_reschedule", projectId=data["other_project"], eventId=booking["bookingUid"], json=body)

    assert not response.is_success
    assert bookings.busy() == [(0, 30)]
    require_success(bookings.move(booking, **body))
