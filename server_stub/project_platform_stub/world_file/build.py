"""Builds the initial state of a world from a world file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from project_platform_stub.contract import load_contract
from project_platform_stub.documents.schema import packaged_schema
from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.operations.calendar import DEFAULT_LENGTH, WRITE_SCOPE
from project_platform_stub.operations.records import add_person, new_record
from project_platform_stub.operations.support.jsonb import merged
from project_platform_stub.operations.support.persons import Persons, carries_identity
from project_platform_stub.operations.support.template_parts import APPLIERS
from project_platform_stub.operations.templates import new_project
from project_platform_stub.world.domain import Calendar, Event, Identity, Json, ObjectType, Part, Template
from project_platform_stub.world.store import Contents, Origin, Project, State, Writes
from project_platform_stub.world_file.checks import SHORTHANDS, WorldDescription
from project_platform_stub.world_file.times import read_moment

Kind: TypeAlias = Literal["user", "service_account"]

_AGE = "-30d"  # Default `createdAt` of a project, so that every later change has a later timestamp.
_READ_SCOPE = "calendar-events:read"
_SHOWN = ("username", "profilePictureUrl")  # of an account, with each of its posts


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
    names = _ids_by_name(projects, ids)
    scopes = []
    for item, id in zip(projects, ids, strict=True):
        created_at = wire_time(read_moment(item.get("createdAt", _AGE), now))
        project = new_project(world, created_at, item["name"], parent=names.get(item.get("parent", "")), id=id)
        project.members.update({identities[name]: role for name, role in item.get("members", {}).items()})
        scopes.append(_Scope(world, project, now, identities))
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


def _fill(scope: _Scope, content: Json) -> None:
    """Add the content of a project."""
    project = scope.project
    project.roles.update({role: frozenset(permissions) for role, permissions in content.get("roles", {}).items()})
    for item in content.get("objectTypes", ()):
        name = item.get("name", item["slug"])
        project.object_types[item["slug"]] = ObjectType(item["slug"], name, item.get("linksToPerson", False))
    project.object_relations.update({item["name"]: item for item in content.get("objectRelations", ())})
    _add_records(scope, content.get("records", []))
    _add_calendars(scope, content)
    _add_social(scope, content)
    for item in content.get("workflows", ()):
        workflow = scope.row(item, "workflow", scope.id(item, "wf"))
        project.workflows[workflow["id"]] = workflow
    for item in content.get("templates", ()):
        parts = tuple(
            Part(entity, part[entity], part.get("fails"))
            for part in item["parts"]
            for entity in APPLIERS
            if entity in part
        )
        template = Template(scope.id(item, "tpl"), item["name"], tuple(item.get("variables", ())), parts)
        project.templates[template.id] = template
    for item in content.get("memory", ()):
        project.memory[item["slug"]] = scope.row(item, "memoryEntry", scope.id(item, "mem"))
    for item in content.get("agents", ()):
        agent = scope.row(item, "agent", scope.id(item, "agt"))
        project.agents[agent["id"]] = agent
    for item in content.get("menuItems", ()):
        id = scope.uuid(item)
        project.menu_items[id] = {"id": id, **_with_defaults(item, "menuItem")}
    if "sidebar" in content:
        project.sidebar = content["sidebar"]
    if "hides" in content:
        project.hides = content["hides"]
    if "webAnalytics" in content:
        item = content["webAnalytics"]
        project.web_analytics = scope.row(item, "webAnalytics", scope.id(item, "wac"))


def _add_records(scope: _Scope, items: list[Json]) -> None:
    """Add records, and a person for each record whose data identifies one that the file does not have."""
    ids = [scope.id(item, "rec") for item in items]
    names = _ids_by_name(items, ids)
    for item, id in zip(items, ids, strict=True):
        record = _record(scope, item, id)
        for kind in ("person", "company"):
            if item.get(kind) is not None:
                record[f"{kind}RefId"] = names[item[kind]]
        scope.project.records[id] = record
        scope.project.relations[id] = item.get("relations", {})
    _link(scope, [id for item, id in zip(items, ids, strict=True) if "person" not in item])


def _record(scope: _Scope, item: Json, id: str) -> Json:
    # Null values are dropped, as by records_create.
    data = merged({}, {**item.get("data", {}), **{name: item[name] for name in SHORTHANDS if name in item}})
    author = scope.identities[item["createdBy"]] if "createdBy" in item else next(iter(scope.project.members), None)
    return {
        **new_record(id, scope.project.object_types[item["type"]], data, "", author),
        "externalId": item.get("externalId"),
        "occurredAt": scope.time(item, "occurredAt"),
        "providerExternalId": item.get("providerExternalId"),
        **scope.timestamps(item),
        "updatedBy": scope.identities[item["updatedBy"]] if "updatedBy" in item else author,
    }


def _link(scope: _Scope, ids: list[str]) -> None:
    """Link each record of a type that links to persons to the person that its data identifies."""
    records, types = scope.project.records, scope.project.object_types
    persons = Persons(records.all())
    for record in map(records.__getitem__, ids):
        if types[record["typeSlug"]].links_to_person and carries_identity(record["data"]):
            person = persons.find(record["data"])
            if person is None:
                author, id = record["createdBy"], scope.world.ids.short("rec")
                new = add_person(scope.project, id, record["data"], record["createdAt"], author)
                persons.add(new)
                person = new["id"]
            records[record["id"]] = {**record, "personRefId": person}


def _add_calendars(scope: _Scope, content: Json) -> None:
    """Connect the calendars of a project; the first one is the primary one unless the file names another."""
    calendars: list[Json] = content.get("calendars", [])
    for item in calendars:
        blocks = [
            (read_moment(block["start"], scope.now), read_moment(block["end"], scope.now))
            for block in item.get("busy", ())
        ]
        scopes = frozenset(item.get("scopes", (_READ_SCOPE, WRITE_SCOPE)))
        scope.project.calendars[item["id"]] = Calendar(item["id"], scopes, tuple(blocks))
        for event in (_event(scope, event_item, item["id"]) for event_item in item.get("events", ())):
            scope.project.events[event.uid] = event
    ids = [item["id"] for item in calendars]
    if "primaryCalendar" in content:
        scope.project.primary_calendar = _ids_by_name(calendars, ids).get(content["primaryCalendar"] or "")
    elif ids:
        scope.project.primary_calendar = ids[0]


def _event(scope: _Scope, item: Json, calendar_id: str) -> Event:
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


def _end(scope: _Scope, item: Json, start: datetime) -> datetime:
    if "end" in item:
        return read_moment(item["end"], scope.now, item.get("timeZone"))
    return start + (timedelta(minutes=int(item["durationMinutes"])) if "durationMinutes" in item else DEFAULT_LENGTH)


def _add_social(scope: _Scope, content: Json) -> None:
    """Connect accounts, and add their posts, likes and media."""
    names: dict[str, str] = {}
    for item in content.get("accounts", ()):
        account = {"id": scope.uuid(item), **{name: item.get(name) for name in ("platform", *_SHOWN)}}
        names |= {account["id"]: account["id"], item.get("key", account["id"]): account["id"]}
        scope.project.accounts[account["id"]] = account
        if item["platform"] == "photonet":
            scope.project.media[account["id"]] = [_medium(scope, medium) for medium in item.get("media", ())]
    for item in content.get("posts", ()):
        post = _post(scope, item, scope.project.accounts[names[item["account"]]])
        scope.project.posts[post["id"]] = post
        for liker in item.get("likedBy", ()):
            like = {"postId": post["id"], "accountId": names[liker]}
            scope.project.likes[f"{like['postId']} {like['accountId']}"] = like


def _post(scope: _Scope, item: Json, account: Json) -> Json:
    post = scope.row(item, "post", scope.uuid(item))
    due = scope.time(item, "scheduledFor", item.get("timezone"))
    published_at, permalink = scope.time(item, "publishedAt"), item.get("permalink")
    if post["status"] == "published":
        published_at = published_at or due or post["createdAt"]
        permalink = item.get("permalink", f"https://{account['platform']}.example/posts/{post['id']}")
    post |= {
        "socialAccountId": account["id"],
        "platform": account["platform"],
        "scheduledFor": due,
        "publishedAt": published_at,
        "permalink": permalink,
        "media": [
            {"id": scope.uuid(medium), **_with_defaults({"orderIndex": index, **medium}, "postMedia")}
            for index, medium in enumerate(item.get("media", ()))
        ],
        "account": {name: account[name] for name in _SHOWN},
    }
    return {name: post[name] for name in load_contract().schema_fields("ScheduledPost")}


def _medium(scope: _Scope, item: Json) -> Json:
    medium = _with_defaults(item, "media")
    interactions = sum(medium[name] for name in ("likeCount", "commentsCount", "shares", "saved"))
    return {
        **medium,
        "mediaId": item.get("mediaId") or scope.world.ids.short("med"),
        "timestamp": scope.time(item, "timestamp") or scope.project.created_at,
        "engagement": item.get("engagement", interactions),
    }


@dataclass(frozen=True, slots=True)
class _Scope:
    """A project that is being built.

    Attributes:
        now: Reference of relative times.
        identities: Identifiers of persons and service accounts, by key and by identifier.
    """

    world: Contents
    project: Project
    now: datetime
    identities: Mapping[str, str]

    def time(self, item: Json, member: str, zone: str | None = None) -> str | None:
        """Return a time of an item as the service writes it; None if the item has no such member."""
        return wire_time(read_moment(item[member], self.now, zone)) if member in item else None

    def id(self, item: Json, prefix: str) -> str:
        """Return the identifier of an item, or a new one such as `agt_1f0c8e5b7a2d`."""
        return str(item.get("id") or self.world.ids.short(prefix))

    def uuid(self, item: Json) -> str:
        """Return the identifier of an item, or a new UUID."""
        return str(item.get("id") or self.world.ids.uuid())

    def timestamps(self, item: Json) -> Json:
        """Return `createdAt` and `updatedAt` of an item; by default, when the project was created."""
        created = self.time(item, "createdAt") or self.project.created_at
        return {"createdAt": created, "updatedAt": self.time(item, "updatedAt") or created}

    def row(self, item: Json, kind: str, id: str) -> Json:
        """Return a row of the project with the defaults of its kind."""
        return {"id": id, "projectId": self.project.id, **_with_defaults(item, kind), **self.timestamps(item)}


def _with_defaults(item: Json, kind: str) -> Json:
    """Return the members of an item that a row has, with the defaults of `world.schema.json` for missing ones."""
    properties: Json = packaged_schema("world_file/world.schema.json")["$defs"][kind]["properties"]
    return {
        name: deepcopy(item.get(name, rules.get("default")))
        for name, rules in properties.items()
        if name not in {"key", "id", "createdAt", "updatedAt"}
    }


def _ids_by_name(items: Sequence[Json], ids: Sequence[str]) -> dict[str, str]:
    """Return identifiers by each name that the file may use for them: the identifier itself, and the key."""
    keys = {item["key"]: id for item, id in zip(items, ids, strict=True) if "key" in item}
    return {**{id: id for id in ids}, **keys}
