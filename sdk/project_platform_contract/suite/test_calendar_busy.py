"""Endpoints 7: list busy intervals.

All but one of these tests read what is on the calendar and book nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings, busy, intervals

_SECOND = timedelta(seconds=1)
_DAYS = 28  # Length of a query; providers do not list much more in one response.

Interval = tuple[datetime, datetime]
Range = Callable[[], Interval]


@pytest.fixture
def around_now(api: Api) -> Range:
    """Returns a range of 28 days, before or after now, in which the primary calendar is busy."""

    def around_now() -> Interval:
        now = datetime.now(UTC).replace(microsecond=0)
        for start in (now, now - timedelta(days=_DAYS)):
            if intervals(busy(api, start, start + timedelta(days=_DAYS))):
                return start, start + timedelta(days=_DAYS)
        raise MissingError(f"the primary calendar is never busy in the {_DAYS} days before and after now")

    return around_now


@pytest.fixture
def an_interval(api: Api, around_now: Range) -> Range:
    """Returns a busy interval of the primary calendar."""

    def an_interval() -> Interval:
        start, end = around_now()
        # The service may cut an interval that began before the range, so its start is unknown.
        complete = [interval for interval in intervals(busy(api, start, end)) if interval[0] > start]
        if not complete:
            raise MissingError("no busy interval starts in the 28 days before or after now")
        return min(complete)

    return an_interval


@pytest.mark.rule("calendar.busy.answers-intervals")
def test_listed_intervals_overlap_the_range(api: Api, around_now: Range, fact: Fact) -> None:
    start, end = around_now()

    response = busy(api, start, end)

    listed = intervals(response)
    assert all(begins < ends for begins, ends in listed)
    assert all(begins < end and start < ends for begins, ends in listed)
    fact("successStatus.calendar_busy", response.status_code, response)


@pytest.mark.rule("calendar.busy.answers-intervals")
def test_an_interval_around_the_range_is_listed(api: Api, an_interval: Range, fact: Fact) -> None:
    start, end = an_interval()
    third = (end - start) / 3

    response = busy(api, start + third, end - third)

    listed = intervals(response)
    assert any(begins <= start + third and end - third <= ends for begins, ends in listed)
    fact("calendar.busy-intervals", "whole" if (start, end) in listed else "cut to the range", response)


@pytest.mark.rule("calendar.busy.answers-intervals")
def test_an_interval_outside_of_the_range_is_not_listed(api: Api, an_interval: Range) -> None:
    start, _ = an_interval()

    assert start not in [begins for begins, _ in intervals(busy(api, start - 2 * _SECOND, start - _SECOND))]


@pytest.mark.rule("fields.busy.types")
def test_start_and_end_of_an_interval_are_strings(api: Api, around_now: Range) -> None:
    start, end = around_now()

    for interval in busy(api, start, end).json()["busy"]:
        assert isinstance(interval["start"], str)
        assert isinstance(interval["end"], str)


@pytest.mark.rule("calendar.busy.time-min-inclusive")
def test_an_interval_that_starts_with_the_range_is_listed(api: Api, an_interval: Range) -> None:
    """`timeMin` is inclusive."""
    start, _ = an_interval()

    assert start in [begins for begins, _ in intervals(busy(api, start, start + _SECOND))]


@pytest.mark.rule("calendar.busy.time-max-exclusive")
def test_an_interval_that_starts_as_the_range_ends_is_not_listed(api: Api, an_interval: Range) -> None:
    """`timeMax` is exclusive."""
    start, _ = an_interval()

    assert start not in [begins for begins, _ in intervals(busy(api, start - _SECOND, start))]


@pytest.mark.rule("calendar.busy.offsets")
@pytest.mark.parametrize("offset", [timedelta(hours=5, minutes=30), timedelta(hours=-3)], ids=["east", "west"])
def test_a_range_with_another_offset_is_the_same(api: Api, an_interval: Range, offset: timedelta) -> None:
    start, _ = an_interval()
    clocks = timezone(offset)
    query = {
        "timeMin": start.astimezone(clocks).isoformat(),
        "timeMax": (start + _SECOND).astimezone(clocks).isoformat(),
    }

    assert intervals(api("calendar_busy", query=query)) == intervals(busy(api, start, start + _SECOND))
    assert intervals(busy(api, start, start + _SECOND))


@pytest.mark.rule("calendar.busy.parameter-types")
@pytest.mark.parametrize("name", ["timeMin", "timeMax"])
def test_a_value_that_is_not_a_timestamp_is_refused(api: Api, name: str) -> None:
    """With any client error."""
    query = {"timeMin": "2031-03-03T00:00:00Z", "timeMax": "2031-03-04T00:00:00Z", name: "soon"}

    assert 400 <= api("calendar_busy", query=query).status_code < 500


@pytest.mark.rule("calendar.busy.primary-calendar")
def test_the_primary_calendar_is_the_default(api: Api, data: Data, around_now: Range) -> None:
    start, end = around_now()

    assert intervals(busy(api, start, end)) == intervals(busy(api, start, end, data["calendar"]))


@pytest.mark.rule("calendar.busy.calendar-id")
def test_an_event_on_another_calendar_is_not_listed(api: Api, contract_run: Run, data: Data) -> None:
    bookings = Bookings(api, contract_run)
    before = bookings.busy(data["read_only_calendar"])

    bookings.book()

    assert bookings.busy(data["read_only_calendar"]) == before
    assert bookings.busy(data["calendar"]) == [(0, 30)]
