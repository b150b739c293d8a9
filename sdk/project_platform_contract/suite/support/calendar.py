"""Bookings of a test, in a stretch of the calendar that is free."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .calendar_dates import special

# Length of the stretch of one test. Events cannot be deleted, so every run uses other stretches.
_STRETCH = timedelta(hours=3)
_LONG_STRETCH = timedelta(days=2)
_RANGE = timedelta(days=28)  # Length of a query; providers do not list much more in one response.
_RANGES = 13  # Number of queries; together they cover a year.
_LONG_RANGE = 5  # The first range with long stretches; the short ones of many runs end before it.

ZONES = ("Asia/Kolkata", "America/New_York", "Australia/Sydney")
"""One with an offset of a half hour, and two of which always one has daylight saving time."""

SEASONS = {"June or July": (6, 7), "December or January": (12, 1)}
"""Months in which either the north or the south has daylight saving time."""

Minutes = tuple[float, float]


class Bookings:
    """Bookings of one test; they remain after it. Times are minutes from the start of the test's stretch.

    Args:
        api: The `Api` that books.
        run: The run that the test belongs to.
        months: Months in which the stretch begins; empty for all.
        long: Whether the stretch takes two days instead of three hours.
        begin: Start of the stretch, which need not be free; None for the first one that is.
        project: The project of the requests; None for that of the run.
    """

    def __init__(
        self,
        api: Api,
        run: Run,
        *,
        months: Collection[int] = (),
        long: bool = False,
        begin: datetime | None = None,
        project: str | None = None,
    ) -> None:
        self._api = api
        self._path: dict[str, Any] = {} if project is None else {"projectId": project}
        self._run = run
        self._months = months
        self._long = long
        self._begin = begin

    @cached_property
    def begin(self) -> datetime:
        """Start of the stretch that is reserved for the test."""
        if self._begin is not None:
            return self._begin
        first = moment(self._run.data["free_slot"])
        for since in (first + number * _RANGE for number in range(_LONG_RANGE if self._long else 0, _RANGES)):
            if self._months and since.month not in self._months:
                continue
            stretches = range(_RANGE // self._length)
            taken: set[int] = set()
            for start, end in (*self._taken(since, since + _RANGE), *special(first)):
                first_taken, after = (start - since) // self._length, -((since - end) // self._length)
                taken.update(stretches[max(first_taken, 0) : max(after, 0)])
            for index in stretches:
                begin = since + index * self._length
                if index not in taken and self._run.reserve(begin) and not self._is_booked(begin):
                    return begin
        months = f" that begins in the months {sorted(self._months)}" if self._months else ""
        raise MissingError(
            f"the calendar has no free stretch of {self._length}{months} in the year from 'free_slot' on"
        )

    @property
    def _length(self) -> timedelta:
        return _LONG_STRETCH if self._long else _STRETCH

    def _is_booked(self, begin: datetime) -> bool:
        """Return whether another run booked a stretch, and ended, since the busy intervals were read."""
        return self._run.locks is not None and bool(self._taken(begin, begin + self._length))

    def _taken(self, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
        try:
            return intervals(busy(self._api, start, end))
        except (AssertionError, KeyError, TypeError, ValueError) as error:
            raise MissingError(f"the busy intervals could not be read to find a free stretch: {error}") from None

    def at(self, minutes: float) -> str:
        """Return an instant of the stretch, in UTC."""
        return wire(self.begin + timedelta(minutes=minutes))

    def local(self, minutes: float, clocks: tzinfo) -> str:
        """Return an instant of the stretch in a time zone, without its offset."""
        return (self.begin + timedelta(minutes=minutes)).astimezone(clocks).replace(tzinfo=None).isoformat()

    def with_offset(self, minutes: float, offset: str) -> str:
        """Return an instant of the stretch with an offset, such as `+05:30`."""
        clocks = datetime.strptime(offset, "%z").tzinfo
        assert clocks is not None
        return self.local(minutes, clocks) + offset

    def post(self, start: float, until: float | None = None, /, **body: Any) -> httpx.Response:
        """Send a booking whose summary is the run's tag, and return the response.

        Args:
            start: Start of the event.
            until: End of the event; None omits it.
            body: Further members of the body; they override those above.
        """
        end = {} if until is None else {"end": self.at(until)}
        body = {"start": self.at(start), **end, "summary": self._run.tag, **body}
        return self._api("calendar_book", json=body, **self._path)

    def book(self, start: float = 0, until: float = 30, /, **body: Any) -> dict[str, Any]:
        """Book an event, and return the booking."""
        response = self.post(start, until, **body)
        assert response.is_success, f"nothing could be booked: {response.status_code}"
        return dict(response.json())

    def move(self, booking: dict[str, Any], **body: Any) -> httpx.Response:
        """Update a booking, and return the response."""
        return self._api("calendar_reschedule", eventId=booking["bookingUid"], json=body, **self._path)

    def span(self, booking: dict[str, Any]) -> Minutes:
        """Return the start and the end of a booking."""
        return self._minutes(booking["start"]), self._minutes(booking["end"])

    def listed(self, query: dict[str, str]) -> list[Minutes]:
        """List busy intervals, and return them as they are listed."""
        response = self.query(query)
        assert response.is_success, f"busy intervals could not be listed: {response.status_code}"
        return [self._span_of(interval) for interval in response.json()["busy"]]

    def query(self, query: dict[str, str]) -> httpx.Response:
        """List busy intervals, and return the response."""
        return self._api("calendar_busy", query=query, **self._path)

    def busy(self, calendar: str | None = None) -> list[Minutes]:
        """Return the busy intervals in the stretch; intervals that touch are joined."""
        named = {} if calendar is None else {"calendarId": calendar}
        query = {"timeMin": wire(self.begin), "timeMax": wire(self.begin + self._length), **named}
        spans: list[Minutes] = []
        for start, end in sorted(self.listed(query)):
            if spans and start <= spans[-1][1]:
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            else:
                spans.append((start, end))
        return spans

    def _span_of(self, interval: dict[str, Any]) -> Minutes:
        return self._minutes(interval["start"]), self._minutes(interval["end"])

    def _minutes(self, text: str) -> float:
        return (moment(text) - self.begin) / timedelta(minutes=1)


def busy(api: Api, start: datetime, end: datetime, calendar: str | None = None) -> httpx.Response:
    """List busy intervals, by default of the primary calendar, and return the response."""
    query = {} if calendar is None else {"calendarId": calendar}
    return api("calendar_busy", query={"timeMin": wire(start), "timeMax": wire(end), **query})


def intervals(response: httpx.Response) -> list[tuple[datetime, datetime]]:
    """Return the busy intervals of a response."""
    assert response.is_success, f"busy intervals could not be listed: {response.status_code}"
    return [(moment(interval["start"]), moment(interval["end"])) for interval in response.json()["busy"]]


def moment(text: str) -> datetime:
    """Return the instant of a timestamp; one without an offset is in UTC."""
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def wire(at: datetime) -> str:
    """Return an instant as a timestamp in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
