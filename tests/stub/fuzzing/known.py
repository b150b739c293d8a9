"""Values that exist in the demo world, so that generated requests do not all end with a 404."""

from __future__ import annotations

from typing import Any

from project_platform_stub.world.store import Project
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


def examples(world: World) -> dict[str, dict[str, Any]]:
    """Return a valid value of each parameter, and a valid body for each operation."""
    project: Project = world.project
    page, photo = project.accounts
    workflow = {"name": "Greet", "triggerTypeSlug": "lead", "triggerEventType": "record.created"}
    booking = {"start": TIMES[0], "end": "2026-11-10T09:30:00Z", "summary": "Tasting", "timeZone": "Europe/Berlin"}
    return {
        "parameters": {
            "ProjectId": project.id,
            "RecordId": next(iter(project.records)),
            "EventId": next(iter(project.events)),
            "TemplateId": next(iter(project.templates)),
            "Slug": "brand/voice",
            "PostId": next(iter(project.posts)),
            "AccountId": photo,
            "PermissionQuery": "agents:read",
            "TimeMin": "2026-11-01T00:00:00Z",
            "TimeMax": "2026-12-01T00:00:00Z",
            "CalendarIdQuery": project.primary_calendar,
        },
        "bodies": {
            "workflows_create": {**workflow, "tags": ["lead"], "actions": [{}], "isActive": True, "description": ""},
            "records_create": {"typeSlug": "lead", "data": {"email": "ada@example.com"}, "relations": {"a": ["b"]}},
            "records_update": {"data": {"stage": "won", "tags": None}, "expectedData": {}, "relations": {}},
            "calendar_book": {**booking, "attendee": {"email": "ada@example.com"}, "metadata": {}, "description": ""},
            "calendar_reschedule": {**booking, "conflictCheck": False, "notifyAttendees": True},
            "sidebar_replace": {"sections": [{"id": "work", "label": "Work", "items": [{"id": "crm"}]}]},
            "templates_apply": {"name": "Client", "variableValues": {"client": "Ada", "contactEmail": "a@example.com"}},
            "memory_update": {"title": "T", "description": "", "content": "c", "metadata": {"weight": 2}},
            "engagement_like": {"accountId": page},
            "labels_export": {"menuMonth": "2026-11", "itemIds": list(project.menu_items)[:2], "stock": "5x3.5"},
        },
    }
