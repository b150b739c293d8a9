"""A test books in a stretch of the calendar in which no other test, of this run or of another one, books."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from project_platform_contract.suite.support.calendar import Bookings, moment, wire
from project_platform_contract.suite.support.calendar_dates import clock_changes, repeated_hour, special

FREE_SLOT = "2027-03-26T12:00:00Z"  # The clocks of Berlin change on 28 March.
HOUR = timedelta(hours=1)


@dataclass
class Calendar:
    """Answers queries for busy intervals, and is the run that reserves stretches."""

    booked: list[tuple[datetime, datetime]] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=lambda: {"free_slot": FREE_SLOT})
    locks: object | None = None
    reserved: list[datetime] = field(default_factory=list)
    while_reserved: list[tuple[datetime, datetime]] = field(default_factory=list)

    def __call__(self, operation: str, *, query: dict[str, str]) -> httpx.Response:
        first, last = moment(query["timeMin"]), moment(query["timeMax"])
        busy = [{"start": wire(start), "end": wire(end)} for start, end in self.booked if start < last and end > first]
        return httpx.Response(200, json={"busy": busy})

    def gate(self, operation: str) -> None:
        """No operation is down."""

    def reserve(self, begin: datetime) -> bool:
        """Reserve every stretch once, and let another run have booked before."""
        self.booked += self.while_reserved
        if begin in self.reserved:
            return False
        self.reserved.append(begin)
        return True


def stretch(calendar: Any, **options: Any) -> datetime:
    return Bookings(calendar, calendar, **options).begin


def test_two_tests_have_different_stretches() -> None:
    calendar = Calendar()

    stretches = [stretch(calendar) for _ in range(20)]

    assert len({*stretches}) == 20


@pytest.mark.parametrize("options", [{}, {"long": True}, {"months": (6, 7)}])
def test_no_stretch_is_where_tests_book_at_fixed_times(options: dict[str, Any]) -> None:
    """Not on the days of clock changes, and not at the ends of particular months."""
    calendar = Calendar()
    length = timedelta(days=2) if "long" in options else 3 * HOUR

    begins = [stretch(calendar, **options) for _ in range(30)]

    for first, last in special(moment(FREE_SLOT)):
        assert not [begin for begin in begins if begin < last and begin + length > first]


def test_a_stretch_that_another_run_booked_after_the_query_is_not_used() -> None:
    """It may have ended, and released its reservation, since the busy intervals were read."""
    alone = stretch(Calendar(locks=object()))
    calendar = Calendar(locks=object(), while_reserved=[(alone, alone + HOUR)])

    assert stretch(calendar) == alone + 3 * HOUR


@pytest.mark.parametrize(
    ("zone", "changes", "repeats"),
    [
        ("Europe/Berlin", ["2027-03-28T01:00", "2027-10-31T01:00"], "2027-10-31T01:00"),
        ("Australia/Lord_Howe", ["2027-04-03T15:00", "2027-10-02T15:30"], "2027-04-03T15:00"),
        ("Pacific/Chatham", ["2027-04-03T14:00", "2027-09-25T14:00"], "2027-04-03T14:00"),
    ],
)
def test_clocks_change_at_these_instants(zone: str, changes: list[str], repeats: str) -> None:
    """As the IANA time zone database has them; a day before, they have the other offset."""
    found = clock_changes(moment(FREE_SLOT), zone)

    assert found == [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in changes]
    assert repeated_hour(moment(FREE_SLOT), zone) == datetime.fromisoformat(repeats).replace(tzinfo=UTC)
    for change in found:
        before, after = ((change + step).astimezone(ZoneInfo(zone)).utcoffset() for step in (-HOUR / 60, 0 * HOUR))
        assert before != after
