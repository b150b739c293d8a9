"""Endpoints 5 and 6: what an event holds, and who is notified. No operation shows it, so only a stub can prove this."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.target import Target

from .support.calendar import Bookings, busy, intervals, joined
from .support.free_form import TEXTS, WORDS, free_form
from .support.json_equality import differences
from .support.preconditions import require_refused
from .support.subsets import subsets

_LONG = "A long text, \U0001f33e included. " * 100
_WHY = "an event"


@pytest.fixture
def target(contract_run: Run) -> Target:
    """The target of the run."""
    return contract_run.target


@pytest.mark.rule("calendar.book.title")
def test_an_event_has_its_texts_unchanged(bookings: Bookings, target: Target) -> None:
    project = target.stub_project(_WHY)

    for summary, description in _two_texts(*WORDS):
        booking = bookings.book(0, 1, conflictCheck=False, summary=summary, description=description)
        event = project.events[booking["bookingUid"]]
        assert differences([summary, description], [event.summary, event.description]) == []


@pytest.mark.rule("calendar.reschedule.title")
def test_an_updated_event_has_its_new_texts_unchanged(bookings: Bookings, target: Target) -> None:
    project = target.stub_project(_WHY)
    booking = bookings.book(0, 1, description="before")

    for summary, description in _two_texts():
        assert bookings.move(booking, summary=summary, description=description).is_success
        event = project.events[booking["bookingUid"]]
        assert differences([summary, description], [event.summary, event.description]) == []


@pytest.mark.rule("calendar.reschedule.title")
@pytest.mark.parametrize("field", ["summary", "description"])
def test_a_word_alone_replaces_the_old_text(bookings: Bookings, target: Target, field: str) -> None:
    """A text that a language takes for false is a text, and the other one does not change."""
    project = target.stub_project(_WHY)
    booking = bookings.book(0, 1, summary="before", description="before")
    texts = {"summary": "before", "description": "before"}

    for word in WORDS:
        assert bookings.move(booking, **{field: word}).is_success
        event = project.events[booking["bookingUid"]]
        assert {"summary": event.summary, "description": event.description} == {**texts, field: word}


@pytest.mark.rule("calendar.reschedule.title")
def test_an_empty_description_replaces_the_old_one(bookings: Bookings, target: Target) -> None:
    project = target.stub_project(_WHY)
    booking = bookings.book(0, 1, description="before")

    assert bookings.move(booking, description="").is_success

    assert not project.events[booking["bookingUid"]].description


@pytest.mark.rule("calendar.book.metadata")
def test_an_event_has_its_metadata_unchanged(bookings: Bookings, target: Target) -> None:
    project = target.stub_project(_WHY)
    # The fuse reads an at sign as a part of an address.
    everything = json.loads(json.dumps(free_form()).replace("@", ""))

    for metadata in (everything, {}, {"": ""}):
        booking = bookings.book(0, 1, metadata=metadata, conflictCheck=False)

        stored = project.events[booking["bookingUid"]].metadata or {}
        assert (
            differences(metadata, json.loads(json.dumps(stored, default=float))) == []
        )  # fractions are stored as decimals


@pytest.mark.rule("calendar.book.attendee")
def test_an_event_has_its_attendee_unchanged(bookings: Bookings, target: Target, data: Data) -> None:
    project = target.stub_project(_WHY)
    whole = {"name": "Guest", "email": data["recipient"], "phone": "+49 (0)30 / 123-45"}
    empty = {"name": "", "email": data["recipient"], "phone": ""}
    texts = [*TEXTS.values(), *WORDS]
    attendees: list[dict[str, str]] = [
        {},
        *({name: fields[name] for name in names} for names in subsets(whole) for fields in (whole, empty)),
        *({"name": name, "phone": phone} for name, phone in zip([*texts[::2], _LONG], texts[1::2], strict=False)),
    ]

    for attendee in attendees:
        booking = bookings.book(0, 1, attendee=attendee, conflictCheck=False)

        assert differences(attendee, project.events[booking["bookingUid"]].attendee or {}) == []


@pytest.mark.rule("calendar.book.invitation")
def test_one_invitation_is_sent_whatever_else_the_body_has(bookings: Bookings, target: Target, data: Data) -> None:
    mails = target.outbox()
    attendee = {"email": data["recipient"]}
    bodies: dict[str, dict[str, Any]] = {
        "address only": {},
        "without conflict check": {"conflictCheck": False},
        "with conflict check": {"conflictCheck": True, "start": bookings.at(40), "end": bookings.at(50)},
        "named calendar": {"calendarId": data["calendar"], "conflictCheck": False},
        "description and metadata": {"description": "", "metadata": {"silent": True}, "conflictCheck": False},
        "empty name": {"attendee": {**attendee, "name": "", "phone": ""}, "conflictCheck": False},
    }

    for name, body in bodies.items():
        before = len(mails)
        booking = bookings.book(**{"attendee": attendee, **body})
        sent = [(mail.to, mail.booking_uid) for mail in mails[before:]]
        assert sent == [(data["recipient"], booking["bookingUid"])], name


@pytest.mark.rule("calendar.reschedule.keeps-rest")
def test_an_update_keeps_what_it_does_not_name(bookings: Bookings, target: Target, data: Data) -> None:
    """The attendee, the metadata and the calendar of an event cannot be named in an update at all."""
    project = target.stub_project(_WHY)
    attendee = {"name": "Guest", "email": data["recipient"], "phone": "007"}
    booking = bookings.book(0, 30, description="before", attendee=attendee, metadata={"zero": 0, "none": ""})
    updates: list[dict[str, Any]] = [
        {"start": bookings.at(60), "end": bookings.at(90)},
        {"end": bookings.at(100)},
        {"durationMinutes": 10},
        {"timeZone": "Asia/Kolkata", "start": bookings.local(60, ZoneInfo("Asia/Kolkata")), "durationMinutes": 20},
        {"notifyAttendees": False},
        {"conflictCheck": False},
        {"calendarId": data["calendar"], "start": bookings.at(70), "end": bookings.at(80)},
    ]

    for update in updates:
        before = project.events[booking["bookingUid"]]
        assert bookings.move(booking, **update).is_success, update
        event = project.events[booking["bookingUid"]]
        kept = ("calendar_id", "summary", "description", "attendee", "metadata")
        assert {name: getattr(event, name) for name in kept} == {name: getattr(before, name) for name in kept}, update


@pytest.mark.rule("calendar.reschedule.notifies")
def test_every_update_notifies_once(bookings: Bookings, target: Target, data: Data) -> None:
    """The attendees of another event are not notified."""
    mails = target.outbox()
    bookings.book(150, 160, attendee={"email": data["recipient"]})
    booking = bookings.book(attendee={"email": data["recipient"]})

    for update in _updates(bookings):
        for named in ({}, {"notifyAttendees": True}):
            before = len(mails)
            assert bookings.move(booking, **update, **named).is_success
            sent = [(mail.to, mail.booking_uid) for mail in mails[before:]]
            assert sent == [(data["recipient"], booking["bookingUid"])], {**update, **named}


@pytest.mark.rule("calendar.reschedule.silent")
def test_no_update_notifies_if_not_requested(bookings: Bookings, target: Target, data: Data) -> None:
    mails = target.outbox()
    booking = bookings.book(attendee={"email": data["recipient"]})
    before = len(mails)

    for update in _updates(bookings):
        assert bookings.move(booking, **update, notifyAttendees=False).is_success
        assert len(mails) == before, update


@pytest.mark.rule("calendar.reschedule.silent")
def test_an_update_of_an_event_without_an_address_notifies_nobody(bookings: Bookings, target: Target) -> None:
    mails = target.outbox()
    booking = bookings.book(attendee={"name": "Guest", "phone": "007"})
    before = len(mails)

    for update in _updates(bookings):
        assert bookings.move(booking, **update).is_success

    assert len(mails) == before


@pytest.mark.rule("calendar.reschedule.refused-changes-nothing")
@pytest.mark.parametrize("reason", ["taken", "start", "end", "durationMinutes", "timeZone", "calendarId"])
def test_a_refused_update_changes_and_sends_nothing(
    bookings: Bookings, target: Target, data: Data, tag: str, reason: str
) -> None:
    """The body also has a valid title and a valid description."""
    project, mails = target.stub_project(_WHY), target.outbox()
    booking = bookings.book(description="before", attendee={"email": data["recipient"]}, metadata={"a": 1})
    bookings.book(60, 90)
    event, sent = project.events[booking["bookingUid"]], len(mails)
    slot: dict[str, Any] = {"start": bookings.at(100), "end": bookings.at(110), "conflictCheck": False}
    defects: dict[str, dict[str, Any]] = {
        "taken": {"start": bookings.at(70), "conflictCheck": True},
        "start": {"start": "soon"},
        "end": {"end": "later"},
        "durationMinutes": {"durationMinutes": "half an hour"},
        "timeZone": {"timeZone": "Nowhere/Atlantis"},
        "calendarId": {"calendarId": f"{tag}-nothing"},
    }

    require_refused(bookings.move(booking, **{**slot, "summary": "after", "description": "after", **defects[reason]}))

    assert project.events[booking["bookingUid"]] == event
    assert len(mails) == sent


@pytest.mark.rule("calendar.book.refused-writes-nothing")
def test_a_refused_booking_leaves_no_event(bookings: Bookings, target: Target, data: Data, tag: str) -> None:
    """The event is on no calendar, and no invitation is sent."""
    project, mails = target.stub_project(_WHY), target.outbox()
    bookings.book()
    events, sent = set(project.events), len(mails)
    attendee = {"email": data["recipient"]}
    defects: dict[str, dict[str, Any]] = {
        "taken": {"conflictCheck": True},
        "read-only": {"calendarId": data["read_only_calendar"]},
        "unknown calendar": {"calendarId": f"{tag}-nothing"},
        "empty summary": {"summary": ""},
        "start": {"start": "soon"},
        "end": {"end": "later"},
        "time zone": {"timeZone": "Nowhere/Atlantis"},
        "attendee": {"attendee": {**attendee, "email": f"no address {tag}"}},
        "metadata": {"metadata": ["a"]},
        "description": {"description": 7},
    }

    for name, defect in defects.items():
        require_refused(bookings.post(0, 30, **{"attendee": attendee, "conflictCheck": False, **defect}))
        assert (set(project.events), len(mails)) == (events, sent), name


@pytest.mark.rule("calendar.book.other-calendar")
def test_another_calendar_has_its_own_events(bookings: Bookings, target: Target, data: Data, tag: str) -> None:
    """The data file names no other calendar that can be written to, so only a stub can prove this."""
    project = target.stub_project("another calendar that can be written to")
    primary, other = data["calendar"], f"{tag}-calendar"
    project.calendars[other] = replace(project.calendars[primary], id=other, blocks=())
    try:
        bookings.book(0, 30)
        booking = bookings.book(0, 30, calendarId=other)
        slots = [(bookings.busy(primary), bookings.busy(other))]
        statuses = [bookings.post(start, start + 5, calendarId=other).status_code for start in (10, 40)]
        moved = bookings.move(booking, start=bookings.at(60), end=bookings.at(90))
        again = bookings.move(booking, calendarId=other, summary=tag)
        slots += [(bookings.busy(primary), bookings.busy(other))]
    finally:
        del project.calendars[other]

    assert slots == [([(0, 30)], [(0, 30)]), ([(0, 30)], [(40, 45), (60, 90)])]
    assert (statuses[0], statuses[1] < 400) == (409, True)
    assert [answer.json().get("calendarId") for answer in (moved, again)] == [booking["calendarId"]] * 2 == [other] * 2


@pytest.mark.rule("calendar.busy.every-calendar")
def test_each_calendar_is_busy_during_all_of_its_events(api: Api, target: Target) -> None:
    """Those that others wrote, and those of the service."""
    project = target.stub_project("the events that others wrote")

    for calendar in project.calendars.values():
        own = [(event.start, event.end) for event in project.events.values() if event.calendar_id == calendar.id]
        expected = [(start, end) for start, end in (*calendar.blocks, *own)]
        first, last = min(start for start, _ in expected), max(end for _, end in expected)
        listed = intervals(busy(api, first, last, calendar.id))
        assert listed == joined(expected), calendar.id


def _two_texts(*more: str) -> Iterator[tuple[str, str]]:
    """Yield texts in pairs, each text once."""
    texts = [*TEXTS.values(), *more, "0", "c", _LONG]
    return zip(texts[::2], texts[1::2], strict=False)


def _updates(bookings: Bookings) -> list[dict[str, Any]]:
    """Return updates of a booking that change its slot or its texts."""
    return [
        {"start": bookings.at(60), "end": bookings.at(90)},
        {"end": bookings.at(100)},
        {"durationMinutes": 10},
        {"start": bookings.at(70)},
        {"summary": "changed"},
        {"description": "changed"},
        {"description": ""},
        {"start": bookings.at(0), "end": bookings.at(30), "summary": "again", "conflictCheck": False},
    ]
