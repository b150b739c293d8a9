"""The demo world: something of everything, the same in every run but for dates, keys and session credentials."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from project_platform_stub.operations.templates import new_project
from project_platform_stub.permissions import INTEGRATION, OWNER, VIEWER
from project_platform_stub.timestamps import wire_time
from project_platform_stub.world import Identity, Ids, Project, World

from .agents import add_agents
from .calendar import add_calendars
from .crm import add_records, add_types
from .menu import add_menu
from .social import add_social
from .templates import add_templates

AGE = timedelta(days=30)  # How long ago everything was made: nothing that a caller changes now can look older.


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo world and what is worth knowing of it.

    Attributes:
        world: The world.
        project: The project that has everything in it.
        other: A second project of the same members in which nothing is configured.
        foreign: A project whose only member is `outsider`.
        identities: `owner`, `viewer`, `service_account` and `outsider`.
    """

    world: World
    project: Project
    other: Project
    foreign: Project
    identities: Mapping[str, Identity]


def demo_world(now: Callable[[], datetime], seed: int) -> Demo:
    """Return a new demo world."""
    world = World("demo", Ids(seed))
    made = wire_time(now() - AGE)
    project, other, foreign = (new_project(world, made, name) for name in ("Demo", "Blank", "Elsewhere"))
    identities = {
        "owner": Identity("user_owner", "Olive Owner", "user", project.id),
        "viewer": Identity("user_viewer", "Vincent Viewer", "user", project.id),
        "service_account": Identity("svc_integration", "Nightly import", "service_account", project.id),
        "outsider": Identity("user_outsider", "Otto Outsider", "user", foreign.id),
    }
    roles = {"owner": OWNER, "viewer": VIEWER, "service_account": INTEGRATION}
    for name, identity in identities.items():
        world.identities[identity.id] = identity
        world.sessions[f"session_{secrets.token_urlsafe(24)}"] = identity.id
        for member_of in (project, other) if name in roles else (foreign,):
            member_of.members[identity.id] = roles.get(name, OWNER)
    add_types(project)
    add_types(other)
    add_records(world, project, made)
    tomorrow = (now() + timedelta(days=1)).astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    add_calendars(world, project, tomorrow)
    add_templates(world, project)
    add_agents(world, project, made)
    add_social(world, project, made, tomorrow)
    add_menu(world, project)
    _add_memory_and_sidebar(world, project, made)
    project.web_analytics = {
        "id": world.ids.short("wac"),
        "projectId": project.id,
        "analyticsPropertyId": "properties/123456789",
        "analyticsIntegrationAccountId": world.ids.short("int"),
        "searchSiteUrl": "https://www.example.com/",
        "searchIntegrationAccountId": world.ids.short("int"),
        "enabled": True,
        "createdAt": made,
        "updatedAt": made,
    }
    return Demo(world, project, other, foreign, identities)


def _add_memory_and_sidebar(world: World, project: Project, made: str) -> None:
    for slug, title, content in (
        ("welcome", "Welcome", "Read this first."),
        ("brand/voice", "Brand voice", "Warm, short, never ironic."),
        ("brand/voice/café", "Voice in the café", "Say “salut”, not “bonjour”."),
    ):
        project.memory[slug] = {
            "id": world.ids.short("mem"),
            "projectId": project.id,
            "slug": slug,
            "title": title,
            "description": f"{title}, for agents and people.",
            "content": content,
            "metadata": {"source": "handbook", "weight": 1},
            "createdAt": made,
            "updatedAt": made,
        }
    project.sidebar = [
        {
            "id": "work",
            "label": "Work",
            "items": [
                {"id": "crm", "label": "CRM", "icon": "users", "featureId": "crm", "href": "/crm"},
                {"id": "calendar", "label": "Calendar", "icon": "calendar", "featureId": "calendar"},
            ],
        }
    ]
