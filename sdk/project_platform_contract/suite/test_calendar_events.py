"""Endpoints 5 and 6: what the sequences of the model do not have.

These are facts, any text, the slots and the projects of others, values of other types, and requests at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings, busy, intervals, joined, wire
from .support.preconditions import (
    accepted,
    is_invalid,
    require_conclusive,
    require_refused,
    require_success,
    without_conflict,
    without_invalid,
)
from .support.reading import error_problem

_DAYS = 28  # Length of a query; providers do not list much more in one response.
_OTHERS = 5  # Maximum number of events of others that are tried.
_NUMBERS = range(6)  # Of requests at the same time.

Json = dict[str, Any]


@pytest.mark.rule("calendar.book.end-given")
def test_an_event_ends_at_its_end(bookings: Bookings, fact: Fact) -> None:
    """Without end and duration, the service may choose one or refuse; which one is recorded as a fact."""
    booking = bookings.book(0, 50)
    without = bookings.post(60)

    assert bookings.span(booking) == (0, 50)
    length = round(bookings.span(without.json())[1] - 60) if without.is_success else "refused"
    fact("calendar.default-minutes", length, without)


@pytest.mark.rule("calendar.reschedule.moves")
def test_a_new_start_moves_the_start(bookings: Bookings, fact: Fact) -> None:
    """The specification does not say what happens to the end; this is recorded as a fact. The event can be moved back."""
    booking = bookings.book()

    response = bookings.move(booking, start=bookings.at(10))

    start, end = bookings.span(accepted(response).json())
    assert start == 10
    fact("calendar.moved-end", {40: "moves along", 30: "stays"}.get(int(end), "another"), response)
    fact("successStatus.calendar_reschedule", response.status_code, response)
    back = bookings.move(booking, start=bookings.at(0), end=bookings.at(30))
    assert bookings.span(accepted(back).json()) == (0, 30)
    assert bookings.busy() == [(0, 30)]


@pytest.mark.rule("calendar.reschedule.conflict-check")
def test_an_event_is_moved_to_a_taken_slot_only_without_the_check(bookings: Bookings, fact: Fact) -> None:
    """With the check, the status is a fact, and neither event changes; the default of the check is a fact, too."""
    booking = bookings.book()
    bookings.book(60, 90)
    slot = {"start": bookings.at(75), "end": bookings.at(105)}

    refused = bookings.move(booking, **slot, conflictCheck=True)
    longer = bookings.move(booking, end=slot["start"], conflictCheck=True)
    assert [refused.is_client_error, longer.is_client_error] == [True, True]
    assert bookings.busy() == [(0, 30), (60, 90)]
    by_default = bookings.move(booking, **slot)
    accepted(bookings.move(booking, **slot, conflictCheck=False))

    assert bookings.busy() == [(60, 105)]
    fact("calendar.reschedule-conflict", refused.status_code, refused)
    fact("calendar.reschedule-conflict-default", not by_default.is_success, by_default)


@pytest.mark.rule("calendar.book.conflict-moved")
def test_the_slot_of_an_event_that_was_moved_away_can_be_booked_as_before(bookings: Bookings) -> None:
    """An equal request makes another booking."""
    accepted(bookings.move(bookings.book(), start=bookings.at(60), end=bookings.at(90)))
    bookings.book()

    assert bookings.busy() == [(0, 30), (60, 90)]


@pytest.mark.rule("calendar.book.conflict")
def test_a_slot_is_taken_to_the_second_by_each_event(bookings: Bookings, contract_run: Run, data: Data) -> None:
    """By the first and by the last one that it overlaps; also for an attendee, who is invited only where mails are allowed."""
    for slot in ((60, 120), (70, 72), (130, 140)):
        bookings.book(*slot, conflictCheck=False)
    slots = [(60, 120), (59, 60 + 1 / 60), (140 - 1 / 60, 141), (30, 150), (119, 131)]
    attendee = {"email": data.values["recipient"]} if "recipient" in data.values else {"name": "Guest"}

    taken = {f"{slot}": bookings.post(*slot, conflictCheck=True) for slot in slots}
    taken["with an attendee"] = bookings.post(90, 100, attendee=attendee)
    assert without_conflict(taken, [f"{slots[0]}"]) == {}
    assert bookings.busy() == [(60, 120), (130, 140)]
    invited = attendee if contract_run.allows("irreversible") else {"name": "Guest"}
    accepted(bookings.post(120, 130, attendee=invited))
    assert bookings.busy() == [(60, 140)]


@pytest.mark.rule("calendar.book.conflict")
def test_an_event_of_more_than_a_day_takes_its_slot(api: Api, contract_run: Run) -> None:
    """To its end, after the midnight of each time zone."""
    bookings = Bookings(api, contract_run, long=True)
    accepted(bookings.post(0, 30 * 60, conflictCheck=False))

    taken = {f"{hour} h": bookings.post(60 * hour, 60 * hour + 30, conflictCheck=True) for hour in (1, 25, 29)}
    assert without_conflict(taken) == {}


@pytest.mark.rule("calendar.reschedule.answers-booking")
def test_equal_updates_are_answered_with_their_events(bookings: Bookings, tag: str) -> None:
    booked = [bookings.book(0, 30), bookings.book(30, 60)]

    moved = [require_success(bookings.move(each, description=tag, notifyAttendees=False)).json() for each in booked]

    assert all(bookings.is_same(*both) for both in zip(booked, moved, strict=True))
    assert [bookings.span(booking) for booking in moved] == [(0, 30), (30, 60)]


@pytest.mark.rule("calendar.book.conflict-concurrent")
def test_one_of_several_concurrent_bookings_of_a_slot_succeeds(bookings: Bookings) -> None:
    """The check and the insert are one step, or the external calendar refuses the second event."""
    assert bookings.busy() == []  # the stretch is chosen before the bookings
    with ThreadPoolExecutor(4) as writers:
        responses = list(writers.map(lambda _: bookings.post(0, 30, conflictCheck=True), range(4)))

    require_conclusive([response.status_code for response in responses])
    assert len([accepted(response) for response in responses if response.status_code != httpx.codes.CONFLICT]) == 1


@pytest.mark.rule("calendar.book.conflict-others")
def test_an_event_that_others_wrote_takes_its_slot(api: Api, contract_run: Run) -> None:
    """Every busy interval of the next days is tried, also those that the service did not write."""
    middles = _taken_soon(api, 1 / 2)
    body = {"summary": contract_run.tag, "durationMinutes": 1, "conflictCheck": True}

    responses = {middle: api("calendar_book", json={**body, "start": middle}) for middle in middles}

    assert without_conflict(responses) == {}


@pytest.mark.rule("calendar.reschedule.conflict-check")
def test_an_event_is_not_moved_over_one_that_others_wrote(api: Api, bookings: Bookings) -> None:
    instants = _taken_soon(api, 1 / 4)
    booking = bookings.book()

    moved = {
        instant: bookings.move(booking, start=instant, durationMinutes=1, conflictCheck=True).is_success
        for instant in instants
    }

    assert moved == dict.fromkeys(instants, False)
    assert bookings.busy() == [(0, 30)]


def _taken_soon(api: Api, part: float) -> list[str]:
    """Return instants of the next days at which the primary calendar is busy: each after that part of a busy interval.

    Each test has another part, since a service that does not check books an event there, which then is busy.
    """
    soon = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    taken = [
        slot for slot in intervals(require_success(busy(api, soon, soon + timedelta(days=_DAYS)))) if slot[0] > soon
    ][:_OTHERS]
    if not taken:
        raise MissingError(f"the primary calendar is not busy in the next {_DAYS} days")
    return [wire(start + (end - start) * part) for start, end in taken]


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
    booked = require_success(other.post(0, 30))

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
    summaries = ("0", " ", "\U0001f33e")

    responses = {
        text: bookings.post(30 * number, 30 * number + 30, summary=text, description=tag)
        for number, text in enumerate(summaries)
    }
    if is_invalid(responses["0"]):
        bookings.book(0, 30, description=tag)

    conclusive = without_invalid(responses, summaries[:1])
    assert [text for text, response in conclusive.items() if not response.is_success] == []


def _each(**values: tuple[Any, ...]) -> tuple[Json, ...]:
    """Return bodies of one member, for each value."""
    return tuple({name: value} for name in values for value in values[name])


_OF_BOTH: Final = _each(
    start=("soon",),
    durationMinutes=("30", 30.5),
    timeZone=("Nowhere/Atlantis",),
    summary=(7,),
    description=(7,),
    conflictCheck=("false", 0),
    end=("later",),
    calendarId=(7,),
)
"""Members of another type, or with a value that would have to be converted."""

_OF_BOOKINGS: Final = _each(
    start=(1930000000, "2031-02-30T09:00:00Z"),
    durationMinutes=(True,),
    timeZone=(7, "UTC+1"),
    summary=(["a"],),
    metadata=("text", [], False),
    attendee=("somebody", {"email": 7}, {"name": 7}, {"phone": 7}),
    conflictCheck=("perhaps",),
)
_ADDRESSES: Final = _each(attendee=({"name": "Guest", "email": "no address"},))
_OF_UPDATES: Final = _each(notifyAttendees=("false", 0))


@pytest.mark.parametrize(
    "bodies",
    [
        pytest.param((*_OF_BOTH, *_OF_BOOKINGS), marks=pytest.mark.rule("calendar.book.body-types"), id="types"),
        pytest.param(_ADDRESSES, marks=pytest.mark.rule("calendar.book.attendee-email"), id="addresses"),
    ],
)
def test_a_booking_with_an_invalid_value_is_refused(bookings: Bookings, bodies: tuple[Json, ...]) -> None:
    sent = {str(body): bookings.post(0, None if "durationMinutes" in body else 30, **body) for body in bodies}

    assert [body for body, response in sent.items() if not response.is_client_error] == []
    assert bookings.busy() == []
    require_success(bookings.post(0, durationMinutes=30))


@pytest.mark.rule("calendar.book.conflict-body")
def test_a_conflict_has_an_error_body(bookings: Bookings) -> None:
    bookings.book()

    assert error_problem(require_refused(bookings.post(0, 30, conflictCheck=True))) is None


@pytest.mark.rule("calendar.reschedule.body-types")
def test_an_update_with_a_value_of_another_type_is_refused(bookings: Bookings) -> None:
    booking = bookings.book()
    slot = {"start": bookings.at(60), "end": bookings.at(90)}
    bodies = [{**slot, **body} for body in (*_OF_BOTH, *_OF_UPDATES)]

    assert [body for body in bodies if not bookings.move(booking, **body).is_client_error] == []
    assert bookings.busy() == [(0, 30)]
    require_success(bookings.move(booking, **slot))


def _together(send: Callable[[int], httpx.Response]) -> list[Json]:
    """Send several requests at the same time, and return the bodies of the responses in their order.

    Raises:
        MissingError: One is an error: a service may refuse what comes at the same time, if it then does nothing.
    """
    with ThreadPoolExecutor(6) as senders:
        responses = list(senders.map(send, _NUMBERS))
    require_conclusive([response.status_code for response in responses])
    return [require_success(response).json() for response in responses]


@pytest.fixture
def concurrent(contract_run: Run, bookings: Bookings, api: Api) -> tuple[Bookings, list[Json]]:
    """The bookings of a stretch that were written at the same time, one in each ten minutes; the tests of a process share them."""
    if "concurrent" not in contract_run.learned:
        begin = bookings.begin  # The stretch is chosen before the bookings.
        booked = _together(lambda number: bookings.post(10 * number, 10 * number + 5))
        contract_run.learned["concurrent"] = begin, booked
    begin, booked = contract_run.learned["concurrent"]
    return Bookings(api, contract_run, begin=begin), booked


@pytest.mark.rule("calendar.book.concurrent")
def test_concurrent_bookings_of_different_slots_are_all_written(concurrent: tuple[Bookings, list[Json]]) -> None:
    """Each response has the event of its request."""
    bookings, booked = concurrent

    slots = [(10 * number, 10 * number + 5) for number in _NUMBERS]
    assert [bookings.span(booking) for booking in booked] == slots
    assert len({booking["bookingUid"] for booking in booked}) == len(booked)
    assert bookings.busy(until=165) == slots


@pytest.mark.rule("calendar.busy.concurrent")
def test_concurrent_queries_are_answered_for_their_ranges(concurrent: tuple[Bookings, list[Json]]) -> None:
    """Also beside a booking in another range."""
    bookings, _ = concurrent
    ranges = [{"timeMin": bookings.at(10 * number), "timeMax": bookings.at(10 * number + 10)} for number in _NUMBERS]
    before = bookings.busy(until=60)

    with ThreadPoolExecutor(6) as senders:
        booked = senders.submit(bookings.post, 170, 175)
        together = list(senders.map(bookings.listed, ranges))

    require_success(booked.result())
    assert len(before) == len(ranges)
    assert [joined(listed) for listed in together] == [[slot] for slot in before]


@pytest.mark.rule("calendar.reschedule.concurrent")
def test_concurrent_updates_of_different_events_are_all_applied(concurrent: tuple[Bookings, list[Json]]) -> None:
    """Each response has the event of its request; some move the start, some the end, and some only change the title."""
    bookings, booked = concurrent
    slots = [(10 * number + 6, 10 * number + 9) for number in _NUMBERS]

    def update(number: int) -> httpx.Response:
        if number % 3 == 2:
            return bookings.move(booked[number], summary=f"changed {number}", notifyAttendees=False)
        start, end = slots[number]
        times = {"end": bookings.at(end)} if number % 3 else {"durationMinutes": end - start}
        return bookings.move(booked[number], start=bookings.at(start), **times, conflictCheck=False)

    updated = _together(update)

    expected = [slot if number % 3 < 2 else (10 * number, 10 * number + 5) for number, slot in enumerate(slots)]
    assert all(bookings.is_same(booking, moved) for booking, moved in zip(booked, updated, strict=True))
    assert [bookings.span(booking) for booking in updated] == expected
    assert bookings.busy(until=165) == expected
