"""The description of a stub: its address, credentials, and the identifiers of its content."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from project_platform_stub.http.messages import write_json

from .http.timestamps import wire_time
from .world.domain import Json
from .world.store import Project
from .world.world import World

_LISTED = ("templates", "agents", "events", "posts", "accounts", "menu_items", "memory", "object_types", "calendars")


def describe(world: World, base_url: str) -> Json:
    """Return the projects, credentials and identifiers of a world as JSON.

    The identifiers are those of the first project; `details` describes the things behind them.
    """
    project = world.project
    projects = [*world.projects, None, None]
    identities = {identity.key: identity for identity in world.identities.values()}
    return {
        "base_url": base_url,
        "world": world.id,
        "project_id": project.id,
        "other_project_id": projects[1],
        "foreign_project_id": projects[2],
        "tokens": {key: world.token(key) for key in identities},
        "sessions": {key: world.tokens.session(key) for key in identities},
        "records": list(project.records),
        "template": next(iter(project.templates), None),
        **{name: list(getattr(project, name)) for name in _LISTED},
        "details": _details(world, project),
    }


def write_description(path: Path, description: Json) -> None:
    """Write a description as JSON, atomically: a reader never sees a partial file."""
    # One member per line. `write_json`, because a record may contain numbers that `json.dumps` cannot write.
    members = (f"  {json.dumps(name)}: {write_json(value).decode()}" for name, value in description.items())
    text = "{\n" + ",\n".join(members) + "\n}\n"
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(text)
    Path(file.name).replace(path)


def _details(world: World, project: Project) -> dict[str, Any]:
    return {
        "projects": [{"id": item.id, "name": item.name, "slug": item.slug} for item in world.projects.values()],
        "identities": {
            identity.key: {
                "sub": identity.id,
                "kind": identity.kind,
                "project_id": identity.home,
                "permissions": sorted(world.permissions(identity, project)),
            }
            for identity in world.identities.values()
        },
        "records": _select(project.records.values(), "id", "typeSlug", "status", "personRefId", "data"),
        "object_types": [
            {"slug": object_type.slug, "linksToPerson": object_type.links_to_person}
            for object_type in project.object_types.values()
        ],
        "templates": [
            {"id": template.id, "name": template.name, "variables": list(template.variables)}
            for template in project.templates.values()
        ],
        "agents": _select(project.agents.values(), "id", "name", "builtIn"),
        "accounts": _select(project.accounts.values(), "id", "platform", "username"),
        "posts": _select(project.posts.values(), "id", "platform", "status", "socialAccountId"),
        "menu_items": _select(project.menu_items.values(), "id", "name", "menuMonth", "approved"),
        "memory": _select(project.memory.values(), "slug", "title"),
        "sidebar": project.sidebar,
        "calendars": [
            {
                "id": calendar.id,
                "primary": calendar.id == project.primary_calendar,
                "scopes": sorted(calendar.scopes),
                "busy_blocks": [{"start": wire_time(start), "end": wire_time(end)} for start, end in calendar.blocks],
            }
            for calendar in project.calendars.values()
        ],
        "events": [
            {
                "id": event.uid,
                "calendarId": event.calendar_id,
                "start": wire_time(event.start),
                "end": wire_time(event.end),
                "summary": event.summary,
                "attendee": event.attendee,
            }
            for event in project.events.values()
        ],
    }


def _select(items: Any, *fields: str) -> list[Json]:
    return [{field: item[field] for field in fields} for item in items]
