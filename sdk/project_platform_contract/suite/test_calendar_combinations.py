"""Endpoints 5 and 6: optional fields of a booking and of an update have their effect whichever others are sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings
from .support.json_equality import differences
from .support.subsets import pairs

_STEP, _LENGTH = 4, 3  # Minutes between the starts of bookings, and of a booking.
_WHY = "an event"


def _options(bookings: Bookings, data: Data) -> dict[str, dict[str, Any]]:
    """Return optional fields of a booking, by name; the metadata have the names of other fields."""
    elsewhere = {"start": bookings.at(170), "end": bookings.at(175), "durationMinutes": 1, "timeZone": "Asia/Kolkata"}
    calendar = {"calendarId": data.values["calendar"]} if "calendar" in data.values else {}
    return {
        "duration": {"durationMinutes": _LENGTH},
        "zone": {"timeZone": "Asia/Kolkata"},
        "description": {"description": "What it is about"},
        "attendee": {"attendee": {"name": "Guest", "phone": "007"}},
        "metadata": {"metadata": {**elsewhere, "summary": "other", "calendarId": "other", "conflictCheck": False}},
        "check": {"conflictCheck": True},
        **({"calendar": calendar} if calendar else {}),
    }


def _requests(
    bookings: Bookings, options: dict[str, dict[str, Any]]
) -> Iterator[tuple[tuple[str, ...], int, dict[str, Any]]]:
    """Yield names of options, the start of a booking, and its body, for each option and each pair of options."""
    for number, names in enumerate(pairs(options)):
        start = number * _STEP
        end = {} if "duration" in names else {"end": bookings.at(start + _LENGTH)}
        yield names, start, {**end, **{name: value for option in names for name, value in options[option].items()}}


@pytest.mark.rule("calendar.book.conflict")
def test_a_slot_is_taken_whatever_else_its_event_and_the_request_have(bookings: Bookings, data: Data) -> None:
    """By an event with the same optional fields as the request, and for a request without them."""
    statuses: dict[tuple[str, ...], tuple[int, int]] = {}
    for names, start, body in _requests(bookings, _options(bookings, data)):
        assert bookings.post(start, **{**body, "conflictCheck": False}).is_success, names
        statuses[names] = (
            bookings.post(start, **body).status_code,
            bookings.post(start + 1, start + 2).status_code,
        )

    assert {names: seen for names, seen in statuses.items() if seen != (409, 409)} == {}


def _changes(bookings: Bookings, data: Data) -> dict[str, dict[str, Any]]:
    """Return fields of an update that do not move the event, by name."""
    return {
        "nothing else": {},
        "summary": {"summary": "changed"},
        "description": {"description": "changed"},
        "zone": {"timeZone": "Asia/Kolkata"},
        "silent": {"notifyAttendees": False},
        "notify": {"notifyAttendees": True},
        **({"calendar": {"calendarId": data.values["calendar"]}} if "calendar" in data.values else {}),
    }


class Observed(NamedTuple):
    """What a request did to an event of the stub.

    Attributes:
        names: Names of the options that were sent.
        expected: What the event should hold, and to whom mails should have been sent, by name.
        seen: The same, as it was.
    """

    names: tuple[str, ...]
    expected: Mapping[str, Any]
    seen: Mapping[str, Any]


@pytest.fixture
def booked(bookings: Bookings, contract_run: Run, data: Data, observed: dict[str, Any]) -> list[Observed]:
    """Bookings with each optional field alone, and with each other one; booked once for all tests."""
    if "booked" not in observed:
        observed["booked"] = list(_booked(bookings, contract_run, data))
    found: list[Observed] = observed["booked"]
    return found


@pytest.fixture
def updated(bookings: Bookings, contract_run: Run, data: Data, observed: dict[str, Any]) -> list[Observed]:
    """The same for updates of one event."""
    if "updated" not in observed:
        observed["updated"] = list(_updated(bookings, contract_run, data))
    found: list[Observed] = observed["updated"]
    return found


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("summary", marks=pytest.mark.rule("calendar.book.title")),
        pytest.param("description", marks=pytest.mark.rule("calendar.book.title")),
        pytest.param("attendee", marks=pytest.mark.rule("calendar.book.attendee")),
        pytest.param("metadata", marks=pytest.mark.rule("calendar.book.metadata")),
        pytest.param("invitations", marks=pytest.mark.rule("calendar.book.invitation")),
    ],
)
def test_an_event_has_all_fields_of_its_booking(booked: list[Observed], field: str) -> None:
    """Each optional field is sent alone, and with each other one. Only a stub shows an event."""
    for names, expected, seen in booked:
        assert field not in expected or differences(expected[field], seen[field]) == [], names


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("texts", marks=pytest.mark.rule("calendar.reschedule.title")),
        pytest.param("rest", marks=pytest.mark.rule("calendar.reschedule.keeps-rest")),
        pytest.param("notified", marks=pytest.mark.rule("calendar.reschedule.notifies")),
        pytest.param("silent", marks=pytest.mark.rule("calendar.reschedule.silent")),
    ],
)
def test_an_event_has_all_fields_of_its_update(updated: list[Observed], field: str) -> None:
    """Each field is sent alone, and with each other one; the others do not change. Only a stub shows an event."""
    for names, expected, seen in updated:
        assert field not in expected or seen[field] == expected[field], names


def _booked(bookings: Bookings, run: Run, data: Data) -> Iterator[Observed]:
    project, mails = run.target.stub_project(_WHY), run.target.outbox()
    guest = {"name": "Guest", "email": data["recipient"]}
    options = {
        **_options(bookings, data),
        "attendee": {"attendee": guest},
        "phone": {"attendee": {**guest, "phone": ""}},
    }
    for number, (names, start, body) in enumerate(_requests(bookings, options)):
        before = len(mails)
        sent = {"summary": f"Event {number}", "end": bookings.at(start + _LENGTH), **body}
        event = project.events[bookings.book(start, start + _LENGTH, **sent)["bookingUid"]]
        address = body.get("attendee", {}).get("email")
        expected: dict[str, Any] = {
            "summary": f"Event {number}",
            "invitations": [] if address is None else [(address, event.uid)],
            **{name: body[name] for name in ("description", "attendee", "metadata") if name in body},
        }
        seen = {name: getattr(event, name) for name in ("summary", "description", "attendee", "metadata")}
        invitations = [(mail.to, mail.booking_uid) for mail in mails[before:]]
        yield Observed(names, expected, {**seen, "invitations": invitations})


def _updated(bookings: Bookings, run: Run, data: Data) -> Iterator[Observed]:
    project, mails = run.target.stub_project(_WHY), run.target.outbox()
    booking = bookings.book(description="before", attendee={"email": data["recipient"]}, metadata={"zero": 0})
    uid = booking["bookingUid"]
    changes = {
        **_changes(bookings, data),
        "slot": {"start": bookings.at(60), "end": bookings.at(80)},
        "start": {"start": bookings.at(62)},
        "duration": {"durationMinutes": 10},
        "check": {"conflictCheck": True},
        "no check": {"conflictCheck": False},
    }
    for number, names in enumerate(pairs(changes)):
        body = {name: value for change in names for name, value in changes[change].items()}
        body |= {name: f"{name} {number}" for name in ("summary", "description") if name in body}
        before, sent = project.events[uid], len(mails)
        assert bookings.move(booking, **body).is_success, names
        event = project.events[uid]
        notified = [(mail.to, mail.booking_uid) for mail in mails[sent:]]
        rule = "silent" if body.get("notifyAttendees") is False else "notified"
        kept = ("uid", "calendar_id", "attendee", "metadata")
        expected: dict[str, Any] = {
            "texts": [body.get(name, getattr(before, name)) for name in ("summary", "description")],
            "rest": [getattr(before, name) for name in kept],
            rule: [(data["recipient"], uid)] if rule == "notified" else [],
        }
        seen: dict[str, Any] = {
            "texts": [event.summary, event.description],
            "rest": [getattr(event, name) for name in kept],
            **dict.fromkeys(("silent", "notified"), notified),
        }
        yield Observed(names, expected, seen)
