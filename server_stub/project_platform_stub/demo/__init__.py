"""The demo world: a sample of every kind of data, the same for every day and seed."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.operations.templates import new_project
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.permissions import INTEGRATION, OWNER, VIEWER
from project_platform_stub.world.store import Contents, Origin, Project, State, Writes

from .agents import add_agents
from .calendar import add_calendars
from .crm import add_records, add_types
from .menu import add_menu
from .social import add_social
from .templates import add_templates

AGE = timedelta(days=30)  # Age of all data, so that every later change has a later timestamp.


@lru_cache(maxsize=64)
def demo_origin(day: date, seed: int) -> Origin:
    """Return the initial state of a demo world that starts on a day.

    It has three projects: `Demo` has a sample of every kind of data, `Blank` the same members and no configuration, and
    `Elsewhere` only the member `outsider`.
    """
    writes = Writes(State())
    _fill(Contents(writes, seed), datetime.combine(day, time(), UTC))
    return Origin("demo", seed, writes.state)


def _fill(world: Contents, today: datetime) -> None:
    created_at = wire_time(today - AGE)
    project, other, foreign = (new_project(world, created_at, name) for name in ("Demo", "Blank", "Elsewhere"))
    for identity, role in (
        (Identity("owner", "user_owner", "Olive Owner", "user", project.id), OWNER),
        (Identity("viewer", "user_viewer", "Vincent Viewer", "user", project.id), VIEWER),
        (Identity("service_account", "svc_integration", "Nightly import", "service_account", project.id), INTEGRATION),
        (Identity("outsider", "user_outsider", "Otto Outsider", "user", foreign.id), OWNER),
    ):
        world.identities[identity.id] = identity
        for member_of in (foreign,) if identity.home == foreign.id else (project, other):
            member_of.members[identity.id] = role
    add_types(project)
    add_types(other)
    add_records(world, project, created_at)
    tomorrow = today + timedelta(days=1)
    add_calendars(world, project, tomorrow)
    add_templates(world, project)
    add_agents(world, project, created_at)
    add_social(world, project, created_at, tomorrow)
    add_menu(world, project)
    _add_memory_and_sidebar(world, project, created_at)
    project.web_analytics = {
        "id": world.ids.short("wac"),
        "projectId": project.id,
        "analyticsPropertyId": "properties/123456789",
        "analyticsIntegrationAccountId": world.ids.short("int"),
        "searchSiteUrl": "https://www.example.com/",
        "searchIntegrationAccountId": world.ids.short("int"),
        "enabled": True,
        "createdAt": created_at,
        "updatedAt": created_at,
    }


def _add_memory_and_sidebar(world: Contents, project: Project, created_at: str) -> None:
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
            "createdAt": created_at,
            "updatedAt": created_at,
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
