"""Endpoints 5: book events: when they are, and on which calendar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run

from .support.calendar import ZONES, Bookings
from .support.free_form import LONG, TEXTS, WORDS, free_form
from .support.preconditions import require_success


@pytest.mark.rule("calendar.book.answers-booking")
def test_the_response_is_the_booking(bookings: Bookings, tag: str, fact: Fact) -> None:
    response = bookings.post(0, 30, description=tag, metadata={"run": tag, "nested": {"list": [1]}})

    assert response.is_success
    booking = response.json()
    assert booking["bookingUid"]
    assert booking["calendarId"]
    assert bookings.span(booking) == (0, 30)
    fact("successStatus.calendar_book", response.status_code, response)


@pytest.mark.rule("calendar.book.answers-booking")
def test_members_of_metadata_set_no_fields(bookings: Bookings) -> None:
    """Although they have the names of those of a booking."""
    texts = dict.fromkeys(("bookingUid", "id", "htmlLink", "calendarId", "summary", "description"), "of metadata")
    times = {"start": bookings.at(60), "end": bookings.at(90), "durationMinutes": 5, "timeZone": "Asia/Kolkata"}

    booking = bookings.book(0, 30, metadata={**texts, **times, "conflictCheck": False, "attendee": {"name": "of it"}})

    assert bookings.span(booking) == (0, 30)
    assert "of metadata" not in booking.values()


@pytest.mark.rule("calendar.book.conflict-default")
def test_metadata_do_not_turn_the_conflict_check_off(bookings: Bookings) -> None:
    bookings.book(0, 30)

    assert bookings.post(10, 20, metadata={"conflictCheck": False}).status_code == 409


@pytest.mark.rule("fields.booking.types")
def test_the_fields_of_a_booking_are_strings(bookings: Bookings) -> None:
    """Fields that are missing or null are ignored, except for the identifier and the times."""
    booking = bookings.book()
    names = {"bookingUid", "start", "end", "htmlLink", "calendarId"}
    present = {name: value for name, value in booking.items() if name in names and value is not None}

    assert {name: type(value) for name, value in present.items()} == dict.fromkeys(present, str)
    assert {"bookingUid", "start", "end"} <= present.keys()


@pytest.mark.rule("calendar.book.written")
def test_the_calendar_is_busy_during_the_event(bookings: Bookings) -> None:
    assert bookings.busy() == []

    bookings.book(30, 75)

    assert bookings.busy() == [(30, 75)]


@pytest.mark.rule("calendar.book.title")
def test_the_event_has_its_summary_and_description(bookings: Bookings, contract_run: Run, tag: str) -> None:
    project = contract_run.target.stub_project("an event's title")

    booking = bookings.book(summary=f"{tag} título", description="What it is about")

    event = project.events[booking["bookingUid"]]
    assert (event.summary, event.description) == (f"{tag} título", "What it is about")


@pytest.mark.rule("calendar.book.end-default")
@pytest.mark.parametrize("minutes", [1, 45, 90])
def test_an_event_without_an_end_has_its_duration(bookings: Bookings, minutes: int) -> None:
    response = bookings.post(10, durationMinutes=minutes)

    assert response.is_success
    assert bookings.span(response.json()) == (10, 10 + minutes)
    assert bookings.busy() == [(10, 10 + minutes)]


@pytest.mark.rule("calendar.book.end-given")
def test_an_event_ends_at_its_end(bookings: Bookings, fact: Fact) -> None:
    """Without end and duration, the service may choose one or refuse; which one is recorded as a fact."""
    booking = bookings.book(0, 50)
    without = bookings.post(60)

    assert bookings.span(booking) == (0, 50)
    length = round(bookings.span(without.json())[1] - 60) if without.is_success else "refused"
    fact("calendar.default-minutes", length, without)


@pytest.mark.rule("calendar.book.time-zone")
@pytest.mark.parametrize("zone", ZONES)
def test_times_without_offset_are_in_the_time_zone(bookings: Bookings, zone: str) -> None:
    start, end = (bookings.local(minutes, ZoneInfo(zone)) for minutes in (60, 100))

    assert bookings.post(60, start=start, end=end, timeZone=zone).is_success
    assert bookings.busy() == [(60, 100)]


@pytest.mark.rule("calendar.book.primary-calendar")
@pytest.mark.parametrize("named", [False, True], ids=["by default", "by name"])
def test_an_event_is_on_the_primary_calendar(bookings: Bookings, data: Data, named: bool) -> None:
    primary = data["calendar"]

    booking = bookings.book(**({"calendarId": primary} if named else {}))

    assert booking["calendarId"] == primary or (not named and bookings.is_same_calendar(booking["calendarId"], primary))
    assert bookings.busy(primary) == [(0, 30)]


@pytest.mark.rule("calendar.book.calendar-name")
def test_the_calendar_of_a_booking_is_named_if_the_request_names_none(bookings: Bookings, data: Data) -> None:
    assert bookings.book()["calendarId"] == data["calendar"]


@pytest.mark.rule("calendar.book.offset-of-times")
def test_the_times_of_a_booking_have_offsets(bookings: Bookings) -> None:
    """Whether the times of the request have offsets or a time zone."""
    start, end = (bookings.local(minutes, ZoneInfo(ZONES[0])) for minutes in (60, 90))
    booked = [
        require_success(bookings.post(0, 30, **body)).json()
        for body in ({}, {"start": start, "end": end, "timeZone": ZONES[0]})
    ]

    times = [booking[name] for booking in booked for name in ("start", "end")]
    assert [text for text in times if datetime.fromisoformat(text).tzinfo is None] == []


@pytest.mark.rule("calendar.book.calendar-id")
def test_an_event_for_an_unknown_calendar_is_not_on_another(bookings: Bookings, data: Data, tag: str) -> None:
    """The primary calendar is the default only if none is named; the same event can be booked there."""
    response = bookings.post(0, 30, calendarId=f"{tag}-nothing")

    assert not response.is_success
    assert bookings.busy() == []
    require_success(bookings.post(0, 30, calendarId=data["calendar"]))


@pytest.mark.rule("scope.own-things.calendar-book")
def test_an_event_is_not_booked_through_another_project(api: Api, bookings: Bookings, data: Data, tag: str) -> None:
    """The calendar is connected to this project; the same event can be booked through it."""
    body = {"start": bookings.at(0), "end": bookings.at(30), "summary": tag, "calendarId": data["calendar"]}

    response = api("calendar_book", projectId=data["other_project"], json=body)

    assert not response.is_success
    assert bookings.busy() == []
    require_success(api("calendar_book", json=body))


@pytest.fixture
def other_project(contract_run: Run, data: Data) -> Iterator[str]:
    """The other project; in a stub, it has a calendar that can be written to during the test."""
    id = data["other_project"]
    if contract_run.target.stub is None:
        yield id
        return
    project = contract_run.target.stub.world.projects[id]
    primary = project.primary_calendar
    calendar = replace(contract_run.target.stub.project.calendars[data["calendar"]], id="other@contract", blocks=())
    project.calendars[calendar.id], project.primary_calendar = calendar, calendar.id
    yield id
    del project.calendars[calendar.id]
    project.primary_calendar = primary


@pytest.mark.rule("calendar.book.other-project")
def test_an_event_of_another_project_takes_no_slot(
    api: Api, bookings: Bookings, contract_run: Run, other_project: str
) -> None:
    """Neither is it listed or moved here, nor is one of this project there."""
    other = Bookings(api, contract_run, begin=bookings.begin, project=other_project)
    booked = other.post(0, 30)
    if not booked.is_success:
        raise MissingError(f"no event can be booked in 'other_project': {booked.status_code}")

    assert bookings.busy() == []
    booking = bookings.book(10, 40)
    slot = {"start": bookings.at(60), "end": bookings.at(90), "conflictCheck": False}
    moved = [bookings.move(booked.json(), **slot), other.move(booking, **slot)]
    assert [response.status_code for response in moved if response.is_success] == []
    assert other.post(5, 10).status_code == 409
    assert (bookings.busy(), other.busy()) == ([(10, 40)], [(0, 30)])
    require_success(other.move(booked.json(), **slot))
    assert (bookings.busy(), other.busy()) == ([(10, 40)], [(60, 90)])


@pytest.mark.rule("calendar.book.summary-length")
def test_a_summary_of_one_character_is_accepted(bookings: Bookings, tag: str) -> None:
    """Any: a digit, a blank, and one that UTF-16 writes as two units."""
    summaries = ("c", "0", " ", "\u00e9", "\U0001f33e")

    accepted = {
        text: bookings.post(10 * number, 10 * number + 5, summary=text, description=tag).is_success
        for number, text in enumerate(summaries)
    }

    assert accepted == dict.fromkeys(summaries, True)


@pytest.mark.rule("calendar.book.any-text")
def test_any_text_and_any_metadata_are_accepted(bookings: Bookings) -> None:
    """In a booking and in an update. No operation shows them, so only the responses are checked."""
    texts = [*TEXTS.values(), LONG, *WORDS]
    # The fuse reads an at sign as a part of an address.
    metadata = [{}, {"": ""}, json.loads(json.dumps(free_form()).replace("@", ""))]
    accepted: dict[str, bool] = {}
    for number, (one, other) in enumerate(zip(texts[::2], [*texts[1::2], texts[0]], strict=False)):
        fields = {"description": other, "attendee": {"name": other, "phone": one}, "metadata": {"a": one}}
        response = bookings.post(number, number + 1, summary=one, **fields)
        accepted[f"{one[:20]!a}, {other[:20]!a}"] = response.is_success
        if response.is_success:
            update = bookings.move(response.json(), summary=other, description=one)
            accepted[f"{other[:20]!a}, {one[:20]!a}"] = update.is_success
    for number, value in enumerate(metadata):
        accepted[f"metadata {number}"] = bookings.post(100 + number, 101 + number, metadata=value).is_success

    assert [name for name, success in accepted.items() if not success] == []


@pytest.mark.rule("calendar.book.summary-length")
@pytest.mark.parametrize(
    "others",
    [{}, {"description": "A description"}, {"metadata": {"title": "A title"}}, {"conflictCheck": False}],
    ids=lambda others: next(iter(others), "alone"),
)
def test_an_empty_summary_is_refused(bookings: Bookings, fact: Fact, others: dict[str, Any]) -> None:
    """With any client error, and nothing is written; no other field replaces the title."""
    response = bookings.post(0, 5, summary="", **others)

    assert 400 <= response.status_code < 500
    assert bookings.busy() == []
    fact("invalidStatus", response.status_code, response)


@pytest.mark.rule("calendar.book.body-types")
@pytest.mark.parametrize(
    "body",
    [
        {"start": "soon"},
        {"end": "later"},
        {"durationMinutes": "half an hour"},
        {"timeZone": "Nowhere/Atlantis"},
        {"summary": {"text": "title"}},
        {"description": ["text"]},
        {"attendee": "somebody"},
        {"metadata": "text"},
        {"conflictCheck": "perhaps"},
    ],
    ids=lambda body: next(iter(body)),
)
def test_a_field_of_another_type_is_refused(bookings: Bookings, body: dict[str, Any]) -> None:
    """With any client error, and nothing is written."""
    response = bookings.post(0, 30, **body)

    assert 400 <= response.status_code < 500
    assert bookings.busy() == []


@pytest.mark.rule("calendar.book.body-types")
def test_a_value_that_would_have_to_be_converted_is_refused(bookings: Bookings) -> None:
    """A string of digits is not an integer, and neither is a fraction; a string is not a boolean, whatever it says."""
    bodies: list[dict[str, Any]] = [
        *({"conflictCheck": value} for value in ("false", "", 0, 1)),
        *({"durationMinutes": value} for value in ("30", 30.5, True, [30])),
        *({"summary": value} for value in (7, True, ["a"])),
        *({"start": value} for value in (1930000000, "2031-02-30T09:00:00Z", "2031-03-03T25:00:00Z")),
        *({"description": value} for value in (7, False)),
        {"metadata": []},
        *({"metadata": value} for value in ("", 0, False)),
        {"attendee": []},
        *({"attendee": {name: 7}} for name in ("email", "name", "phone")),
        *({"calendarId": value} for value in (7, False)),
        *({"timeZone": value} for value in (7, "UTC+1", "")),
    ]

    accepted = [body for body in bodies if bookings.post(0, **{"durationMinutes": 30, **body}).is_success]

    assert accepted == []
    assert bookings.busy() == []
    require_success(bookings.post(0, durationMinutes=30))


@pytest.mark.rule("calendar.book.attendee-email")
def test_an_invalid_email_address_is_refused(bookings: Bookings, tag: str) -> None:
    """With any client error, and nothing is written."""
    response = bookings.post(0, 30, attendee={"name": tag, "email": "no address"})

    assert 400 <= response.status_code < 500
    assert bookings.busy() == []
