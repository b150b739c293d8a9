"""The calendars of a world file, with their events and busy intervals."""

from __future__ import annotations

from datetime import datetime, timedelta

from project_platform_stub.operations.calendar import DEFAULT_LENGTH, WRITE_SCOPE
from project_platform_stub.world.domain import Calendar, Event, Json

from .scope import Scope, ids_by_name
from .times import read_moment

READ_SCOPE = "calendar-events:read"


def add_calendars(scope: Scope, content: Json) -> None:
    """Connect the calendars of a project; the first one is the primary one unless the file names another."""
    calendars: list[Json] = content.get("calendars", [])
    for item in calendars:
        blocks = [
            (read_moment(block["start"], scope.now), read_moment(block["end"], scope.now))
            for block in item.get("busy", ())
        ]
        scopes = frozenset(item.get("scopes", (READ_SCOPE, WRITE_SCOPE)))
        scope.project.calendars[item["id"]] = Calendar(item["id"], scopes, tuple(blocks))
        for event in (_event(scope, event_item, item["id"]) for event_item in item.get("events", ())):
            scope.project.events[event.uid] = event
    ids = [item["id"] for item in calendars]
    if "primaryCalendar" in content:
        scope.project.primary_calendar = ids_by_name(calendars, ids).get(content["primaryCalendar"] or "")
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
