"""Endpoints 5: create calendar booking."""

from __future__ import annotations

import pytest

READ_ONLY = "holidays@calendar.example"
PRIMARY = "team@calendar.example"


def events(stub):
    return {uid: event for uid, event in stub.project.events.items() if event.calendar_id == PRIMARY}


def slot(response):
    assert response.status_code == 201, response.text
    return response.json()["start"], response.json()["end"]


def test_an_event_is_written_to_the_primary_calendar(api, stub):
    """The response has the identifier of the booking, its calendar and a link."""
    response = api.book(end="2026-11-10T10:15:00Z", description="Two courses", metadata={"table": 4})

    booking = response.json()
    assert response.status_code == 201
    assert booking == {
        "bookingUid": booking["bookingUid"],
        "start": "2026-11-10T09:00:00Z",
        "end": "2026-11-10T10:15:00Z",
        "htmlLink": f"https://calendar.example/events/{booking['bookingUid']}",
        "calendarId": PRIMARY,
    }
    written = events(stub)[booking["bookingUid"]]
    assert (written.summary, written.description, written.metadata) == ("Tasting", "Two courses", {"table": 4})


@pytest.mark.parametrize(
    ("given", "end"),
    [
        ({}, "2026-11-10T09:30:00Z"),
        ({"durationMinutes": 1}, "2026-11-10T09:01:00Z"),
        ({"durationMinutes": 90}, "2026-11-10T10:30:00Z"),
        ({"durationMinutes": 60.0}, "2026-11-10T10:00:00Z"),
        ({"durationMinutes": 90, "end": "2026-11-10T09:10:00Z"}, "2026-11-10T09:10:00Z"),
    ],
)
def test_the_end_defaults_to_start_plus_duration(api, given, end):
    """Without either, an event takes 30 minutes; `end` takes precedence."""
    assert slot(api.book(**given)) == ("2026-11-10T09:00:00Z", end)


@pytest.mark.parametrize(
    ("given", "start"),
    [
        ({"start": "2026-11-10T09:00:00"}, "2026-11-10T09:00:00Z"),
        ({"start": "2026-11-10T09:00:00+02:00"}, "2026-11-10T07:00:00Z"),
        ({"start": "2026-11-10T09:00:00", "timeZone": "Europe/Berlin"}, "2026-11-10T09:00:00+01:00"),
        ({"start": "2026-07-10T09:00:00", "timeZone": "Europe/Berlin"}, "2026-07-10T09:00:00+02:00"),
        ({"start": "2026-11-10T09:00:00Z", "timeZone": "Europe/Berlin"}, "2026-11-10T10:00:00+01:00"),
        ({"start": "2026-11-10T09:00:00-05:00", "timeZone": "Asia/Kolkata"}, "2026-11-10T19:30:00+05:30"),
    ],
)
def test_timestamps_are_read_in_the_time_zone(api, given, start):
    """A timestamp without offset is local time in `timeZone`, or UTC; an offset takes precedence. The response is in the zone."""
    assert slot(api.book(**given))[0] == start


@pytest.mark.parametrize(
    ("start", "begins", "ends"),
    [
        # Clocks go from 03:00 back to 02:00 on 25 October 2026, and from 02:00 to 03:00 on 29 March.
        ("2026-10-25T01:30:00", "2026-10-25T01:30:00+02:00", "2026-10-25T02:30:00+01:00"),
        ("2026-10-25T02:30:00", "2026-10-25T02:30:00+02:00", "2026-10-25T03:30:00+01:00"),
        ("2026-03-29T01:00:00", "2026-03-29T01:00:00+01:00", "2026-03-29T04:00:00+02:00"),
        ("2026-03-29T02:30:00", "2026-03-29T03:30:00+02:00", "2026-03-29T05:30:00+02:00"),
    ],
)
def test_a_duration_is_elapsed_time(api, start, begins, ends):
    """Two hours are two hours across a change of daylight saving time; an ambiguous time is its first occurrence."""
    assert slot(api.book(start=start, timeZone="Europe/Berlin", durationMinutes=120)) == (begins, ends)


@pytest.mark.parametrize(
    ("start", "end", "status"),
    [
        # The demo calendar has an event from 09:00 to 10:00 and a busy interval of others from 12:00 to 13:00.
        ("09:00", "10:00", 409),
        ("08:30", "09:01", 409),
        ("09:59", "10:30", 409),
        ("09:15", "09:45", 409),
        ("08:00", "11:00", 409),
        ("12:30", "12:45", 409),
        ("08:30", "09:00", 201),
        ("10:00", "12:00", 201),
        ("13:00", "13:30", 201),
    ],
)
def test_a_taken_slot_is_a_conflict(*, api, stub, refused, start, end, status):
    """Intervals are half-open: one that ends when another begins does not overlap it. A conflict writes and mails nothing."""
    before = dict(events(stub))
    times = {"start": f"2026-11-03T{start}:00Z", "end": f"2026-11-03T{end}:00Z"}

    response = api.book(**times, attendee={"email": "a@example.com"})

    if status == 201:
        assert slot(response) == (times["start"], times["end"])
    else:
        assert refused(response, 409)["code"] == "slot_taken"
        assert events(stub) == before
        assert stub.outbox == []


def test_an_attendee_with_an_address_is_invited(api, stub):
    """One invitation, which the outbox shows."""
    booking = api.book(attendee={"name": "Ada", "email": "ada@example.com"}, timeZone="Europe/Berlin").json()

    (mail,) = stub.outbox
    assert (mail.to, mail.kind, mail.booking_uid, mail.summary) == (
        "ada@example.com",
        "invitation",
        booking["bookingUid"],
        "Tasting",
    )
    assert (mail.start, mail.end) == (booking["start"], booking["end"])


@pytest.mark.parametrize("attendee", [{}, {"name": "Ada"}, {"phone": "+44 20"}, None])
def test_without_an_address_no_invitation_is_sent(api, stub, attendee):
    response = api.book(**({} if attendee is None else {"attendee": attendee}))

    assert response.status_code == 201
    assert stub.outbox == []


def test_the_connection_needs_the_write_scope(api, stub, refused):
    """A calendar with a read-only connection cannot be booked."""
    body = refused(api.book(calendarId=READ_ONLY, attendee={"email": "a@example.com"}), 403)

    assert body["code"] == "missing_scope"
    assert all(event.calendar_id == PRIMARY for event in stub.project.events.values())
    assert stub.outbox == []
