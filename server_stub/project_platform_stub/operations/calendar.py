"""Endpoints 5 to 7: book, reschedule, and list busy intervals on the connected external calendar."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

from project_platform_stub.http.errors import bad_request, conflict, forbidden, not_found
from project_platform_stub.http.timestamps import local_time, read_time, read_zone
from project_platform_stub.world.domain import Calendar, Event, Invitation, Json

from . import Call, Result, operation

WRITE_SCOPE = "calendar-events:write"
DEFAULT_LENGTH = timedelta(minutes=30)


@operation(
    *("calendar_book", "start", "end", "durationMinutes", "timeZone", "conflictCheck", "calendarId"),
    *("summary", "description", "attendee", "metadata"),
)
def book(call: Call) -> Result:
    """Write an event to the calendar and invite the attendee, unless the slot is taken."""
    body = call.body
    calendar = _calendar(call, body.get("calendarId"))
    _require_write_scope(calendar)
    zone = read_zone(body["timeZone"], "body.timeZone") if "timeZone" in body else None
    start = read_time(body["start"], zone, "body.start")
    end = _end(body, start, zone, DEFAULT_LENGTH)
    if body.get("conflictCheck", True):
        _require_free(call, calendar, start, end)
    event = Event(
        uid=call.world.new_id("evt"),
        calendar_id=calendar.id,
        start=start,
        end=end,
        zone=zone,
        summary=body["summary"],
        description=body.get("description"),
        attendee=body.get("attendee"),
        metadata=body.get("metadata"),
    )
    call.project.events[event.uid] = event
    _mail(call, event, "invitation")
    return Result(_booking(calendar, event))


@operation(
    *("calendar_reschedule", "start", "end", "durationMinutes", "timeZone", "conflictCheck", "calendarId"),
    *("summary", "description", "notifyAttendees"),
)
def reschedule(call: Call) -> Result:
    """Move an event, or change its title or description, and notify the attendee unless `notifyAttendees` is false."""
    body, uid = call.body, call.path["eventId"]
    # Assumed: without calendarId the event may be on any calendar, with it only on that one.
    named = _calendar(call, body["calendarId"]) if "calendarId" in body else None
    event = call.project.events.get(uid)
    if event is None or (named and named.id != event.calendar_id):
        raise not_found("The calendar has no such event.", "event_not_found")
    calendar = call.project.calendars[event.calendar_id]
    _require_write_scope(calendar)
    zone = read_zone(body["timeZone"], "body.timeZone") if "timeZone" in body else event.zone
    start = read_time(body["start"], zone, "body.start") if "start" in body else event.start
    end = _end(body, start, zone, event.end - event.start)
    # A new title alone takes no slot, so an event that overlaps another one can still be renamed.
    if (start, end) != (event.start, event.end) and body.get("conflictCheck", True):
        _require_free(call, calendar, start, end, ignored=uid)
    event = replace(
        event,
        start=start,
        end=end,
        zone=zone,
        # Assumed: the minimum length of a summary is stated only for a booking, so an empty one is accepted here.
        summary=body.get("summary", event.summary),
        description=body.get("description", event.description),
    )
    call.project.events[uid] = event
    if body.get("notifyAttendees", True):
        _mail(call, event, "update")
    return Result(_booking(calendar, event))


@operation("calendar_busy", "calendarId", "timeMin", "timeMax")
def busy(call: Call) -> Result:
    """List the busy intervals of the calendar that overlap the range: unclipped, merged, and in order."""
    query = call.query
    calendar = _calendar(call, query.get("calendarId"))
    start = read_time(query["timeMin"], None, "query.timeMin")
    end = read_time(query["timeMax"], None, "query.timeMax")
    if end <= start:
        raise bad_request("query.timeMax", "must be after query.timeMin")
    merged: list[tuple[datetime, datetime]] = []
    for begins, ends in sorted(slot for slot in _busy(call, calendar) if _overlap(slot, (start, end))):
        if merged and begins < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], ends))
        else:
            merged.append((begins, ends))
    return Result(
        {"busy": [{"start": local_time(begins, None), "end": local_time(ends, None)} for begins, ends in merged]}
    )


def _calendar(call: Call, id: str | None) -> Calendar:
    """Return the calendar with this identifier, the primary one if none is given."""
    # An empty identifier was given, and names no calendar.
    wanted = call.project.primary_calendar if id is None else id
    calendar = None if wanted is None else call.project.calendars.get(wanted)
    if calendar is None:
        raise not_found("The project has no such calendar connected.", "calendar_not_found")
    return calendar


def _require_write_scope(calendar: Calendar) -> None:
    if WRITE_SCOPE not in calendar.scopes:
        raise forbidden("The calendar connection has not granted the calendar-events write scope.", "missing_scope")


def _require_free(
    call: Call, calendar: Calendar, start: datetime, end: datetime, *, ignored: str | None = None
) -> None:
    if any(_overlap(slot, (start, end)) for slot in _busy(call, calendar, ignored)):
        raise conflict("The slot was taken; nothing was written.", "slot_taken")


def _busy(call: Call, calendar: Calendar, ignored: str | None = None) -> list[tuple[datetime, datetime]]:
    """Return the busy intervals of a calendar, except for the event with the `ignored` identifier."""
    events = (event for event in call.project.events.all() if event.calendar_id == calendar.id)
    return [*calendar.blocks, *((event.start, event.end) for event in events if event.uid != ignored)]


def _overlap(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
    # Half-open intervals: one that ends when the other begins does not overlap it.
    return one[0] < other[1] and other[0] < one[1]


def _end(body: Json, start: datetime, zone: str | None, default: timedelta) -> datetime:
    """Return the end of an event: `end`, the start plus `durationMinutes` of elapsed time, or plus a default length."""
    # 30.0 is an integer to JSON Schema, and a Decimal here.
    length = timedelta(minutes=int(body["durationMinutes"])) if "durationMinutes" in body else default
    if "end" in body:
        end = read_time(body["end"], zone, "body.end")
        if end <= start:
            raise bad_request("body.end", "must be after the start")
        return end
    try:
        return start + length
    except OverflowError:
        raise bad_request("body.start", "is out of range") from None


def _booking(calendar: Calendar, event: Event) -> Json:
    return {
        "bookingUid": event.uid,
        "start": local_time(event.start, event.zone),
        "end": local_time(event.end, event.zone),
        "htmlLink": f"https://calendar.example/events/{event.uid}",
        "calendarId": calendar.id,
    }


def _mail(call: Call, event: Event, kind: Literal["invitation", "update"]) -> None:
    address = (event.attendee or {}).get("email")
    if address:
        start, end = local_time(event.start, event.zone), local_time(event.end, event.zone)
        mail = Invitation(address, kind, event.uid, event.summary, start, end)
        call.world.outbox.append(mail)
