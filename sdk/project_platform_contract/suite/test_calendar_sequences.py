"""Endpoints 5 to 7: sequences of bookings, updates and refused requests, compared with a model of the calendar.

The sequences are the same in every run. Together they send each pair of values of what a request has: the form of its times, the
conflict check, the named calendar, the texts, the caller, and the place of the slot relative to those of other events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any, Final

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings, busy
from .support.calendar_model import LENGTH, PLACES
from .support.calendar_sequence import Json, Sequence
from .support.covering import covering
from .support.free_form import FALSY, TEXTS
from .support.json_equality import differences
from .support.reading import refused

_SEQUENCES: Final = 4
_STYLES: Final = ("utc", "milliseconds", "offset", "local", "offset in a zone")
_HELD: Final = ("summary", "description", "attendee", "metadata")
_ACCOUNT: Final = "service_account"
_MINUTE: Final = timedelta(minutes=1)
_SWITCH: Final = (None, True, False)
_BOOKINGS: Final = covering(
    {
        "form": ("end", "duration", "end and duration"),
        "style": _STYLES,
        "check": _SWITCH,
        "calendar": (False, True),
        "rest": ("nothing", "description", "attendee", "metadata", "all"),
        "caller": ("owner", _ACCOUNT),
        "place": tuple(PLACES),
    }
)
_UPDATES: Final = covering(
    {
        "form": ("start and end", "start and duration", "start", "end", "duration", "nothing"),
        "style": _STYLES,
        "check": _SWITCH,
        "notify": _SWITCH,
        "calendar": (False, True),
        "texts": ((), ("summary",), ("description",), ("summary", "description")),
        "caller": ("owner", _ACCOUNT),
        "place": tuple(PLACES),
        "event": ("first", "last", "any"),
    }
)
_LISTS: Final = covering(
    {
        "window": ("whole", "part"),
        "style": ("utc", "offset"),
        "calendar": (False, True),
        "caller": ("owner", "viewer", _ACCOUNT),
    }
)
_REFUSED: Final = (
    *("empty summary", "unknown calendar", "unknown event", "taken", "read-only calendar", "outsider"),
    *("no token", "other project", "another calendar", "invalid start", "invalid duration"),
)


def _rest(chance: Random) -> Json:
    """Return further members of a booking: texts that look like other members, and an attendee without an address."""
    return {
        "description": chance.choice(("conflictCheck: false", "What it is about, \U0001f33e included.")),
        "attendee": chance.choice(({"name": "Guest"}, {"phone": "007"}, {"name": "Guest", "phone": "007"})),
        "metadata": {"conflictCheck": False, "calendarId": "other", "durationMinutes": 1, "timeZone": "Asia/Tokyo"},
    }


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


Start = Callable[..., tuple[Sequence, list[tuple[str, Json]]]]


@pytest.fixture
def start(api: Api, sign_in: SignIn, contract_run: Run, data: Data, tag: str) -> Start:
    """Returns a function that returns a sequence, and the requests that it sends."""

    def start(
        number: int, *, strict: bool = False, rest: Callable[[Random], Json] = _rest, others: tuple[str, ...] = ()
    ) -> tuple[Sequence, list[tuple[str, Json]]]:
        chance = Random(number)  # noqa: S311  # no secret
        scale = 16 if number == _SEQUENCES - 1 else 1  # then events take hours, across midnight
        owner = Bookings(api, contract_run, long=scale > 1)
        callers, strangers = {"owner": owner}, {"no token": Bookings(sign_in(None), contract_run, begin=owner.begin)}
        for identity, found in ((_ACCOUNT, callers), ("viewer", callers), ("outsider", strangers)):
            if identity in data.tokens:
                found[identity] = Bookings(sign_in(identity), contract_run, begin=owner.begin)
        if "other_project" in data.values:
            other = data["other_project"]
            strangers["other project"] = Bookings(api, contract_run, begin=owner.begin, project=other)
        # What a service account or a viewer may do, the specification does not say.
        if _ACCOUNT in callers and not callers[_ACCOUNT].post(LENGTH * scale, durationMinutes=1).is_success:
            del callers[_ACCOUNT]
        if "viewer" in callers and not busy(sign_in("viewer"), owner.begin, owner.begin + _MINUTE).is_success:
            del callers["viewer"]
        calendars = (data["calendar"], *others) if "calendar" in data.values else ()
        sequence = Sequence(callers, strangers, chance, scale, data, tag, calendars, strict, rest)
        requests = [("book", row) for row in _BOOKINGS[number::_SEQUENCES]]
        for row in _UPDATES[number::_SEQUENCES]:
            requests.insert(chance.randint(2, len(requests)), ("update", row))
        return sequence, requests

    return start


@pytest.mark.parametrize(
    ("number", "strict"),
    [
        pytest.param(0, False, id="0", marks=pytest.mark.rule("calendar.sequence")),
        pytest.param(_SEQUENCES - 1, False, id="long", marks=pytest.mark.rule("calendar.sequence-long")),
        *(
            pytest.param(number, True, id=str(number), marks=pytest.mark.rule("calendar.sequence-checked"))
            for number in (1, 2)
        ),
    ],
)
def test_the_calendar_is_what_the_requests_in_their_order_make_of_it(start: Start, number: int, strict: bool) -> None:
    """Every response has the slot of its event, and the calendar is busy during all events, whatever was requested before."""
    sequence, requests = start(number, strict=strict)

    for count, (kind, row) in enumerate(requests):
        sequence.book(row, count) if kind == "book" else sequence.update(row, count)
        if count % 4 == 3:
            sequence.refuse(_REFUSED[(number + count // 4) % len(_REFUSED)], count)
        sequence.compare(_LISTS[count % len(_LISTS)])
    for row in _LISTS:
        sequence.compare({**row, "window": "part"})
    sequence.compare({**_LISTS[0], "window": "whole"})


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
@pytest.mark.parametrize("number", range(_SEQUENCES))
def test_events_hold_what_the_requests_in_their_order_gave_them(
    start: Start, contract_run: Run, data: Data, other_calendar: str, number: int
) -> None:
    """On two calendars; attendees get one mail for each booking and for each update that is not silent.

    Only a stub shows an event, and has a second calendar that can be written to.
    """
    project, mails = contract_run.target.stub_project("an event"), contract_run.target.outbox()
    sequence, requests = start(number, rest=_stored_rest(data["recipient"]), others=(other_calendar,))
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
            sequence.refuse(_REFUSED[(number + count // 4) % len(_REFUSED)], count)
        if count % 3 == 0:
            sequence.compare(_LISTS[count % len(_LISTS)])
        address = held[uid]["attendee"].get("email") if notified else None
        mailed = [(mail.to, mail.booking_uid) for mail in mails[sent:]]
        assert mailed == ([] if address is None else [(address, uid)]), body
        assert {uid: project.events[uid] for uid in project.events if uid not in held} == before, body
        for uid, fields in held.items():
            assert differences(_sent(fields, sequence.changed[uid]), _held(project.events[uid])) == [], body


def _sent(fields: Json, calendar: str) -> Json:
    return {**{name: fields[name] for name in _HELD}, "calendar": calendar}


def _held(event: Any) -> Json:
    """Return what an event of a stub holds; an attendee or metadata that were not sent are empty."""
    empty: Json = {"attendee": {}, "metadata": {}}
    return {**{name: getattr(event, name) or empty.get(name) for name in _HELD}, "calendar": event.calendar_id}
