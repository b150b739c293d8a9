"""Endpoints 5 to 7: sequences of bookings, updates and refused requests on a stub, whose events hold what the requests gave them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import SignIn
from project_platform_contract.run.contract_run import Run

from .model.calendar import LISTS, REFUSED, SEQUENCES, Json, sequence_of
from .support.calendar import Bookings
from .support.free_form import FALSY, TEXTS
from .support.json_equality import differences
from .support.reading import refused

_HELD: Final = ("summary", "description", "attendee", "metadata")


def _stored_rest(recipient: str) -> Callable[[Random], Json]:
    """Return a function that returns members of all kinds: any text, every part of an attendee, any metadata."""

    def rest(chance: Random) -> Json:
        texts = list(TEXTS.values())
        attendee = {"name": chance.choice(texts), "email": recipient, "phone": chance.choice(texts)}
        return {
            "description": chance.choice(texts),
            "attendee": {name: attendee[name] for name in chance.sample(list(attendee), chance.randint(0, 3))},
            "metadata": {chance.choice("ab"): chance.choice([*texts, *FALSY.values(), 7, [1, {"a": "b"}]])},
        }

    return rest


@pytest.fixture
def other_calendar(contract_run: Run, data: Data, tag: str) -> Iterator[str]:
    """A second calendar of the stub that can be written to, until the end of the test."""
    calendars = contract_run.target.stub_project("a second calendar that can be written to").calendars
    id = f"{tag}-other-calendar"
    calendars[id] = replace(calendars[data["calendar"]], id=id, blocks=())
    yield id
    del calendars[id]


@pytest.mark.rule("calendar.sequence-checked")
def test_every_update_of_an_event_is_checked(bookings: Bookings) -> None:
    """However often it was updated before."""
    booking = bookings.book(0, 10)
    bookings.book(60, 70)

    for number in range(6):
        for start, fits in ((62, False), (10 + number, True)):
            slot = {"start": bookings.at(start), "end": bookings.at(start + 5)}
            response = bookings.move(booking, **slot, conflictCheck=True, notifyAttendees=False)
            assert response.is_success if fits else refused(response), f"update {number} ({response.status_code})"


@pytest.mark.rule("calendar.sequence-stored")
@pytest.mark.parametrize("number", [0, SEQUENCES - 1])
def test_events_hold_what_the_requests_in_their_order_gave_them(
    sign_in: SignIn, contract_run: Run, data: Data, other_calendar: str, number: int
) -> None:
    """On two calendars; attendees get one mail for each booking and for each update that is not silent.

    Only a stub shows an event, and has a second calendar that can be written to.
    """
    project, mails = contract_run.target.stub_project("an event"), contract_run.target.outbox()
    rest = _stored_rest(data["recipient"])
    sequence, requests = sequence_of(contract_run, sign_in, number, _require, rest=rest, others=(other_calendar,))
    before = {uid: project.events[uid] for uid in project.events}
    held: dict[str, Json] = {}

    for count, (kind, row) in enumerate(requests):
        sent, notified = len(mails), False
        if kind == "book":
            body, response = sequence.book(row, count)
            uid = response.json().get("bookingUid")
            if response.is_success:
                held[uid] = {"description": None, "attendee": {}, "metadata": {}, **body}
                notified = True
        else:
            uid, body, response = sequence.update(row, count)
            if response.is_success:
                held[uid] |= {name: body[name] for name in ("summary", "description") if name in body}
                notified = body.get("notifyAttendees") is not False
        if count % 4 == 3:
            sequence.refuse(REFUSED[(number + count // 4) % len(REFUSED)], count)
        if count % 3 == 0:
            sequence.compare(LISTS[count % len(LISTS)])
        address = held[uid]["attendee"].get("email") if notified else None
        mailed = [(mail.to, mail.booking_uid) for mail in mails[sent:]]
        assert mailed == ([] if address is None else [(address, uid)]), body
        assert {uid: project.events[uid] for uid in project.events if uid not in held} == before, body
        for uid, fields in held.items():
            assert differences(_sent(fields, sequence.changed[uid]), _held(project.events[uid])) == [], body


def _require(rule: str, problem: object) -> None:
    """Require that there is no problem."""
    assert not problem, f"{rule}: {problem}"


def _sent(fields: Json, calendar: str) -> Json:
    return {**{name: fields[name] for name in _HELD}, "calendar": calendar}


def _held(event: Any) -> Json:
    """Return what an event of a stub holds; an attendee or metadata that were not sent are empty."""
    empty: Json = {"attendee": {}, "metadata": {}}
    return {**{name: getattr(event, name) or empty.get(name) for name in _HELD}, "calendar": event.calendar_id}
