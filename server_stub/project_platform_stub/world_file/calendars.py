"""The calendars of a world file, with what is on them."""

from __future__ import annotations

from datetime import datetime, timedelta

from project_platform_stub.operations.calendar import DEFAULT_LENGTH, WRITE_SCOPE
from project_platform_stub.world.domain import Calendar, Event, Json

from .scope import Scope, named
from .times import read_moment

READ_SCOPE = "calendar-events:read"


def add_calendars(scope: Scope, content: Json) -> None:
    """Connect the calendars of a project; a single one is the primary one unless the file says otherwise."""
    calendars: list[Json] = content.get("calendars", [])
    for item in calendars:
        blocks = [
            (read_moment(each["start"], scope.now), read_moment(each["end"], scope.now))
            for each in item.get("busy", ())
        ]
        scopes = frozenset(item.get("scopes", (READ_SCOPE, WRITE_SCOPE)))
        scope.project.calendars[item["id"]] = Calendar(item["id"], scopes, tuple(blocks))
        for each in item.get("events", ()):
            event = _event(scope, each, item["id"])
            scope.project.events[event.uid] = event
    ids = [item["id"] for item in calendars]
    if "primaryCalendar" in content:
        scope.project.primary_calendar = named(calendars, ids).get(content["primaryCalendar"] or "")
    elif ids:
        scope.project.primary_calendar = ids[0]


def _event(scope: Scope, item: Json, calendar_id: str) -> Event:
    zone = item.get("timeZone")
    start = read_moment(item["start"], scope.now, zone)
    return Event(
        uid=scope.id(item, "evt"),
        calendar_id=calendar_id,
        start=start,
        end=_end(scope, item, start),
        zone=zone,
        summary=item["summary"],
        description=item.get("description"),
        attendee=item.get("attendee"),
        metadata=item.get("metadata"),
    )


def _end(scope: Scope, item: Json, start: datetime) -> datetime:
    if "end" in item:
        return read_moment(item["end"], scope.now, item.get("timeZone"))
    return start + (timedelta(minutes=int(item["durationMinutes"])) if "durationMinutes" in item else DEFAULT_LENGTH)
