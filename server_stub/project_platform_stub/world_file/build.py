"""Builds worlds from world files.

A schema cannot state all rules of a file: that references resolve, to one thing of the right kind, is found out when a world
is built, so `read_world` builds one.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from project_platform_stub.contract import load_contract
from project_platform_stub.documents.document import Document, Problems, read_document
from project_platform_stub.documents.schema import Schema, packaged_schema
from project_platform_stub.documents.syntax import Place
from project_platform_stub.http.timestamps import wire_time, zones
from project_platform_stub.operations import Call
from project_platform_stub.operations.calendar import DEFAULT_LENGTH, WRITE_SCOPE
from project_platform_stub.operations.records import add_person, new_record
from project_platform_stub.operations.support.jsonb import merged
from project_platform_stub.operations.support.persons import Persons, carries_identity
from project_platform_stub.operations.support.template_parts import APPLIERS, VARIABLE, PartError, apply_part
from project_platform_stub.operations.templates import BUILT_IN_TYPES, new_project
from project_platform_stub.profile import Profile
from project_platform_stub.world.domain import Calendar, Event, Identity, Json, ObjectType, Part, Template
from project_platform_stub.world.permissions import ROLES
from project_platform_stub.world.store import Contents, Origin, Project, State, Writes

from .names import Names, items
from .times import ANY_TIME, is_moment, problem_of_interval, read_moment

_SCHEMA = "world_file/world.schema.json"
_AGE = "-30d"  # Default `createdAt` of a project, so that every later change has a later timestamp.
_READ_SCOPE = "calendar-events:read"
_SHOWN = ("username", "profilePictureUrl")  # of an account, with each of its posts
_SHORTHANDS = ("status", "amountCents", "currency")  # Members of a record that stand for members of its data.
_IDENTITIES: tuple[tuple[str, Literal["user", "service_account"], str], ...] = (
    ("people", "user", "user"),
    ("serviceAccounts", "service_account", "svc"),
)


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
    problems = Problems(document)
    _build(problems, Contents(Writes(State()), 0), ANY_TIME)
    problems.raise_any()
    return WorldDescription(name, document.value)


@cache
def _schema() -> Schema:
    return Schema(packaged_schema(_SCHEMA), {"moment": is_moment, "zone": zones().__contains__})


def world_origin(description: WorldDescription, now: datetime, seed: int) -> Origin:
    """Return the initial state of a world that a file describes.

    Relative times refer to `now`, and the identifiers that the file does not name depend on the seed.
    """
    writes = Writes(State())
    build(description.content, Contents(writes, seed), now)
    return Origin(description.name, seed, writes.state)


def build(content: Json, world: Contents, now: datetime) -> None:
    """Fill an empty world with the content of a valid file; relative times refer to `now`."""
    _build(Problems(Document("world", content)), world, now)


def _build(problems: Problems, world: Contents, now: datetime) -> None:
    content: Json = problems.document.value
    identities = Names(problems, "person or service account of this world", {})
    projects = Names(problems, "project of this world", {})
    people = []
    for member, kind, prefix in _IDENTITIES:
        for place, item in items((), content, member):
            id = item.get("id") or world.new_id(prefix)
            identities.add(place, item, "key", "id", id=id)
            people.append((place, item, id, kind))
    found = [(place, item, item.get("id") or world.new_uuid()) for place, item in items((), content, "projects")]
    for place, item, id in found:
        projects.add(place, item, "key", "id", id=id)
    parents = {id: projects.find((*place, "parent"), item["parent"]) for place, item, id in found if "parent" in item}
    builders = []
    for place, item, id in found:
        created_at = wire_time(read_moment(item.get("createdAt", _AGE), now))
        project = new_project(world, created_at, item["name"], parent=parents.get(id), id=id)
        builder = _ProjectBuilder(problems, place, item, world=world, project=project, now=now, identities=identities)
        builder.add_members()
        builders.append(builder)
        if _is_in_cycle(id, parents):
            problem = "leads to a cycle of parents; remove parent from one of these projects"
            problems.add((*place, "parent"), problem)
    for place, item, id, kind in people:
        home = projects.find((*place, "home"), item["home"]) if "home" in item else None
        memberships = (builder.project.id for builder in builders if id in builder.project.members)
        home = home or next(memberships, found[0][2])
        world.identities[id] = Identity(item["key"], id, str(item.get("name", item["key"])), kind, home)
    for builder in builders:
        builder.add_content()


def _is_in_cycle(id: str, parents: Mapping[str, str | None]) -> bool:
    ancestor = parents.get(id)
    for _ in parents:
        ancestor = parents.get(ancestor or "")
    return ancestor is not None  # It has more ancestors than there are projects with a parent.


class _ProjectBuilder:
    """Fills a project with the content that a file describes, and adds a problem for each mistake in it."""

    def __init__(
        self,
        problems: Problems,
        place: Place,
        content: Json,
        *,
        world: Contents,
        project: Project,
        now: datetime,
        identities: Names,
    ) -> None:
        self._problems = problems
        self._place = place
        self._content = content
        self._world = world
        self.project = project
        self._now = now
        self._identities = identities
        self._roles = self._names("role", *ROLES, *content.get("roles", ()))
        self._types = self._names("object type", *(built_in.slug for built_in in BUILT_IN_TYPES))

    def add_members(self) -> None:
        """Add the members."""
        for name, role in self._content.get("members", {}).items():
            place = (*self._place, "members", name)
            id = self._identities.find(place, name)
            self._roles.find(place, role)
            if id is not None:
                self.project.members[id] = role

    def add_content(self) -> None:
        """Add everything else."""
        project, content = self.project, self._content
        project.roles.update({role: frozenset(permissions) for role, permissions in content.get("roles", {}).items()})
        for place, item in self._items("objectTypes"):
            self._types.add(place, item, "slug")
            slug: str = item["slug"]
            project.object_types[slug] = ObjectType(slug, item.get("name", slug), item.get("linksToPerson", False))
        for place, item in self._named("objectRelations", "object relation", "name"):
            for end in ("from", "to"):
                self._types.find((*place, end), item[end])
            project.object_relations[item["name"]] = item
        self._add_records()
        self._add_calendars()
        self._add_social()
        for _, item in self._named("workflows", "workflow", "id"):
            workflow = self._row(item, "workflow", self._id(item, "wf"))
            project.workflows[workflow["id"]] = workflow
        for place, item in self._named("templates", "template", "key", "id"):
            template = self._template(place, item)
            project.templates[template.id] = template
        for _, item in self._named("memory", "memory entry", "slug"):
            project.memory[item["slug"]] = self._row(item, "memoryEntry", self._id(item, "mem"))
        for place, item in self._named("agents", "agent", "id"):
            agent = self._row(item, "agent", self._id(item, "agt"))
            project.agents[agent["id"]] = agent
            for index, role in enumerate(agent["allowedRoles"]):
                self._roles.find((*place, "allowedRoles", index), role)
        for _, item in self._named("menuItems", "menu item", "id"):
            id = self._uuid(item)
            project.menu_items[id] = {"id": id, **_with_defaults(item, "menuItem")}
        self._named("sidebar", "section", "id")
        if "sidebar" in content:
            project.sidebar = content["sidebar"]
        for place, item in self._items("hides"):
            self._roles.find((*place, "role"), item["role"])
        if "hides" in content:
            project.hides = content["hides"]
        if "webAnalytics" in content:
            item = content["webAnalytics"]
            project.web_analytics = self._row(item, "webAnalytics", self._id(item, "wac"))

    def _add_records(self) -> None:
        """Add records, and a person for each record whose data identifies one that the file does not have."""
        records, relations = self.project.records, self.project.relations
        found = [(place, item, self._id(item, "rec")) for place, item in self._named("records", "record", "key", "id")]
        external: dict[str, Names] = {}
        for place, item, id in found:
            self._types.find((*place, "type"), item["type"])
            external.setdefault(item["type"], self._names(item["type"])).add(place, item, "externalId")
            records[id] = self._record(place, item, id)
            relations[id] = item.get("relations", {})
        for kind in ("person", "company"):
            of_kind = [(item, id) for _, item, id in found if item["type"] == kind]
            known = {item[field]: id for item, id in of_kind for field in ("key", "id") if field in item}
            names = Names(self._problems, f"{kind} of this project", known)
            for place, item, id in found:
                if item.get(kind) is not None:
                    records[id] |= {f"{kind}RefId": names.find((*place, kind), item[kind])}
        self._link([id for _, item, id in found if "person" not in item])

    def _record(self, place: Place, item: Json, id: str) -> Json:
        for name in _SHORTHANDS:
            if name in item and item[name] != item.get("data", {}).get(name, item[name]):
                self._problems.add((*place, name), f"differs from data.{name}; give only one of the two")
        # Null values are dropped, as by records_create.
        data = merged({}, {**item.get("data", {}), **{name: item[name] for name in _SHORTHANDS if name in item}})
        author = self._author(place, item, "createdBy", next(iter(self.project.members), None))
        object_type = self.project.object_types.get(item["type"], BUILT_IN_TYPES[0])
        return {
            **new_record(id, object_type, data, "", author),
            "externalId": item.get("externalId"),
            "occurredAt": self._time(item, "occurredAt"),
            "providerExternalId": item.get("providerExternalId"),
            **self._timestamps(item),
            "updatedBy": self._author(place, item, "updatedBy", author),
        }

    def _author(self, place: Place, item: Json, member: str, default: str | None) -> str | None:
        return self._identities.find((*place, member), item[member]) if member in item else default

    def _link(self, ids: list[str]) -> None:
        """Link each record of a type that links to persons to the person that its data identifies."""
        records, types = self.project.records, self.project.object_types
        persons = Persons(records.all())
        for record in map(records.__getitem__, ids):
            if types[record["typeSlug"]].links_to_person and carries_identity(record["data"]):
                person = persons.find(record["data"])
                if person is None:
                    author, id = record["createdBy"], self._world.new_id("rec")
                    new = add_person(self.project, id, record["data"], record["createdAt"], author)
                    persons.add(new)
                    person = new["id"]
                records[record["id"]] = {**record, "personRefId": person}

    def _add_calendars(self) -> None:
        """Connect the calendars of a project; the only one is the primary one unless the file says otherwise."""
        project, names, events = self.project, self._names("calendar"), self._names("event")
        for place, item in self._items("calendars"):
            names.add(place, item, "key", "id", id=item["id"])
            blocks = [self._interval(at, block) for at, block in items(place, item, "busy")]
            scopes = frozenset(item.get("scopes", (_READ_SCOPE, WRITE_SCOPE)))
            project.calendars[item["id"]] = Calendar(item["id"], scopes, tuple(blocks))
            for at, event_item in items(place, item, "events"):
                events.add(at, event_item, "id")
                event = self._event(at, event_item, item["id"])
                project.events[event.uid] = event
        place = (*self._place, "primaryCalendar")
        if "primaryCalendar" in self._content:
            name = self._content["primaryCalendar"]
            project.primary_calendar = None if name is None else names.find(place, name)
        elif len(project.calendars) > 1:
            self._problems.add(place, "is required with several calendars; name one of them, or null for none")
        elif project.calendars:
            project.primary_calendar = next(iter(project.calendars))

    def _interval(self, place: Place, item: Json) -> tuple[datetime, datetime]:
        zone = item.get("timeZone")
        if problem := problem_of_interval(item["start"], item["end"], zone):
            self._problems.add((*place, "end"), problem)
        return read_moment(item["start"], self._now, zone), read_moment(item["end"], self._now, zone)

    def _event(self, place: Place, item: Json, calendar_id: str) -> Event:
        if "end" in item:
            start, end = self._interval(place, item)
            if "durationMinutes" in item:
                problem = "is given together with end; give only one of the two"
                self._problems.add((*place, "durationMinutes"), problem)
        else:
            start = read_moment(item["start"], self._now, item.get("timeZone"))
            minutes = item.get("durationMinutes")
            end = start + (DEFAULT_LENGTH if minutes is None else timedelta(minutes=int(minutes)))
        return Event(
            uid=self._id(item, "evt"),
            calendar_id=calendar_id,
            start=start,
            end=end,
            zone=item.get("timeZone"),
            summary=item["summary"],
            description=item.get("description"),
            attendee=item.get("attendee"),
            metadata=item.get("metadata"),
        )

    def _add_social(self) -> None:
        """Connect accounts, and add their posts, likes and media."""
        project, accounts = self.project, self._names("account")
        known: dict[str, str] = {}
        for place, item in self._items("accounts"):
            id = self._uuid(item)
            project.accounts[id] = {"id": id, **{name: item.get(name) for name in ("platform", *_SHOWN)}}
            accounts.add(place, item, "key", "id", id=id)
            if item["platform"] == "pagenet":
                known |= {item[field]: id for field in ("key", "id") if field in item}
            if item["platform"] == "photonet":
                media = self._names("medium")
                for at, medium in items(place, item, "media"):
                    media.add(at, medium, "mediaId")
                project.media[id] = [self._medium(medium) for medium in item.get("media", ())]
            elif "media" in item:
                self._problems.add((*place, "media"), "is only for accounts of photonet")
        pages = Names(self._problems, "account of pagenet of this project", known)
        for place, item in self._named("posts", "post", "id"):
            if "likedBy" in item and (item["account"] not in pages or item.get("status") != "published"):
                self._problems.add((*place, "likedBy"), "is only for published posts of pagenet")
            likers = [pages.find(at, name) for at, name in items(place, item, "likedBy")]
            account_id = accounts.find((*place, "account"), item["account"])
            if account_id is not None:
                post = self._post(item, project.accounts[account_id])
                project.posts[post["id"]] = post
                for liker in likers:
                    project.likes[f"{post['id']} {liker}"] = {"postId": post["id"], "accountId": liker}

    def _post(self, item: Json, account: Json) -> Json:
        post = self._row(item, "post", self._uuid(item))
        due = self._time(item, "scheduledFor", item.get("timezone"))
        published_at, permalink = self._time(item, "publishedAt"), item.get("permalink")
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
                {"id": self._uuid(medium), **_with_defaults({"orderIndex": index, **medium}, "postMedia")}
                for index, medium in enumerate(item.get("media", ()))
            ],
            "account": {name: account[name] for name in _SHOWN},
        }
        return {name: post[name] for name in load_contract().schema_fields("ScheduledPost")}

    def _medium(self, item: Json) -> Json:
        medium = _with_defaults(item, "media")
        interactions = sum(medium[name] for name in ("likeCount", "commentsCount", "shares", "saved"))
        return {
            **medium,
            "mediaId": item.get("mediaId") or self._world.new_id("med"),
            "timestamp": self._time(item, "timestamp") or self.project.created_at,
            "engagement": item.get("engagement", interactions),
        }

    def _template(self, place: Place, item: Json) -> Template:
        """Return a template, and add a problem for each part that would fail and has no `fails`."""
        parts, variables = [], tuple(item.get("variables", ()))
        scratch = Contents(Writes(State()), 0)
        project, caller = new_project(scratch, "", ""), Identity("", "", "", "user", "")
        call = Call(scratch, project, caller, self._now, "", {}, {}, {}, {}, Profile())
        for at, part in items(place, item, "parts"):
            entities = [entity for entity in APPLIERS if entity in part]
            if len(entities) != 1:
                self._problems.add(at, f"must have exactly one of {', '.join(APPLIERS)}, and optionally fails")
                continue
            parts.append(Part(entities[0], part[entities[0]], part.get("fails")))
            if "fails" not in part:
                try:
                    apply_part(parts[-1], {name: f"{{{{{name}}}}}" for name in variables}, project, call)
                except PartError as error:
                    if not VARIABLE.search(error.value):  # the value of a variable is not known here
                        self._problems.add((*at, entities[0]), f"would fail: {error}")
        return Template(self._id(item, "tpl"), item["name"], variables, tuple(parts))

    def _names(self, kind: str, *known: str) -> Names:
        return Names(self._problems, f"{kind} of this project", {name: name for name in known})

    def _items(self, member: str) -> list[tuple[Place, Json]]:
        return list(items(self._place, self._content, member))

    def _named(self, member: str, kind: str, *fields: str) -> list[tuple[Place, Json]]:
        """Return the items of a list, and add a problem for each name that two of them have."""
        names, found = self._names(kind), self._items(member)
        for place, item in found:
            names.add(place, item, *fields)
        return found

    def _time(self, item: Json, member: str, zone: str | None = None) -> str | None:
        """Return a time of an item as the service writes it; None if the item has no such member."""
        return wire_time(read_moment(item[member], self._now, zone)) if member in item else None

    def _id(self, item: Json, prefix: str) -> str:
        """Return the identifier of an item, or a new one such as `agt_1f0c8e5b7a2d`."""
        return str(item.get("id") or self._world.new_id(prefix))

    def _uuid(self, item: Json) -> str:
        """Return the identifier of an item, or a new UUID."""
        return str(item.get("id") or self._world.new_uuid())

    def _timestamps(self, item: Json) -> Json:
        """Return `createdAt` and `updatedAt` of an item; by default, when the project was created."""
        created = self._time(item, "createdAt") or self.project.created_at
        return {"createdAt": created, "updatedAt": self._time(item, "updatedAt") or created}

    def _row(self, item: Json, kind: str, id: str) -> Json:
        """Return a row of the project with the defaults of its kind."""
        return {"id": id, "projectId": self.project.id, **_with_defaults(item, kind), **self._timestamps(item)}


def _with_defaults(item: Json, kind: str) -> Json:
    """Return the members of an item that a row has, with the defaults of `world.schema.json` for missing ones."""
    properties: Json = packaged_schema(_SCHEMA)["$defs"][kind]["properties"]
    return {
        name: deepcopy(item.get(name, rules.get("default")))
        for name, rules in properties.items()
        if name not in {"key", "id", "createdAt", "updatedAt"}
    }
