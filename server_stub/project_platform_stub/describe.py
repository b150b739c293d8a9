"""What a stub tells about itself: where it is, how to get in, and what there is to ask for."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from .demo import Demo
from .timestamps import wire_time
from .world import Json


def describe(demo: Demo, base_url: str, tokens: dict[str, str]) -> Json:
    """Return a JSON object that names the projects, credentials and identifiers of a demo world.

    The identifiers are plain strings; `details` says more about what they stand for.
    """
    world, project = demo.world, demo.project
    names = {identity.id: name for name, identity in demo.identities.items()}
    return {
        "base_url": base_url,
        "project_id": project.id,
        "other_project_id": demo.other.id,
        "foreign_project_id": demo.foreign.id,
        "tokens": tokens,
        "sessions": {names[sub]: credential for credential, sub in world.sessions.items() if sub in names},
        "records": list(project.records),
        "template": next(iter(project.templates)),
        "templates": list(project.templates),
        "agents": [agent["id"] for agent in project.agents],
        "events": [uid for calendar in project.calendars.values() for uid in calendar.events],
        "posts": list(project.posts),
        "accounts": list(project.accounts),
        "menu_items": list(project.menu_items),
        "memory": list(project.memory),
        "object_types": list(project.object_types),
        "calendars": list(project.calendars),
        "details": _details(demo),
    }


def write_description(path: Path, description: Json) -> None:
    """Write a description as JSON, all at once: who finds the file finds it whole."""
    text = json.dumps(description, ensure_ascii=False, indent=2) + "\n"
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(text)
    Path(file.name).replace(path)


def _details(demo: Demo) -> dict[str, Any]:
    project = demo.project
    return {
        "identities": {
            name: {"sub": identity.id, "kind": identity.kind, "project_id": identity.home}
            for name, identity in demo.identities.items()
        },
        "records": _picked(project.records.values(), "id", "typeSlug", "status", "personRefId", "data"),
        "object_types": [
            {"slug": each.slug, "linksToPerson": each.links_to_person} for each in project.object_types.values()
        ],
        "templates": [
            {"id": template.id, "name": template.name, "variables": list(template.variables)}
            for template in project.templates.values()
        ],
        "agents": _picked(project.agents, "id", "name", "builtIn"),
        "accounts": _picked(project.accounts.values(), "id", "platform", "username"),
        "posts": _picked(project.posts.values(), "id", "platform", "status", "socialAccountId"),
        "menu_items": _picked(project.menu_items.values(), "id", "name", "menuMonth", "approved"),
        "memory": _picked(project.memory.values(), "slug", "title"),
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
                "calendarId": calendar.id,
                "start": wire_time(event.start),
                "end": wire_time(event.end),
                "summary": event.summary,
                "attendee": event.attendee,
            }
            for calendar in project.calendars.values()
            for event in calendar.events.values()
        ],
    }


def _picked(items: Any, *fields: str) -> list[Json]:
    return [{field: item[field] for field in fields} for item in items]
