"""The tables of a world, and the JSON encoding of their values in a state file."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from .domain import Calendar, Event, Identity, Invitation, Json, ObjectType, Part, Template
from .store import Table


def _unchanged(value: Any) -> Any:
    return value


def _encode_event(event: Event) -> Json:
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


def _decode_event(value: Json) -> Event:
    start, end = datetime.fromisoformat(value["start"]), datetime.fromisoformat(value["end"])
    rest = (value[name] for name in ("zone", "summary", "description", "attendee", "metadata"))
    return Event(value["uid"], value["calendarId"], start, end, *rest)


def _encode_calendar(calendar: Calendar) -> Json:
    blocks = [[start.isoformat(), end.isoformat()] for start, end in calendar.blocks]
    return {"id": calendar.id, "scopes": sorted(calendar.scopes), "blocks": blocks}


def _decode_calendar(value: Json) -> Calendar:
    blocks = ((datetime.fromisoformat(start), datetime.fromisoformat(end)) for start, end in value["blocks"])
    return Calendar(value["id"], frozenset(value["scopes"]), tuple(blocks))


def _encode_template(template: Template) -> Json:
    parts = [{"entity": part.entity, "body": part.body, "fails": part.fails} for part in template.parts]
    return {"id": template.id, "name": template.name, "variables": list(template.variables), "parts": parts}


def _decode_template(value: Json) -> Template:
    parts = (Part(part["entity"], part["body"], part["fails"]) for part in value["parts"])
    return Template(value["id"], value["name"], tuple(value["variables"]), tuple(parts))


def _fields(kind: Callable[..., Any], *names: str) -> tuple[Callable[[Any], Json], Callable[[Json], Any]]:
    return lambda value: {name: getattr(value, name) for name in names}, lambda value: kind(**value)


def _json(name: str) -> Table[Json]:
    return Table(name, _unchanged, _unchanged)


# Tables of the world.
PROJECTS: Final = _json("projects")
IDENTITIES: Final[Table[Identity]] = Table("identities", *_fields(Identity, "key", "id", "name", "kind", "home"))
OUTBOX: Final[Table[Invitation]] = Table(
    "outbox", *_fields(Invitation, "to", "kind", "booking_uid", "summary", "start", "end")
)

# Tables of a project.
MEMBERS: Final[Table[str]] = Table("members", _unchanged, _unchanged)
ROLES: Final[Table[frozenset[str]]] = Table("roles", sorted, frozenset)
OBJECT_TYPES: Final[Table[ObjectType]] = Table("object_types", *_fields(ObjectType, "slug", "name", "links_to_person"))
OBJECT_RELATIONS: Final = _json("object_relations")
RECORDS: Final = _json("records")
RELATIONS: Final = _json("relations")
WORKFLOWS: Final = _json("workflows")
CALENDARS: Final = Table("calendars", _encode_calendar, _decode_calendar)
EVENTS: Final = Table("events", _encode_event, _decode_event)
TEMPLATES: Final = Table("templates", _encode_template, _decode_template)
MEMORY: Final = _json("memory")
AGENTS: Final = _json("agents")
ACCOUNTS: Final = _json("accounts")
POSTS: Final = _json("posts")
MEDIA: Final[Table[list[Json]]] = Table("media", _unchanged, _unchanged)
LIKES: Final = _json("likes")
MENU_ITEMS: Final = _json("menu_items")
SETTINGS: Final[Table[Any]] = Table("settings", _unchanged, _unchanged)

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
