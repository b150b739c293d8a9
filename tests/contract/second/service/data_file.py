"""The data file that describes the contents of the service."""

from __future__ import annotations

from .permissions import RESOURCES
from .world import FOREIGN, HOME, OTHER, OTHER_PAGE, PAGE, PHOTO, Json, new_world


def data_members() -> Json:
    """Return the members of the data file, without the variables of tokens."""
    world = new_world()
    items = list(world.menu.values())
    posts = {(post["platform"], post["status"]): id for (project, id), post in world.posts.items() if project == HOME}
    return {
        "project": HOME,
        "other_project": OTHER,
        "foreign_project": FOREIGN,
        "object_type": "ticket",
        "linked_object_type": "visitor",
        "sidebar": world.sidebars[HOME],
        "memory_slug": "tone",
        "memory_slug_with_slash": "brand/colours",
        "recipient": "guest@second.example",
        "free_slot": "2032-05-03T00:00:00Z",
        "calendar": world.calendars[HOME][0]["id"],
        "read_only_calendar": world.calendars[HOME][1]["id"],
        "template": "starter",
        "template_variables": {"client": "Nordwind", "town": "Husum"},
        "template_report": {
            "counts": _counts(objectTypes=2, roles=1, workflows=1, sidebarSections=1, perRoleHides=1),
            "appliedCount": 6,
            "skipped": [],
            "failures": [],
            "missingVariables": [],
        },
        "failing_template": "fragile",
        "failing_template_variables": {"client": "Nordwind"},
        "failing_template_report": {
            "counts": _counts(objectTypes=1, roles=1),
            "appliedCount": 2,
            "skipped": [{"entity": "sidebarSections", "name": "place"}],
            "failures": [
                {"entity": "workflows", "name": "alarm", "code": "broken"},
                {"entity": "objectRelations", "name": "visits", "code": "broken"},
            ],
            "missingVariables": ["town"],
        },
        "published_page_post": posts["pagenet", "published"],
        "unpublished_page_post": posts["pagenet", "queued"],
        "published_photo_post": posts["photonet", "published"],
        "failed_post": posts["photonet", "failed"],
        "page_account": PAGE,
        "photo_account": PHOTO,
        "other_page_account": OTHER_PAGE,
        "menu_month": "2032-05",
        "menu_items": [item["id"] for item in items if item["approved"]],
        "unapproved_menu_item": next(item["id"] for item in items if not item["approved"]),
        "analytics_configured": True,
        "agents": [agent["id"] for agent in world.agents[HOME]],
        "permissions": {
            "viewer": [f"{resource}:read" for resource in RESOURCES],
            "service_account": [f"{resource}:{action}" for resource in RESOURCES for action in ("read", "write")],
        },
    }


def _counts(**counts: int) -> dict[str, int]:
    names = ("objectTypes", "objectRelations", "roles", "workflows", "sidebarSections", "perRoleHides")
    return dict.fromkeys(names, 0) | counts
