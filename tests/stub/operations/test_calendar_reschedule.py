"""Endpoints 6: reschedule or update calendar event."""

from __future__ import annotations

from dataclasses import replace

import pytest

READ_ONLY = "holidays@calendar.example"
PRIMARY = "team@calendar.example"


@pytest.fixture
def booking(api, stub):
    """A booking of 45 minutes with an attendee; the outbox is empty."""
    booked = api.book(durationMinutes=45, attendee={"email": "ada@example.com"}).json()
    stub.outbox.clear()
    return booked


@pytest.fixture
def change(api, booking):
    return lambda **body: api.call("calendar_reschedule", eventId=booking["bookingUid"], **body)


@pytest.mark.parametrize(
    ("body", "start", "end"),
    [
        ({"start": "2026-11-11T14:00:00Z"}, "2026-11-11T14:00:00Z", "2026-11-11T14:45:00Z"),
        ({"end": "2026-11-10T09:20:00Z"}, "2026-11-10T09:00:00Z", "2026-11-10T09:20:00Z"),
        ({"durationMinutes": 10}, "2026-11-10T09:00:00Z", "2026-11-10T09:10:00Z"),
        ({"start": "2026-11-11T14:00:00Z", "durationMinutes": 5}, "2026-11-11T14:00:00Z", "2026-11-11T14:05:00Z"),
        (
            {"start": "2026-11-11T14:00:00Z", "end": "2026-11-11T15:00:00Z", "durationMinutes": 5},
            "2026-11-11T14:00:00Z",
            "2026-11-11T15:00:00Z",
        ),
        (
            {"start": "2026-11-11T14:00:00", "timeZone": "Europe/Berlin"},
            "2026-11-11T14:00:00+01:00",
            "2026-11-11T14:45:00+01:00",
        ),
        ({"timeZone": "Europe/Berlin"}, "2026-11-10T10:00:00+01:00", "2026-11-10T10:45:00+01:00"),
        ({}, "2026-11-10T09:00:00Z", "2026-11-10T09:45:00Z"),
    ],
)
def test_an_event_is_moved(change, booking, body, start, end):
    """Fields that are not given are unchanged; a moved event keeps its length unless a new one is given."""
    response = change(**body)

    assert response.status_code == 200
    assert response.json() == {**booking, "start": start, "end": end}


def test_title_and_description_are_changed(change, booking, stub):
    response = change(summary="Dinner", description="Four courses")

    event = stub.project.events[booking["bookingUid"]]
    assert response.json() == booking
    assert (event.summary, event.description) == ("Dinner", "Four courses")


@pytest.mark.parametrize(("body", "mails"), [({}, 1), ({"notifyAttendees": True}, 1), ({"notifyAttendees": False}, 0)])
def test_attendees_are_notified_unless_notify_attendees_is_false(change, booking, stub, body, mails):
    """The mail has the new times and the title."""
    response = change(start="2026-11-11T14:00:00Z", summary="Dinner", **body).json()

    assert [(mail.to, mail.kind, mail.booking_uid, mail.summary, mail.start, mail.end) for mail in stub.outbox] == [
        ("ada@example.com", "update", booking["bookingUid"], "Dinner", response["start"], response["end"])
    ] * mails


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"start": "2026-11-03T09:30:00Z"}, 409),
        ({"start": "2026-11-03T12:59:00Z"}, 409),
        ({"start": "2026-11-03T09:30:00Z", "conflictCheck": True}, 409),
        ({"start": "2026-11-03T09:30:00Z", "conflictCheck": False}, 200),
        ({"start": "2026-11-03T10:00:00Z"}, 200),
        ({"start": "2026-11-10T09:15:00Z"}, 200),  # overlaps only itself
    ],
)
def test_a_taken_slot_is_a_conflict(*, change, booking, stub, refused, body, status):
    """The event does not conflict with itself; a conflict changes and mails nothing."""
    before = stub.project.events[booking["bookingUid"]]

    response = change(**body)

    assert response.status_code == status
    if status == 409:
        assert refused(response, 409)["code"] == "slot_taken"
        assert stub.project.events[booking["bookingUid"]] == before
        assert stub.outbox == []


def test_an_overlapping_event_can_be_renamed(api):
    """A new title takes no slot."""
    uid = api.book(start="2026-11-03T09:00:00Z", conflictCheck=False).json()["bookingUid"]

    assert api.call("calendar_reschedule", eventId=uid, summary="X").status_code == 200


def test_the_connection_needs_the_write_scope(change, refused, stub):
    """A revoked scope prevents changes as well."""
    stub.project.calendars[PRIMARY] = replace(stub.project.calendars[PRIMARY], scopes=frozenset())

    assert refused(change(summary="X"), 403)["code"] == "missing_scope"


def test_a_timestamp_without_offset_is_read_in_the_zone_of_the_event(api):
    """The zone of the booking is stored with the event."""
    uid = api.book(start="2026-11-10T09:00:00", timeZone="Europe/Berlin").json()["bookingUid"]

    moved = api.call("calendar_reschedule", eventId=uid, start="2026-11-10T11:00:00").json()

    assert moved["start"] == "2026-11-10T11:00:00+01:00"
