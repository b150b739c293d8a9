"""From what a world file says to what is in a world."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.operations.templates import new_project
from project_platform_stub.world.domain import Identity, Json, ObjectType, Part, Template
from project_platform_stub.world.store import Origin, State, Writes
from project_platform_stub.world.views import Contents

from .calendars import add_calendars
from .description import WorldDescription
from .records import add_records
from .scope import Scope, named, picked
from .social import add_social
from .template_checks import entity_of
from .times import read_moment

Kind: TypeAlias = Literal["user", "service_account"]

_AGE = "-30d"  # When projects were made that do not say: nothing that a caller changes now can look older.
_WORKFLOW: Json = {"description": "", "tags": [], "actions": [], "triggerCondition": None}


def world_origin(description: WorldDescription, now: datetime, seed: int) -> Origin:
    """Return what a world is made from that a file describes.

    Args:
        description: What the file says.
        now: When the world is made: what relative times are counted from.
        seed: What identifiers are drawn from that the file does not name.
    """
    writes = Writes(State())
    build(description, Contents(writes, seed), now)
    return Origin(description.name, seed, writes.state)


def build(description: WorldDescription, world: Contents, now: datetime) -> None:
    """Put all that a file describes into a world with nothing in it.

    Args:
        description: What the file says.
        world: The world.
        now: When the world is made: what relative times are counted from.
    """
    content = description.content
    projects: list[Json] = content["projects"]
    identities, people = _identities(world, content)
    ids: list[str] = [project.get("id") or world.ids.uuid() for project in projects]
    names = named(projects, ids)
    scopes = []
    for item, id in zip(projects, ids, strict=True):
        made = wire_time(read_moment(item.get("createdAt", _AGE), now))
        project = new_project(world, made, item["name"], parent=names.get(item.get("parent", "")), id=id)
        project.members.update({identities[name]: role for name, role in item.get("members", {}).items()})
        scopes.append(Scope(world, project, now, identities))
    for id, (kind, item) in people.items():
        of_member = (each.project.id for each in scopes if id in each.project.members)
        home = names[item["home"]] if "home" in item else next(of_member, ids[0])
        world.identities[id] = Identity(item["key"], id, str(item.get("name", item["key"])), kind, home)
    for item, scope in zip(projects, scopes, strict=True):
        _fill(scope, item)


def _identities(world: Contents, content: Json) -> tuple[dict[str, str], dict[str, tuple[Kind, Json]]]:
    """Return identifiers by name, and what the file says of persons and service accounts by identifier."""
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
    """Add all that a project has."""
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
        workflow = _workflow(scope, item)
        project.workflows[workflow["id"]] = workflow
    for item in content.get("templates", ()):
        template = _template(scope, item)
        project.templates[template.id] = template
    for item in content.get("memory", ()):
        project.memory[item["slug"]] = _memory_entry(scope, item)
    for item in content.get("agents", ()):
        agent = _agent(scope, item)
        project.agents[agent["id"]] = agent
    for item in content.get("menuItems", ()):
        menu_item = _menu_item(scope, item)
        project.menu_items[menu_item["id"]] = menu_item
    project.sidebar = content.get("sidebar", [])
    project.hides = content.get("hides", [])
    if "webAnalytics" in content:
        project.web_analytics = _web_analytics(scope, content["webAnalytics"])


def _workflow(scope: Scope, item: Json) -> Json:
    return {
        "id": scope.id(item, "wf"),
        "projectId": scope.project.id,
        **picked(item, name=None, triggerTypeSlug=None, triggerEventType=None, **{**_WORKFLOW, "description": None}),
        **picked(item, isActive=False, revision="1"),
        **scope.made(item),
    }


def _template(scope: Scope, item: Json) -> Template:
    parts = tuple(_part(each) for each in item["parts"])
    return Template(scope.id(item, "tpl"), item["name"], tuple(item.get("variables", ())), parts)


def _part(item: Json) -> Part:
    entity = entity_of(item)
    defaults = _WORKFLOW if entity == "workflow" else {}
    return Part(entity, {**defaults, **item[entity]}, item.get("fails"))


def _memory_entry(scope: Scope, item: Json) -> Json:
    return {
        "id": scope.id(item, "mem"),
        "projectId": scope.project.id,
        **picked(item, slug=None, title=None, description=None, content="", metadata={}),
        **scope.made(item),
    }


def _agent(scope: Scope, item: Json) -> Json:
    return {
        "id": scope.id(item, "agt"),
        "projectId": scope.project.id,
        **picked(item, name=None, description=None, builtIn=False, systemPrompt=None, memoryFiles=[]),
        **picked(item, toolCategories=[], mcpServers=[], access="project_member", allowedRoles=[]),
        **picked(item, maxSteps=None, model=None, metadata={}),
        **scope.made(item),
    }


def _menu_item(scope: Scope, item: Json) -> Json:
    return {
        "id": scope.uuid(item),
        **picked(item, name=None, description="", ingredients=[], allergens=[], calories=0, heating=""),
        **picked(item, menuMonth=None, approved=True),
    }


def _web_analytics(scope: Scope, item: Json) -> Json:
    return {
        "id": scope.id(item, "wac"),
        "projectId": scope.project.id,
        **picked(item, analyticsPropertyId=None, analyticsIntegrationAccountId=None),
        **picked(item, searchSiteUrl=None, searchIntegrationAccountId=None, enabled=True),
        **scope.made(item),
    }
