"""Endpoints 5 to 7: events and busy intervals of the connected calendar.

Times of responses are local times of Berlin with their offset; a new start alone leaves the end where it is; conflicts of
an update are checked only on request; busy intervals are cut to the range, newest event first.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from .app import Call, Refusal, operation
from .checks import checked, email, flag, mapping, minutes, text, timestamp, zone
from .world import Json

HOME = "Europe/Berlin"
_TIMES = {"start": timestamp, "end": timestamp, "durationMinutes": minutes, "timeZone": zone}
_EVENTS = "/projects/{projectId}/calendar/provider/events"


@operation("calendar_book", f"POST {_EVENTS}", needs="calendar:write")
def book(call: Call) -> Json:
    """Book an event; it needs an end or a duration."""
    body = checked(
        call,
        ("start", "summary"),
        **_TIMES,
        summary=text(1),
        description=text(),
        calendarId=text(1),
        attendee=attendee,
        metadata=mapping,
        conflictCheck=flag,
    )
    calendar = named_calendar(call, body.get("calendarId"))
    if not writable(call, calendar):
        raise Refusal(403, "The calendar is read-only.", "scope_missing")
    begin = instant(body["start"], body.get("timeZone"))
    end = end_of(body, begin)
    if end is None:
        raise Refusal(422, "An event needs an end or a duration.", "invalid")
    require_order(begin, end)
    if checks_conflicts(body) and taken(call, calendar, begin, end):
        raise Refusal(409, "The slot is taken.", "slot_taken")
    event = {
        "uid": f"{uuid4().hex}@second",
        "calendar": calendar,
        "begin": begin,
        "end": end,
        "summary": body["summary"],
        "description": body.get("description"),
        "attendee": body.get("attendee"),
        "metadata": body.get("metadata"),
    }
    write(call, event)
    return shown(call, event)


@operation("calendar_reschedule", f"PATCH {_EVENTS}/{{eventId}}", needs="calendar:write")
def reschedule(call: Call) -> Json:
    body = checked(
        call,
        (),
        **_TIMES,
        calendarId=text(1),
        summary=text(1),
        description=text(),
        conflictCheck=flag,
        notifyAttendees=flag,
    )
    event = find_event(call, body.get("calendarId"))
    if not writable(call, event["calendar"]):
        raise Refusal(403, "The calendar is read-only.", "scope_missing")
    begin = instant(body["start"], body.get("timeZone")) if "start" in body else event["begin"]
    end = end_of(body, begin) or event["end"]
    require_order(begin, end)
    if rechecks_conflicts(body) and taken(call, event["calendar"], begin, end, but=event["uid"]):
        raise Refusal(409, "The slot is taken.", "slot_taken")
    changed = {
        **event,
        "begin": begin,
        "end": end,
        **{name: body[name] for name in ("summary", "description") if name in body},
    }
    write(call, changed)
    return shown(call, changed)


@operation("calendar_busy", "GET /projects/{projectId}/calendar/provider/busy", needs="calendar:read", bad_request=400)
def busy(call: Call) -> Json:
    for name in ("timeMin", "timeMax"):
        if not timestamp(call.query.get(name)):
            raise Refusal(400, f"{name} is not a timestamp.", "invalid")
    begin, end = (instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
    require_order(begin, end)
    calendar = named_calendar(call, call.query.get("calendarId"))
    events = [event for event in events_of(call, calendar) if in_range(event, begin, end)]
    return {
        "busy": [
            {"start": wire(max(event["begin"], begin)), "end": wire(min(event["end"], end)), "kind": "busy"}
            for event in reversed(events)
        ]
    }


def attendee(value: Any) -> bool:
    return isinstance(value, dict) and all(
        (email if name == "email" else text())(member)
        for name, member in value.items()
        if name in {"name", "email", "phone"}
    )


def named_calendar(call: Call, id: str | None) -> str:
    """Return the identifier of a calendar of the project; without a name, that of the primary one."""
    calendars = call.world.calendars[call.project]
    if id is None:
        return calendars[0]["id"]
    if not any(calendar["id"] == id for calendar in calendars):
        raise Refusal(404, "There is no such calendar.")
    return id


def writable(call: Call, calendar: str) -> bool:
    """Return whether the connection of a calendar has granted the write scope."""
    return next(known["writable"] for known in call.world.calendars[call.project] if known["id"] == calendar)


def find_event(call: Call, calendar: str | None) -> Json:
    """Return the addressed event; if a calendar is named, it must be in it."""
    named = {} if calendar is None else {"calendar": calendar}
    event: Json = call.find("events", call.path["eventId"], "event", **named)
    return event


def write(call: Call, event: Json) -> None:
    call.world.events[call.project, event["uid"]] = event


def events_of(call: Call, calendar: str) -> list[Json]:
    """Return the events of a calendar, oldest first."""
    return [
        event
        for (project, _), event in call.world.events.items()
        if (project, event["calendar"]) == (call.project, calendar)
    ]


def in_range(event: Json, begin: datetime, end: datetime) -> bool:
    return bool(event["begin"] < end and begin < event["end"])


def taken(call: Call, calendar: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
    return any(overlaps(event, begin, end) for event in events_of(call, calendar) if event["uid"] != but)


def overlaps(event: Json, begin: datetime, end: datetime) -> bool:
    return bool(event["begin"] < end and begin < event["end"])


def checks_conflicts(body: Json) -> bool:
    return bool(body.get("conflictCheck", True))


def rechecks_conflicts(body: Json) -> bool:
    return bool(body.get("conflictCheck", False))


def instant(value: str, name: str | None) -> datetime:
    """Return the instant of a timestamp; without an offset, it is a local time of a zone."""
    read = datetime.fromisoformat(value.upper().replace(",", "."))
    return (read if read.tzinfo else read.replace(tzinfo=ZoneInfo(name or HOME))).astimezone(UTC)


def end_of(body: Json, begin: datetime) -> datetime | None:
    """Return the end of an event, from its end or its duration; None without both."""
    if "end" in body:
        return instant(body["end"], body.get("timeZone"))
    return begin + timedelta(minutes=body["durationMinutes"]) if "durationMinutes" in body else None


def require_order(begin: datetime, end: datetime) -> None:
    """Refuse an end that is not after the start."""
    if end <= begin:
        raise Refusal(422, "The end is not after the start.", "invalid")


def shown(call: Call, event: Json) -> Json:
    """Return the booking result of an event."""
    return {
        "bookingUid": event["uid"],
        "start": wire(event["begin"]),
        "end": wire(event["end"]),
        "htmlLink": f"https://calendar.example/e/{event['uid']}",
        "calendarId": event["calendar"],
    }


def wire(at: datetime) -> str:
    """Return an instant as a local time of Berlin with its offset."""
    return at.astimezone(ZoneInfo(HOME)).isoformat(timespec="milliseconds")
