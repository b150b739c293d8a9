"""Endpoints 2, 3 and 5 to 7, Authentication: requests at the same time have the same effect as one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings, joined
from .support.preconditions import require_conclusive, require_success

_NUMBERS = range(6)

Concurrent = tuple[Bookings, list[dict[str, Any]]]


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


@pytest.fixture
def concurrent(contract_run: Run, bookings: Bookings, api: Api) -> Concurrent:
    """The bookings of a stretch that were written at the same time, one in each ten minutes; the tests of a process share them."""
    if "concurrent" not in contract_run.learned:
        begin = bookings.begin  # The stretch is chosen before the bookings.
        responses = _together(lambda number: bookings.post(10 * number, 10 * number + 5))
        contract_run.learned["concurrent"] = begin, [response.json() for response in _accepted(responses)]
    begin, booked = contract_run.learned["concurrent"]
    return Bookings(api, contract_run, begin=begin), booked


@pytest.mark.rule("calendar.book.concurrent")
def test_concurrent_bookings_of_different_slots_are_all_written(concurrent: Concurrent) -> None:
    """Each response has the event of its request."""
    bookings, booked = concurrent

    slots = [(10 * number, 10 * number + 5) for number in _NUMBERS]
    assert [bookings.span(booking) for booking in booked] == slots
    assert len({booking["bookingUid"] for booking in booked}) == len(booked)
    assert bookings.busy(until=165) == slots


@pytest.mark.rule("calendar.busy.concurrent")
def test_concurrent_queries_are_answered_for_their_ranges(concurrent: Concurrent) -> None:
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
def test_concurrent_updates_of_different_events_are_all_applied(concurrent: Concurrent) -> None:
    """Each response has the event of its request; some move the start, some the end, and some only change the title."""
    bookings, booked = concurrent
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
    assert bookings.busy(until=165) == expected
