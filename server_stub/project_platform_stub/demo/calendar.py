"""Calendars of the demo world."""

from __future__ import annotations

from datetime import datetime, timedelta

from project_platform_stub.operations.calendar import WRITE_SCOPE
from project_platform_stub.world.domain import Calendar, Event
from project_platform_stub.world.store import Contents, Project

READ_SCOPE = "calendar-events:read"


def add_calendars(world: Contents, project: Project, day: datetime) -> None:
    """Connect the primary calendar, with an event and a busy interval, and one with a read-only connection.

    Args:
        world: The generator of identifiers.
        project: The project.
        day: Midnight, in UTC, of the day of the event.
    """
    lunch = (day + timedelta(hours=12), day + timedelta(hours=13))
    holiday = (day + timedelta(hours=8), day + timedelta(hours=18))
    primary = Calendar("team@calendar.example", frozenset({READ_SCOPE, WRITE_SCOPE}), (lunch,))
    read_only = Calendar("holidays@calendar.example", frozenset({READ_SCOPE}), (holiday,))
    event = Event(
        uid=world.ids.short("evt"),
        calendar_id=primary.id,
        start=day + timedelta(hours=9),
        end=day + timedelta(hours=10),
        zone=None,
        summary="Site visit",
        attendee={"name": "Ada Lovelace", "email": "ada@example.com"},
    )
    project.events[event.uid] = event
    project.calendars.update({calendar.id: calendar for calendar in (primary, read_only)})
    project.primary_calendar = primary.id
