"""Bookings that a test makes, in a stretch of the calendar that was free before."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

# A test has this much of the calendar to itself. Nothing deletes an event, so every run takes other stretches.
_STRETCH = timedelta(hours=3)
_ASKED = timedelta(days=28)  # At once; providers do not list much more in one answer.
_TIMES = 13  # They make a year.

ZONES = ("Asia/Kolkata", "America/New_York", "Australia/Sydney")
"""One that is half an hour off, and two of which one or the other has daylight saving time."""

Minutes = tuple[float, float]


class Bookings:
    """Bookings of one test; they stay after the run. Times are minutes from the stretch's begin.

    Args:
        api: Calls.
        run: The run that the test belongs to.
    """

    def __init__(self, api: Api, run: Run) -> None:
        self._api = api
        self._run = run

    @cached_property
    def begin(self) -> datetime:
        """When the stretch begins that the test has to itself."""
        first = moment(self._run.data["free_slot"])
        # Each worker of pytest-xdist has stretches of its own, so that none takes another's meanwhile.
        worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        for since in (first + time * _ASKED for time in range(_TIMES)):
            taken = self._taken(since)
            for index in range(worker, _ASKED // _STRETCH, workers):
                begin = since + index * _STRETCH
                if not any(start < begin + _STRETCH and begin < end for start, end in taken):
                    return begin
        raise MissingError("the calendar has no free stretch of three hours in the year from 'free_slot' on")

    def _taken(self, since: datetime) -> list[tuple[datetime, datetime]]:
        try:
            return intervals(busy(self._api, since, since + _ASKED))
        except (AssertionError, KeyError, TypeError, ValueError) as error:
            raise MissingError(f"no free stretch of the calendar could be looked for: {error}") from None

    def at(self, minutes: float) -> str:
        """Return a moment of the stretch, in UTC."""
        return wire(self.begin + timedelta(minutes=minutes))

    def local(self, minutes: float, clocks: tzinfo) -> str:
        """Return a moment of the stretch as other clocks show it, without saying which."""
        return (self.begin + timedelta(minutes=minutes)).astimezone(clocks).replace(tzinfo=None).isoformat()

    def post(self, start: float, until: float | None = None, /, **body: Any) -> httpx.Response:
        """Return the answer to a booking that is named with the run's tag.

        Args:
            start: When it starts.
            until: When it ends; without it the body says so, or nothing does.
            body: What there is beside, or instead.
        """
        end = {} if until is None else {"end": self.at(until)}
        return self._api("calendar_book", json={"start": self.at(start), **end, "summary": self._run.tag, **body})

    def book(self, start: float = 0, until: float = 30, /, **body: Any) -> dict[str, Any]:
        """Return a booking."""
        response = self.post(start, until, **body)
        assert response.is_success, f"nothing could be booked: {response.status_code}"
        return dict(response.json())

    def move(self, booking: dict[str, Any], **body: Any) -> httpx.Response:
        """Return the answer to an update of a booking."""
        return self._api("calendar_reschedule", eventId=booking["bookingUid"], json=body)

    def span(self, booking: dict[str, Any]) -> Minutes:
        """Return from when to when a booking is."""
        return self._minutes(booking["start"]), self._minutes(booking["end"])

    def busy(self, calendar: str | None = None) -> list[Minutes]:
        """Return when the calendar is busy in the stretch; intervals that touch are told as one."""
        response = busy(self._api, self.begin, self.begin + _STRETCH, calendar)
        assert response.is_success, f"busy intervals could not be listed: {response.status_code}"
        spans: list[Minutes] = []
        for start, end in sorted(self._span_of(interval) for interval in response.json()["busy"]):
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
    """Return the answer that lists busy intervals; of the primary calendar if none is named."""
    named = {} if calendar is None else {"calendarId": calendar}
    return api("calendar_busy", query={"timeMin": wire(start), "timeMax": wire(end), **named})


def intervals(response: httpx.Response) -> list[tuple[datetime, datetime]]:
    """Return the busy intervals of an answer."""
    assert response.is_success, f"busy intervals could not be listed: {response.status_code}"
    return [(moment(each["start"]), moment(each["end"])) for each in response.json()["busy"]]


def moment(text: str) -> datetime:
    """Return the moment that a timestamp names; one without offset is taken to be in UTC."""
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def wire(at: datetime) -> str:
    """Return a moment as it is sent."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
