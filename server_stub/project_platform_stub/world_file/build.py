"""Builds the initial state of a world from a world file."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.operations.calendar import DEFAULT_LENGTH, WRITE_SCOPE
from project_platform_stub.operations.templates import new_project
from project_platform_stub.world.domain import Calendar, Event, Identity, Json, ObjectType, Part, Template
from project_platform_stub.world.store import Contents, Origin, State, Writes
from project_platform_stub.world_file.checks import entity_of
from project_platform_stub.world_file.description import WorldDescription
from project_platform_stub.world_file.records import add_records
from project_platform_stub.world_file.scope import Scope, ids_by_name, with_defaults
from project_platform_stub.world_file.social import add_social
from project_platform_stub.world_file.times import read_moment

Kind: TypeAlias = Literal["user", "service_account"]

_AGE = "-30d"  # Default `createdAt` of a project, so that every later change has a later timestamp.


def world_origin(description: WorldDescription, now: datetime, seed: int) -> Origin:
    """Return the initial state of a world that a file describes.

    Relative times refer to `now`, and the identifiers that the file does not name depend on the seed.
    """
    writes = Writes(State())
    build(description.content, Contents(writes, seed), now)
    return Origin(description.name, seed, writes.state)


def build(content: Json, world: Contents, now: datetime) -> None:
    """Fill an empty world with the content of a file; relative times refer to `now`."""
    projects: list[Json] = content["projects"]
    identities, people = _identities(world, content)
    ids: list[str] = [project.get("id") or world.ids.uuid() for project in projects]
    names = ids_by_name(projects, ids)
    scopes = []
    for item, id in zip(projects, ids, strict=True):
        created_at = wire_time(read_moment(item.get("createdAt", _AGE), now))
        project = new_project(world, created_at, item["name"], parent=names.get(item.get("parent", "")), id=id)
        project.members.update({identities[name]: role for name, role in item.get("members", {}).items()})
        scopes.append(Scope(world, project, now, identities))
    for id, (kind, item) in people.items():
        memberships = (scope.project.id for scope in scopes if id in scope.project.members)
        home = names[item["home"]] if "home" in item else next(memberships, ids[0])
        world.identities[id] = Identity(item["key"], id, str(item.get("name", item["key"])), kind, home)
    for item, scope in zip(projects, scopes, strict=True):
        _fill(scope, item)


def _identities(world: Contents, content: Json) -> tuple[dict[str, str], dict[str, tuple[Kind, Json]]]:
    """Return identifiers by name, and the file's persons and service accounts by identifier."""
    people: dict[str, tuple[Kind, Json]] = {}
    names: dict[str, str] = {}
    kinds: tuple[tuple[str, Kind, str], ...] = (
        ("people", "user", "user"),
        ("serviceAccounts", "service_account", "svc"),
    )
    for member, kind, prefix in kinds:
        for item in content.get(member, ()):
            id = item.get("id") or world.ids.short(prefix)
            names |= {id: id, item["key"]: id}
            people[id] = (kind, item)
    return names, people


def _fill(scope: Scope, content: Json) -> None:
    """Add the content of a project."""
    project = scope.project
    project.roles.update({role: frozenset(permissions) for role, permissions in content.get("roles", {}).items()})
    for item in content.get("objectTypes", ()):
        name = item.get("name", item["slug"])
        project.object_types[item["slug"]] = ObjectType(item["slug"], name, item.get("linksToPerson", False))
    project.object_relations.update({item["name"]: item for item in content.get("objectRelations", ())})
    add_records(scope, content.get("records", []))
    add_calendars(scope, content)
    add_social(scope, content)
    for item in content.get("workflows", ()):
        workflow = scope.row(item, "workflow", scope.id(item, "wf"))
        project.workflows[workflow["id"]] = workflow
    for item in content.get("templates", ()):
        parts = tuple(map(_part, item["parts"]))
        template = Template(scope.id(item, "tpl"), item["name"], tuple(item.get("variables", ())), parts)
        project.templates[template.id] = template
    for item in content.get("memory", ()):
        project.memory[item["slug"]] = scope.row(item, "memoryEntry", scope.id(item, "mem"))
    for item in content.get("agents", ()):
        agent = scope.row(item, "agent", scope.id(item, "agt"))
        project.agents[agent["id"]] = agent
    for item in content.get("menuItems", ()):
        id = scope.uuid(item)
        project.menu_items[id] = {"id": id, **with_defaults(item, "menuItem")}
    if "sidebar" in content:
        project.sidebar = content["sidebar"]
    if "hides" in content:
        project.hides = content["hides"]
    if "webAnalytics" in content:
        item = content["webAnalytics"]
        project.web_analytics = scope.row(item, "webAnalytics", scope.id(item, "wac"))


def _part(item: Json) -> Part:
    entity = entity_of(item)
    return Part(entity, item[entity], item.get("fails"))


READ_SCOPE = "calendar-events:read"


def add_calendars(scope: Scope, content: Json) -> None:
    """Connect the calendars of a project; the first one is the primary one unless the file names another."""
    calendars: list[Json] = content.get("calendars", [])
    for item in calendars:
        blocks = [
            (read_moment(block["start"], scope.now), read_moment(block["end"], scope.now))
            for block in item.get("busy", ())
        ]
        scopes = frozenset(item.get("scopes", (READ_SCOPE, WRITE_SCOPE)))
        scope.project.calendars[item["id"]] = Calendar(item["id"], scopes, tuple(blocks))
        for event in (_event(scope, event_item, item["id"]) for event_item in item.get("events", ())):
            scope.project.events[event.uid] = event
    ids = [item["id"] for item in calendars]
    if "primaryCalendar" in content:
        scope.project.primary_calendar = ids_by_name(calendars, ids).get(content["primaryCalendar"] or "")
    elif ids:
        scope.project.primary_calendar = ids[0]


def _event(scope: Scope, item: Json, calendar_id: str) -> Event:
    zone = item.get("timeZone")
    start = read_moment(item["start"], scope.now, zone)
    return Event(
        uid=scope.id(item, "evt"),
        calendar_id=calendar_id,
        start=start,
        end=_end(scope, item, start),
        zone=zone,
        summary=item["summary"],
        description=item.get("description"),
        attendee=item.get("attendee"),
        metadata=item.get("metadata"),
    )


def _end(scope: Scope, item: Json, start: datetime) -> datetime:
    if "end" in item:
        return read_moment(item["end"], scope.now, item.get("timeZone"))
    return start + (timedelta(minutes=int(item["durationMinutes"])) if "durationMinutes" in item else DEFAULT_LENGTH)
