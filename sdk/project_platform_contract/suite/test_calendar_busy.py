"""Endpoints 7: list busy intervals.

The tests of `calendar.busy.every-event` and `calendar.busy.calendar-id` book events, the others only read.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run

from .support.calendar import Bookings, busy, intervals, joined, listed, moment, wire
from .support.preconditions import require_success

_SECOND = timedelta(seconds=1)
_DAYS = 28  # Length of a query; providers do not list much more in one response.
_MANY = 26  # Number of short events; lists are often cut after 10, 20 or 25 items.
_LONG = 60  # Length of a long query in days; a service may refuse it.

Interval = tuple[datetime, datetime]
Range = Callable[[], Interval]


@pytest.fixture
def around_now(api: Api) -> Range:
    """Returns a range of 28 days, before or after now, in which the primary calendar is busy."""

    def around_now() -> Interval:
        # The full hour, so that the tests of a run list the same range.
        now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        for start in (now, now - timedelta(days=_DAYS)):
            if require_success(busy(api, start, start + timedelta(days=_DAYS))).json()["busy"]:
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

    found = listed(response)
    assert all(begins < ends for begins, ends in found)
    assert all(begins < end and start < ends for begins, ends in found)
    fact("successStatus.calendar_busy", response.status_code, response)


@pytest.mark.rule("calendar.busy.answers-intervals")
def test_any_day_can_be_listed(api: Api) -> None:
    """Whichever was listed before."""
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    days = [now + timedelta(days=days) for days in (300, -_DAYS, 0)]

    statuses = [busy(api, day, day + timedelta(days=1)).status_code for day in days]

    if {*statuses} & {401, 403}:
        raise MissingError(f"the caller may not list busy intervals: {statuses}")
    assert [status for status in statuses if not httpx.codes.is_success(status)] == []


@pytest.mark.rule("calendar.busy.answers-intervals")
def test_an_interval_around_the_range_is_listed(api: Api, an_interval: Range, fact: Fact) -> None:
    start, end = an_interval()
    third = (end - start) / 3

    response = busy(api, start + third, end - third)

    listed = intervals(response)
    assert any(begins <= start + third and end - third <= ends for begins, ends in listed)
    fact("calendar.busy-intervals", "whole" if (start, end) in listed else "cut to the range", response)


@pytest.mark.parametrize(
    ("first", "last", "is_listed"),
    [
        pytest.param(-2, -1, False, marks=pytest.mark.rule("calendar.busy.answers-intervals"), id="before it"),
        pytest.param(0, 1, True, marks=pytest.mark.rule("calendar.busy.time-min-inclusive"), id="from its start on"),
        pytest.param(-1, 0, False, marks=pytest.mark.rule("calendar.busy.time-max-exclusive"), id="up to its start"),
    ],
)
def test_an_interval_is_listed_if_the_range_has_its_start(
    api: Api, an_interval: Range, first: int, last: int, is_listed: bool
) -> None:
    """`timeMin` is inclusive, and `timeMax` exclusive; both in seconds from the start."""
    start, _ = an_interval()

    found = intervals(busy(api, start + first * _SECOND, start + last * _SECOND))

    assert (start in [begins for begins, _ in found]) is is_listed


@pytest.mark.rule("calendar.busy.answers-intervals")
def test_the_intervals_of_a_range_are_those_of_its_parts(api: Api, around_now: Range) -> None:
    """If it is split after its first interval, nothing is lost and nothing is added."""
    start, end = around_now()
    listed = _cut(api, start, end)
    middle = min(*(ends for _, ends in listed), end - _SECOND)

    parts = [*_cut(api, start, middle), *_cut(api, middle, end)]

    assert joined(parts) == joined(listed)


@pytest.mark.rule("fields.busy.types")
def test_start_and_end_of_an_interval_are_strings(api: Api, around_now: Range) -> None:
    start, end = around_now()

    for interval in busy(api, start, end).json()["busy"]:
        assert isinstance(interval["start"], str)
        assert isinstance(interval["end"], str)


@pytest.mark.rule("calendar.busy.offset-of-times")
def test_start_and_end_of_an_interval_have_offsets(api: Api, around_now: Range) -> None:
    found = require_success(busy(api, *around_now())).json()["busy"]

    texts = [interval[name] for interval in found for name in ("start", "end")]
    assert [text for text in texts if datetime.fromisoformat(text).tzinfo is None] == []


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
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timeMin", "soon"),
        ("timeMax", "soon"),
        ("timeMin", "2031-02-30T00:00:00Z"),
        ("timeMax", "2031-03-04T25:00:00Z"),
    ],
)
def test_a_value_that_is_not_a_timestamp_is_refused(api: Api, name: str, value: str) -> None:
    """With any client error. A date or an hour that does not exist is none."""
    query = {"timeMin": "2031-02-27T00:00:00Z", "timeMax": "2031-03-04T00:00:00Z", name: value}

    assert 400 <= api("calendar_busy", query=query).status_code < 500


@pytest.mark.rule("calendar.busy.primary-calendar")
def test_the_primary_calendar_is_the_default(api: Api, data: Data, around_now: Range) -> None:
    start, end = around_now()

    assert intervals(busy(api, start, end)) == intervals(busy(api, start, end, data["calendar"]))


@pytest.mark.rule("scope.own-things.calendar-busy")
def test_a_calendar_has_no_intervals_in_another_project(api: Api, data: Data, around_now: Range) -> None:
    """The service may refuse, or list nothing."""
    start, end = around_now()
    query = {"timeMin": wire(start), "timeMax": wire(end), "calendarId": data["calendar"]}

    response = api("calendar_busy", projectId=data["other_project"], query=query)

    assert not response.is_success or response.json()["busy"] == []


@pytest.mark.rule("calendar.busy.every-event")
def test_every_event_is_listed_with_its_times(bookings: Bookings) -> None:
    """However many there are."""
    short = [(number, number + 0.5) for number in range(_MANY)]
    for start, end in reversed(short):
        bookings.book(start, end, conflictCheck=False)

    assert bookings.busy() == short


@pytest.mark.rule("calendar.busy.every-event")
def test_a_long_event_is_listed_in_all_of_its_time(api: Api, contract_run: Run) -> None:
    """Also in ranges that neither begin nor end on the day of its start, or that are much longer than it."""
    bookings = Bookings(api, contract_run, long=True)
    bookings.book(30, 30 + 30 * 60)
    first, last = moment(bookings.at(30)), moment(bookings.at(30 + 30 * 60))
    inside = [(moment(bookings.at(start)), moment(bookings.at(start + 60))) for start in (0, 800, 1500, 1829)]
    lengths = [timedelta(days=days) for days in (2, _DAYS)]
    around = [*((first, first + length) for length in lengths), *((last - length, last) for length in lengths)]

    listed = {range: intervals(busy(api, *range)) for range in (*inside, *around)}

    assert [range for range in inside if not any(a < range[1] and range[0] < b for a, b in listed[range])] == []
    assert [range for range in around if not any(a <= first and last <= b for a, b in listed[range])] == []
    # Later, others may have events.
    assert bookings.busy(until=32 * 60) == [(30, 30 + 30 * 60)]
    assert any(a <= first and last <= b for a, b in intervals(busy(api, last - timedelta(days=_LONG), last)))


@pytest.mark.rule("calendar.busy.every-calendar")
def test_each_calendar_is_busy_during_all_of_its_events(api: Api, contract_run: Run) -> None:
    """Those that others wrote, and those of the service; only a stub shows which these are."""
    project = contract_run.target.stub_project("the events that others wrote")

    for calendar in project.calendars.values():
        own = [(event.start, event.end) for event in project.events.values() if event.calendar_id == calendar.id]
        expected = [(start, end) for start, end in (*calendar.blocks, *own)]
        first, last = min(start for start, _ in expected), max(end for _, end in expected)
        assert intervals(busy(api, first, last, calendar.id)) == joined(expected), calendar.id


@pytest.mark.rule("calendar.busy.calendar-id")
def test_an_unknown_calendar_has_no_intervals(api: Api, contract_run: Run, tag: str) -> None:
    """The service may refuse, but not list those of the primary calendar."""
    bookings = Bookings(api, contract_run)
    bookings.book()
    query = {"timeMin": bookings.at(0), "timeMax": bookings.at(30)}
    assert intervals(api("calendar_busy", query=query))

    response = api("calendar_busy", query={**query, "calendarId": f"{tag}-nothing"})

    assert not response.is_success or response.json()["busy"] == []


@pytest.mark.rule("calendar.busy.calendar-id")
def test_an_event_on_another_calendar_is_not_listed(api: Api, contract_run: Run, data: Data) -> None:
    bookings = Bookings(api, contract_run)
    before = bookings.busy(data["read_only_calendar"])

    bookings.book()

    assert bookings.busy(data["read_only_calendar"]) == before
    assert bookings.busy(data["calendar"]) == [(0, 30)]


def _cut(api: Api, start: datetime, end: datetime) -> list[Interval]:
    """Return the busy intervals of a range, cut to it, as some services do and others do not."""
    return [(max(begins, start), min(ends, end)) for begins, ends in intervals(busy(api, start, end))]
