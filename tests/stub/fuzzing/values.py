"""Values that exist in the demo world, so that generated requests do not all end with a 404."""

from __future__ import annotations

import json

from project_platform_stub.world.world import World

UNKNOWN_ID = "0b9c4c6e-0000-4000-8000-000000000000"
TIMES = (
    "2026-11-10T09:00:00Z",
    "2026-11-10T09:30:00+02:00",
    "2026-10-25T02:30:00",
    "2026-03-29T02:30:00",
    "2027-01-01 00:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-23:59",
    "20261110T090000Z",
    "2026-W46-2T09:00:00Z",
)
ZONES = ("Europe/Berlin", "UTC", "America/St_Johns", "Pacific/Apia", "localtime", "Europe", "../UTC", "europe/berlin")


def dictionaries(world: World) -> dict[str, list[str]]:
    """Return values by kind; most kinds include a value that does not exist or is invalid."""
    project, calendars = world.project, list(world.project.calendars)
    accounts, posts = list(project.accounts), list(project.posts)
    return {
        "projects": [*[project.id] * 8, *world.projects, project.id.upper(), UNKNOWN_ID],
        "records": [*project.records, "rec_000000000000"],
        "events": [*project.events, "evt_000000000000"],
        "templates": [*project.templates, "tpl_000000000000"],
        "slugs": [*project.memory, "brand", "BRAND/voice"],
        "posts": [*posts, posts[0].upper(), "post"],
        "accounts": [*accounts, accounts[0].upper(), UNKNOWN_ID],
        "items": [*project.menu_items, UNKNOWN_ID],
        "types": [*project.object_types, "Deal"],
        "calendars": [*calendars, "primary"],
        "times": list(TIMES),
        "zones": list(ZONES),
        "months": ["2026-11", "2026-12", "2026-13", "2026-11-01"],
        "statuses": ["open", "won"],
        "externals": ["crm-1", "crm-2"],
    }


# The kind of value of each parameter, and of each field of a body.
PLACES = {
    "path.projectId": "projects",
    "path.recordId": "records",
    "path.eventId": "events",
    "path.templateId": "templates",
    "path.slug": "slugs",
    "path.postId": "posts",
    "path.accountId": "accounts",
    "query.timeMin": "times",
    "query.timeMax": "times",
    "query.calendarId": "calendars",
    "body.typeSlug": "types",
    "body.externalId": "externals",
    "body.expectedStatus": "statuses",
    "body.calendarId": "calendars",
    "body.start": "times",
    "body.end": "times",
    "body.timeZone": "zones",
    "body.accountId": "accounts",
    "body.menuMonth": "months",
    "body.itemIds[*]": "items",
}


def as_configuration(world: World) -> str:
    """Return a configuration of Schemathesis that takes values of the world for most parameters and fields."""
    lines = [f"[dictionaries.{name}]\nvalues = {json.dumps(values)}" for name, values in dictionaries(world).items()]
    places = (f'"{place}" = {{dictionary = "{name}", probability = 0.8}}' for place, name in PLACES.items())
    return "\n".join([*lines, "[parameters]", *places])
