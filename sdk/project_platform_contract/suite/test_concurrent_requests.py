"""Endpoints 2, 3 and 5 to 7, Authentication: requests at the same time have the same effect as one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings, joined
from .support.preconditions import require_conclusive, require_success

_NUMBERS = range(12)


def _together(send: Callable[[int], httpx.Response]) -> Sequence[httpx.Response]:
    """Send several requests at the same time, and return the responses in their order."""
    with ThreadPoolExecutor(6) as senders:
        responses = list(senders.map(send, _NUMBERS))
    require_conclusive([response.status_code for response in responses])
    return responses


def _accepted(responses: Sequence[httpx.Response]) -> Sequence[httpx.Response]:
    """Return responses that are all successes.

    Raises:
        MissingError: One is an error: a service may refuse what comes at the same time, if it then does nothing.
    """
    return [require_success(response) for response in responses]


@pytest.mark.rule("calendar.book.concurrent")
def test_concurrent_bookings_of_different_slots_are_all_written(bookings: Bookings) -> None:
    """Each response has the event of its request."""
    assert bookings.busy() == []

    responses = _together(lambda number: bookings.post(10 * number, 10 * number + 5))

    booked = [response.json() for response in _accepted(responses)]
    slots = [(10 * number, 10 * number + 5) for number in _NUMBERS]
    assert [bookings.span(booking) for booking in booked] == slots
    assert len({booking["bookingUid"] for booking in booked}) == len(booked)
    assert bookings.busy() == slots


@pytest.mark.rule("calendar.reschedule.concurrent")
def test_concurrent_updates_of_different_events_are_all_applied(bookings: Bookings) -> None:
    """Each response has the event of its request; some move the start, some the end, and some only change the title."""
    booked = [bookings.book(10 * number, 10 * number + 5) for number in _NUMBERS]
    slots = [(10 * number + 6, 10 * number + 9) for number in _NUMBERS]

    def update(number: int) -> httpx.Response:
        if number % 3 == 2:
            return bookings.move(booked[number], summary=f"changed {number}", notifyAttendees=False)
        start, end = slots[number]
        times = {"end": bookings.at(end)} if number % 3 else {"durationMinutes": end - start}
        return bookings.move(booked[number], start=bookings.at(start), **times, conflictCheck=False)

    responses = _together(update)

    updated = [response.json() for response in _accepted(responses)]
    expected = [slot if number % 3 < 2 else (10 * number, 10 * number + 5) for number, slot in enumerate(slots)]
    assert all(bookings.is_same(booking, moved) for booking, moved in zip(booked, updated, strict=True))
    assert [bookings.span(booking) for booking in updated] == expected
    assert bookings.busy() == expected


@pytest.mark.rule("calendar.busy.concurrent")
def test_concurrent_queries_are_answered_for_their_ranges(bookings: Bookings) -> None:
    """Also beside a booking in another range."""
    for number in _NUMBERS:
        bookings.book(10 * number, 10 * number + number + 1 if number < 9 else 10 * number + 5)
    ranges = [{"timeMin": bookings.at(10 * number), "timeMax": bookings.at(10 * number + 10)} for number in _NUMBERS]
    before = [bookings.listed(query) for query in ranges]

    with ThreadPoolExecutor(6) as senders:
        booked = senders.submit(bookings.post, 170, 175)
        together = list(senders.map(bookings.listed, ranges))

    require_success(booked.result())
    assert together == before
    assert [len(joined(listed)) for listed in before] == [1] * len(ranges)


@pytest.mark.rule("calendar.book.invitation")
def test_concurrent_bookings_send_an_invitation_each(bookings: Bookings, contract_run: Run, data: Data) -> None:
    mails = contract_run.target.outbox()
    assert bookings.busy() == []
    before = len(mails)

    responses = _together(
        lambda number: bookings.post(10 * number, 10 * number + 5, attendee={"email": data["recipient"]})
    )

    booked = [(data["recipient"], response.json()["bookingUid"]) for response in _accepted(responses)]
    assert sorted((mail.to, mail.booking_uid) for mail in mails[before:]) == sorted(booked)
