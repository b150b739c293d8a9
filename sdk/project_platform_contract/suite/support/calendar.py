"""Bookings of a test, in a stretch of the calendar that is free."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any, Final, TypeVar, cast
from urllib.parse import quote
from zoneinfo import ZoneInfo

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .calendar_dates import special
from .preconditions import accepted, require_success

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
Time = TypeVar("Time", float, datetime)

_SECOND: Final = timedelta(seconds=1)
_SEGMENT: Final = "!$&'()*+,;=:@"  # Characters of a path segment that need not be encoded.
_OFFSET: Final = timedelta(minutes=15)  # The offsets of all zones are multiples of it.
_OFFSETS: Final = (timedelta(hours=-12), timedelta(hours=14))


@dataclass
class _Learned:
    """Facts that a run learned of the calendar.

    Attributes:
        found: Whether an update found an event by its `bookingUid`; None if it is not known.
        default: The `calendarId` of the first booking that named no calendar.
        uids: The `bookingUid` of every response.
        renews: Whether the probe of `require_found` got another `bookingUid`.
        renewed: The last `bookingUid` of events to which an update gave another one, by the first.
        zones: The zone of start and end without offsets, by `bookingUid`, start and end.
    """

    found: bool | None = None
    renews: bool = False
    default: str | None = None
    uids: set[str] = field(default_factory=set)
    renewed: dict[str, str] = field(default_factory=dict)
    zones: dict[tuple[str, str, str], str] = field(default_factory=dict)


def _learned(run: Run) -> _Learned:
    found: _Learned = run.learned.setdefault("calendar", _Learned())
    return found


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
        self._run.gate("calendar_book")  # Its plain request takes a slot, too.
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
        if self._run.locks is None:
            return False
        until = begin + self._length
        return any(begin < end and start < until for start, end in self._taken(begin, until))

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
        begin = {} if "start" in body else {"start": self.at(start)}
        body = {**begin, **end, "summary": self._run.tag, **body}
        response = self._send("calendar_book", body)
        if (booking := _json(response)) and not self._path:
            learned = _learned(self._run)
            learned.uids.add(str(booking.get("bookingUid")))
            if learned.default is None and "calendarId" not in body:
                learned.default = booking.get("calendarId")
        return response

    def book(self, start: float = 0, until: float = 30, /, **body: Any) -> dict[str, Any]:
        """Book an event, and return the booking."""
        return dict(accepted(self.post(start, until, **body)).json())

    def move(self, booking: dict[str, Any], **body: Any) -> httpx.Response:
        """Update a booking, and return the response.

        If an earlier update got a `bookingUid` that no event had, this one addresses the event by it.

        Raises:
            MissingError: Updates do not find events by their `bookingUid`.
        """
        learned = _learned(self._run)
        if learned.found is False:
            require_found(self._api, self._run)
        uid = booking["bookingUid"]
        response = self._send("calendar_reschedule", body, eventId=learned.renewed.get(uid, uid))
        if response.is_success:
            learned.found = True
        elif response.status_code == httpx.codes.NOT_FOUND and self._api.identity == "owner" and not self._path:
            require_found(self._api, self._run)
        if (moved := _json(response)) and (new := str(moved.get("bookingUid"))) not in learned.uids:
            learned.uids.add(new)
            learned.renewed[uid] = new
        return response

    def is_same(self, booking: Mapping[str, Any], moved: Mapping[str, Any]) -> bool:
        """Return whether the response to an update is that of a booking, whose `bookingUid` may be a new one."""
        uid = booking["bookingUid"]
        return bool(moved.get("bookingUid") == _learned(self._run).renewed.get(uid, uid))

    def is_same_calendar(self, one: str | None, other: str | None) -> bool:
        """Return whether two identifiers name one calendar: the primary one may have another name if none is named."""
        values, default = self._run.data.values, _learned(self._run).default
        names = {values.get("calendar"), default}
        return one == other or ({one, other} == names and default != values.get("read_only_calendar"))

    def span(self, booking: Mapping[str, Any]) -> Minutes:
        """Return the start and the end of a booking.

        Raises:
            MissingError: They have no offset, and are not known to be local times of the zone of the request.
        """
        start, end = booking["start"], booking["end"]
        zone = _learned(self._run).zones.get((str(booking.get("bookingUid")), start, end))
        return self._minutes(start, zone), self._minutes(end, zone)

    def _send(self, operation: str, body: dict[str, Any], **path: Any) -> httpx.Response:
        response = self._api(operation, json=body, **path, **self._path)
        if booking := _json(response):
            self._learn_zone(body, booking)
        return response

    def _learn_zone(self, body: Mapping[str, Any], booking: Mapping[str, Any]) -> None:
        """Compare a start without an offset with that of the request, and remember the zone if it is a local time of it."""
        try:
            local = datetime.fromisoformat(booking["start"])
            sent = datetime.fromisoformat(body["start"])
            zone = None if "timeZone" not in body else ZoneInfo(body["timeZone"])
        except (KeyError, TypeError, ValueError, OSError):
            return
        if local.tzinfo is not None or (sent.tzinfo is None and zone is None):
            return
        instant = sent if sent.tzinfo else sent.replace(tzinfo=zone)
        if zone is not None and abs(instant.astimezone(zone).replace(tzinfo=None) - local) < _SECOND:
            _learned(self._run).zones[str(booking.get("bookingUid")), booking["start"], booking["end"]] = zone.key
            return
        offset = local.replace(tzinfo=UTC) - instant
        apart = offset - round(offset / _OFFSET) * _OFFSET
        assert abs(apart) <= _SECOND, f"{booking['start']} is the local time of {body['start']} in no time zone"
        assert _OFFSETS[0] - _SECOND <= offset <= _OFFSETS[1] + _SECOND, f"{booking['start']} is not {body['start']}"

    def listed(self, query: dict[str, str]) -> list[Minutes]:
        """List busy intervals, and return them as they are listed.

        Raises:
            MissingError: The list is refused, which other rules are about.
        """
        return self.spans(require_success(self.query(query)))

    def spans(self, response: httpx.Response) -> list[Minutes]:
        """Return the busy intervals of a response as they are listed."""
        found = response.json()["busy"]
        return [(self._minutes(interval["start"]), self._minutes(interval["end"])) for interval in found]

    def query(self, query: dict[str, str]) -> httpx.Response:
        """List busy intervals, and return the response."""
        return self._api("calendar_busy", query=query, **self._path)

    def busy(self, calendar: str | None = None, *, until: float | None = None) -> list[Minutes]:
        """Return the busy intervals in the stretch, or in its part until a minute; intervals that touch are joined."""
        named = {} if calendar is None else {"calendarId": calendar}
        last = wire(self.begin + self._length) if until is None else self.at(until)
        return joined(self.listed({"timeMin": wire(self.begin), "timeMax": last, **named}))

    def _minutes(self, text: str, zone: str | None = None) -> float:
        return (answered(text, zone) - self.begin) / timedelta(minutes=1)


def require_found(api: Api, run: Run) -> None:
    """Check that updates find events by their `bookingUid`, once for a run.

    The specification does not say that this is the identifier in the path of an update. If each of several updates of new
    events gets a 404, it is another one.

    Raises:
        MissingError: They do not find them.
    """
    learned = _learned(run)
    if learned.found is None:
        learned.found = not all(status == httpx.codes.NOT_FOUND for status in _first_updates(api, run))
    if learned.found is False:
        raise MissingError("updates find no event by its 'bookingUid', and no response has another identifier of it")


def is_listed(api: Api, response: httpx.Response) -> bool:
    """Return whether the busy intervals have the event of a booking; also if they, or its times, cannot be read."""
    try:
        start, end = (answered(_json(response)[name]) for name in ("start", "end"))
        slots = intervals(busy(api, start, end))
    except (AssertionError, KeyError, LookupError, TypeError, ValueError):
        return True
    return any(begins <= start and end <= ends for begins, ends in slots)


def renews(run: Run) -> bool:
    """Return whether updates give events another `bookingUid`; `require_found` must have been called."""
    return _learned(run).renews


def _first_updates(api: Api, run: Run) -> Iterator[int]:
    """Yield the statuses of updates of new events."""
    bookings, calendar = Bookings(api, run), run.data.values.get("calendar")
    named = {} if calendar is None else {"calendarId": calendar}
    for start, more in ((0, {}), (60, {"description": run.tag, **named})):
        uid = require_success(bookings.post(start, start + 10, **more)).json()["bookingUid"]
        slot = {"start": bookings.at(start + 20), "end": bookings.at(start + 30)}
        for body in ({"summary": f"{run.tag} again"}, slot):
            response = api("calendar_reschedule", eventId=uid, json={**body, "notifyAttendees": False})
            if response.status_code == httpx.codes.NOT_FOUND:
                # RFC 3986 section 3.3: these characters need not be encoded, and a service may decode none.
                folder, _, _ = api.path("calendar_reschedule", eventId=uid).rpartition("/")
                path = f"{folder}/{quote(uid, safe=_SEGMENT)}"
                response = api.request("PATCH", path, json={**body, "notifyAttendees": False})
            _learned(run).renews |= str(_json(response).get("bookingUid", uid)) not in _learned(run).uids
            yield response.status_code


def _json(response: httpx.Response) -> dict[str, Any]:
    """Return the object in a response that is a success; an empty one if there is none."""
    try:
        value = response.json() if response.is_success else None
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def busy(api: Api, start: datetime, end: datetime, calendar: str | None = None) -> httpx.Response:
    """List busy intervals, by default of the primary calendar, and return the response."""
    query = {} if calendar is None else {"calendarId": calendar}
    return api("calendar_busy", query={"timeMin": wire(start), "timeMax": wire(end), **query})


def intervals(response: httpx.Response) -> list[tuple[datetime, datetime]]:
    """Return the busy intervals of a response in order; those that touch or overlap are joined.

    Raises:
        MissingError: They have no offsets.
    """
    return joined(listed(response))


def listed(response: httpx.Response) -> list[tuple[datetime, datetime]]:
    """Same as `intervals`, but as they are listed."""
    found = require_success(response).json()["busy"]
    return [(answered(interval["start"]), answered(interval["end"])) for interval in found]


def joined(slots: Iterable[tuple[Time, Time]]) -> list[tuple[Time, Time]]:
    """Return slots in order; those that touch or overlap are joined."""
    found: list[tuple[Time, Time]] = []
    for start, end in sorted(slots):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def answered(text: str, zone: str | None = None) -> datetime:
    """Return the instant of a timestamp of a response.

    Args:
        text: The timestamp.
        zone: The zone of a timestamp without an offset, if it is known.

    Raises:
        MissingError: It has no offset, and its zone is not known.
    """
    read = datetime.fromisoformat(text)
    if read.tzinfo is not None:
        return read
    if zone is None:
        raise MissingError(f"the time {text} of a response has no offset, so its instant is not known")
    return read.replace(tzinfo=ZoneInfo(zone))


def moment(text: str) -> datetime:
    """Return the instant of a timestamp of the data file or of a request; one without an offset is in UTC."""
    read = datetime.fromisoformat(text)
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def wire(at: datetime) -> str:
    """Return an instant as a timestamp in UTC."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
