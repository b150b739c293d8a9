"""The tables of a world, and how their values are written as JSON where a world is kept in a file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from .domain import Calendar, Event, Identity, Invitation, Json, ObjectType, Part, Template
from .store import Table


def _itself(value: Any) -> Any:
    return value


def _event_out(event: Event) -> Json:
    return {
        "uid": event.uid,
        "calendarId": event.calendar_id,
        "start": event.start.isoformat(),
        "end": event.end.isoformat(),
        "zone": event.zone,
        "summary": event.summary,
        "description": event.description,
        "attendee": event.attendee,
        "metadata": event.metadata,
    }


def _event_in(value: Json) -> Event:
    start, end = datetime.fromisoformat(value["start"]), datetime.fromisoformat(value["end"])
    rest = (value[name] for name in ("zone", "summary", "description", "attendee", "metadata"))
    return Event(value["uid"], value["calendarId"], start, end, *rest)


def _calendar_out(calendar: Calendar) -> Json:
    blocks = [[start.isoformat(), end.isoformat()] for start, end in calendar.blocks]
    return {"id": calendar.id, "scopes": sorted(calendar.scopes), "blocks": blocks}


def _calendar_in(value: Json) -> Calendar:
    blocks = ((datetime.fromisoformat(start), datetime.fromisoformat(end)) for start, end in value["blocks"])
    return Calendar(value["id"], frozenset(value["scopes"]), tuple(blocks))


def _template_out(template: Template) -> Json:
    parts = [{"entity": part.entity, "body": part.body, "fails": part.fails} for part in template.parts]
    return {"id": template.id, "name": template.name, "variables": list(template.variables), "parts": parts}


def _template_in(value: Json) -> Template:
    parts = (Part(part["entity"], part["body"], part["fails"]) for part in value["parts"])
    return Template(value["id"], value["name"], tuple(value["variables"]), tuple(parts))


def _fields(kind: Callable[..., Any], *names: str) -> tuple[Callable[[Any], Json], Callable[[Json], Any]]:
    return lambda value: {name: getattr(value, name) for name in names}, lambda value: kind(**value)


def _json(name: str) -> Table[Json]:
    return Table(name, _itself, _itself)


# The world's own.
PROJECTS: Final = _json("projects")
IDENTITIES: Final[Table[Identity]] = Table("identities", *_fields(Identity, "key", "id", "name", "kind", "home"))
OUTBOX: Final[Table[Invitation]] = Table(
    "outbox", *_fields(Invitation, "to", "kind", "booking_uid", "summary", "start", "end")
)

# A project's.
MEMBERS: Final[Table[str]] = Table("members", _itself, _itself)
ROLES: Final[Table[frozenset[str]]] = Table("roles", sorted, frozenset)
OBJECT_TYPES: Final[Table[ObjectType]] = Table("object_types", *_fields(ObjectType, "slug", "name", "links_to_person"))
OBJECT_RELATIONS: Final = _json("object_relations")
RECORDS: Final = _json("records")
RELATIONS: Final = _json("relations")
WORKFLOWS: Final = _json("workflows")
CALENDARS: Final = Table("calendars", _calendar_out, _calendar_in)
EVENTS: Final = Table("events", _event_out, _event_in)
TEMPLATES: Final = Table("templates", _template_out, _template_in)
MEMORY: Final = _json("memory")
AGENTS: Final = _json("agents")
ACCOUNTS: Final = _json("accounts")
POSTS: Final = _json("posts")
MEDIA: Final[Table[list[Json]]] = Table("media", _itself, _itself)
LIKES: Final = _json("likes")
MENU_ITEMS: Final = _json("menu_items")
SETTINGS: Final[Table[Any]] = Table("settings", _itself, _itself)

TABLES: Final[dict[str, Table[Any]]] = {
    table.name: table
    for table in (
        PROJECTS,
        IDENTITIES,
        OUTBOX,
        MEMBERS,
        ROLES,
        OBJECT_TYPES,
        OBJECT_RELATIONS,
        RECORDS,
        RELATIONS,
        WORKFLOWS,
        CALENDARS,
        EVENTS,
        TEMPLATES,
        MEMORY,
        AGENTS,
        ACCOUNTS,
        POSTS,
        MEDIA,
        LIKES,
        MENU_ITEMS,
        SETTINGS,
    )
}
