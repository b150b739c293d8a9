"""Reads and checks world files.

A schema cannot state all rules: that references resolve, to one thing of the right kind, is checked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from project_platform_stub.documents.document import Document, Problems, did_you_mean, read_document
from project_platform_stub.documents.schema import Schema, describe_kind, packaged_schema
from project_platform_stub.documents.syntax import Place
from project_platform_stub.http.timestamps import zones
from project_platform_stub.operations.support.template_parts import APPLIERS, VARIABLE, workflow_problems
from project_platform_stub.operations.templates import BUILT_IN_TYPES
from project_platform_stub.world.domain import Json
from project_platform_stub.world.permissions import PERMISSIONS, ROLES
from project_platform_stub.world_file.times import is_moment, problem_of_interval

SHORTHANDS = ("status", "amountCents", "currency")  # Members of a record that stand for members of its data.


@dataclass(frozen=True, slots=True)
class WorldDescription:
    """The content of a valid world file. Do not change it: several worlds can be built from it.

    Attributes:
        name: Name of the file, without its suffix.
        content: The world, as `world.schema.json` describes it.
    """

    name: str
    content: Json


def load_world_file(path: str | Path) -> WorldDescription:
    """Return the world that a YAML or JSON file describes.

    Raises:
        DocumentError: The file cannot be read or is not valid; the message lists file, line and place of every problem.
    """
    return read_world(read_document(Path(path)), Path(path).stem)


def read_world(document: Document, name: str) -> WorldDescription:
    """Return the world that a document describes.

    Raises:
        DocumentError: The document is not valid; the message lists the place of every problem.
    """
    _schema().check(document)
    _check_world(document)
    return WorldDescription(name, document.value)


@cache
def _schema() -> Schema:
    return Schema(packaged_schema("world_file/world.schema.json"), {"moment": is_moment, "zone": zones().__contains__})


def _check_world(document: Document) -> None:
    """Check a world that fits the schema against the other rules.

    Raises:
        DocumentError: The world breaks a rule; the error lists all problems.
    """
    problems = Problems(document)
    world = document.value
    identities = Names(problems, "person or service account of this world")
    projects = Names(problems, "project of this world")
    people = [*items((), world, "people"), *items((), world, "serviceAccounts")]
    for place, identity in people:
        identities.add(place, identity, "key", "id")
    for place, project in items((), world, "projects"):
        projects.add(place, project, "key", "id")
    for place, identity in people:
        if "home" in identity:
            projects.require((*place, "home"), identity["home"])
    for place, project in items((), world, "projects"):
        if "parent" in project:
            projects.require((*place, "parent"), project["parent"])
            _check_ancestors(place, project, world, problems)
        _ProjectCheck(problems, identities, place, project).check()
    problems.raise_any()


def _check_ancestors(place: Place, project: Json, world: Json, problems: Problems) -> None:
    by_name = {other[field]: other for other in world["projects"] for field in ("key", "id") if field in other}
    ancestor = by_name.get(project["parent"])
    for _ in world["projects"]:
        ancestor = by_name.get(ancestor.get("parent")) if ancestor else None
    if ancestor is not None:  # It has more ancestors than there are projects.
        problems.add((*place, "parent"), "leads to a cycle of parents; remove parent from one of these projects")


class _ProjectCheck:
    """The checks of one project."""

    def __init__(self, problems: Problems, identities: Names, place: Place, project: Json) -> None:
        self._problems = problems
        self._identities = identities
        self._place = place
        self._project = project
        self._roles = self._names("role", *ROLES, *project.get("roles", ()))
        self._types = self._names("object type", *(built_in.slug for built_in in BUILT_IN_TYPES))

    def check(self) -> None:
        """Add a problem for each broken rule."""
        for name, role in self._project.get("members", {}).items():
            self._identities.require((*self._place, "members", name), name)
            self._roles.require((*self._place, "members", name), role)
        self._add_types()
        self._check_records()
        self._check_calendars()
        self._check_social()
        for place, template in self._named("templates", "template", "key", "id"):
            check = _TemplateCheck(self._problems, template)
            for at, part in items(place, template, "parts"):
                check.part(at, part)
        for place, agent in self._named("agents", "agent", "id"):
            for index, role in enumerate(agent.get("allowedRoles", ())):
                self._roles.require((*place, "allowedRoles", index), role)
        for place, hide in self._items("hides"):
            self._roles.require((*place, "role"), hide["role"])
        for member, kind, *fields in (
            ("workflows", "workflow", "id"),
            ("memory", "memory entry", "slug"),
            ("menuItems", "menu item", "id"),
            ("sidebar", "section", "id"),
        ):
            list(self._named(member, kind, *fields))

    def _add_types(self) -> None:
        custom = self._names("object type")  # A file may give a built-in type another name.
        for place, object_type in self._items("objectTypes"):
            custom.add(place, object_type, "slug")
            self._types.add(place, object_type, "slug")
        for place, relation in self._named("objectRelations", "object relation", "name"):
            for end in ("from", "to"):
                self._types.require((*place, end), relation[end])

    def _check_records(self) -> None:
        external: dict[str, Names] = {}
        for place, record in self._named("records", "record", "key", "id"):
            self._types.require((*place, "type"), record["type"])
            if record.get("externalId") is not None:
                names = external.setdefault(record["type"], self._names(record["type"]))
                names.add_name((*place, "externalId"), record["externalId"])
            for author in ("createdBy", "updatedBy"):
                if author in record:
                    self._identities.require((*place, author), record[author])
            for name in SHORTHANDS:
                if name in record and record[name] != record.get("data", {}).get(name, record[name]):
                    self._problems.add((*place, name), f"differs from data.{name}; give only one of the two")
        for kind in ("person", "company"):
            of_kind = (record for _, record in self._items("records") if record["type"] == kind)
            linkable = self._names(kind, *_names_of(of_kind))
            for place, record in self._items("records"):
                if record.get(kind) is not None:
                    linkable.require((*place, kind), record[kind])

    def _check_calendars(self) -> None:
        calendars = self._names("calendar")
        events = self._names("event")
        for place, calendar in self._items("calendars"):
            calendars.add(place, calendar, "key", "id")
            for at, block in items(place, calendar, "busy"):
                self._check_interval(at, block)
            for at, event in items(place, calendar, "events"):
                events.add(at, event, "id")
                self._check_interval(at, event)
                if "end" in event and "durationMinutes" in event:
                    self._problems.add((*at, "durationMinutes"), "is given together with end; give only one of the two")
        primary = self._project.get("primaryCalendar")
        if primary is not None:
            calendars.require((*self._place, "primaryCalendar"), primary)
        elif len(self._project.get("calendars", ())) > 1 and "primaryCalendar" not in self._project:
            problem = "is required with several calendars; name one of them, or null for none"
            self._problems.add((*self._place, "primaryCalendar"), problem)

    def _check_interval(self, place: Place, item: Json) -> None:
        problem = "end" in item and problem_of_interval(item["start"], item["end"], item.get("timeZone"))
        if problem:
            self._problems.add((*place, "end"), problem)

    def _check_social(self) -> None:
        accounts = self._names("account")
        for place, account in self._items("accounts"):
            accounts.add(place, account, "key", "id")
            if account["platform"] != "photonet" and "media" in account:
                self._problems.add((*place, "media"), "is only for accounts of photonet")
            media = self._names("medium")
            for at, medium in items(place, account, "media"):
                media.add(at, medium, "mediaId")
        of_pagenet = (account for _, account in self._items("accounts") if account["platform"] == "pagenet")
        pages = self._names("account of pagenet", *_names_of(of_pagenet))
        for place, post in self._named("posts", "post", "id"):
            accounts.require((*place, "account"), post["account"])
            if "likedBy" in post and (post["account"] not in pages or post.get("status") != "published"):
                self._problems.add((*place, "likedBy"), "is only for published posts of pagenet")
            for index, account in enumerate(post.get("likedBy", ())):
                pages.require((*place, "likedBy", index), account)

    def _names(self, kind: str, *known: str) -> Names:
        return Names(self._problems, f"{kind} of this project", known)

    def _items(self, member: str) -> list[tuple[Place, Json]]:
        return list(items(self._place, self._project, member))

    def _named(self, member: str, kind: str, *fields: str) -> list[tuple[Place, Json]]:
        """Return the items of a list, and add a problem for each name that two of them have."""
        names = self._names(kind)
        found = self._items(member)
        for place, item in found:
            names.add(place, item, *fields)
        return found


def _names_of(items: Iterable[Json]) -> list[str]:
    return [item[field] for item in items for field in ("key", "id") if field in item]


class Names:
    """The names of all things of one kind.

    Args:
        kind: The kind, such as `record of this project`.
        known: Names that exist without being defined in the file.
    """

    def __init__(self, problems: Problems, kind: str, known: Iterable[str] = ()) -> None:
        self._problems = problems
        self._kind = kind
        self._known: dict[str, Place] = dict.fromkeys(known, ())

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def add(self, place: Place, item: Json, *fields: str) -> None:
        """Add the names of an item, which are the values of its `fields`; a duplicate is a problem."""
        for field in fields:
            if field in item:
                self.add_name((*place, field), item[field], place)

    def add_name(self, place: Place, name: str, owner: Place | None = None) -> None:
        """Add a name that is at a place, and belongs to the item at `owner` or at the same place."""
        first = self._known.setdefault(name, owner or place)
        if first and first != (owner or place):
            line = self._problems.document.line(first)
            self._problems.add(place, f'"{name}" is already the name of another {self._kind}, on line {line}')

    def require(self, place: Place, name: str) -> None:
        """Add a problem if the name at a place is unknown."""
        if name not in self._known:
            self._problems.add(place, f'refers to an unknown {self._kind}: "{name}"{did_you_mean(name, self._known)}')


def items(place: Place, parent: Json, member: str) -> Iterator[tuple[Place, Any]]:
    """Yield the items of an optional list, each with its place."""
    for index, item in enumerate(parent.get(member, ())):
        yield (*place, member, index), item


class _TemplateCheck:
    """Adds a problem for each part of a template that would fail and has no `fails`; parts may refer to earlier ones."""

    def __init__(self, problems: Problems, template: Json) -> None:
        self._problems = problems
        self._variables = template.get("variables", ())
        self._types = Names(problems, "object type at this point", (built_in.slug for built_in in BUILT_IN_TYPES))
        self._roles = Names(problems, "role at this point", ROLES)

    def part(self, place: Place, part: Json) -> None:
        """Add the problems of a part."""
        entities = [entity for entity in APPLIERS if entity in part]
        if len(entities) != 1:
            self._problems.add(place, f"must have exactly one of {', '.join(APPLIERS)}, and optionally fails")
            return
        if "fails" in part:
            return
        entity, body = entities[0], part[entities[0]]
        self._check_variables((*place, entity), body)
        match entity:
            case "objectType":
                self._land(self._types, (*place, entity), body["slug"])
            case "objectRelation":
                for end in ("from", "to"):
                    self._require(self._types, (*place, entity, end), body[end])
            case "role":
                self._check_permissions((*place, entity), body)
                self._land(self._roles, (*place, entity), body["name"])
            case "workflow":
                self._check_limits((*place, entity), body)
            case "perRoleHide":
                self._require(self._roles, (*place, entity, "role"), body["role"])

    def _land(self, names: Names, place: Place, name: str) -> None:
        if name not in names:  # an entity that exists already is skipped, which is not a failure
            names.add_name(place, name)

    def _require(self, names: Names, place: Place, name: str) -> None:
        if not VARIABLE.search(name):  # the value of a variable is not known here
            names.require(place, name)

    def _check_variables(self, place: Place, value: Any) -> None:
        match value:
            case str():
                for name in VARIABLE.findall(value):
                    if name not in self._variables:
                        hint = did_you_mean(name, self._variables)
                        self._problems.add(place, f'"{name}" is not a variable of this template{hint}')
            case dict():
                for key, member in value.items():
                    self._check_variables((*place, key), member)
            case list():
                for index, member in enumerate(value):
                    self._check_variables((*place, index), member)

    def _check_permissions(self, place: Place, role: Json) -> None:
        for index, permission in enumerate(role["permissions"]):
            if permission not in PERMISSIONS and not VARIABLE.search(permission):
                hint = did_you_mean(permission, PERMISSIONS)
                self._problems.add((*place, "permissions", index), f'"{permission}" is not a permission{hint}')

    def _check_limits(self, place: Place, workflow: Json) -> None:
        """Add a problem for each broken limit of workflows, unless the string contains variables."""
        for problem in workflow_problems(workflow):
            if not (isinstance(problem.instance, str) and VARIABLE.search(problem.instance)):
                self._problems.add(
                    (*place, *problem.instance_path), describe_kind(problem.kind, problem.instance) or ""
                )
