"""The state of the service, in memory: a world of identities and projects under one lock.

What the service answers as it stands (a workflow, a record, an agent) is kept in the shape in which it is answered, a
`Json` object; what has to be computed with (calendar events, roles, templates) is a dataclass. A stored object is
replaced, never changed in place, so whoever read it keeps what was read.
"""

from __future__ import annotations

import random
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """A user or a service account.

    Attributes:
        id: The `sub` of its tokens.
        name: Name to show.
        kind: A service account is no real user.
        home: Project that is meant where a request names none.
    """

    id: str
    name: str
    kind: Literal["user", "service_account"]
    home: str


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A type of object records; records of a type that links to persons carry `personRefId`."""

    slug: str
    name: str
    links_to_person: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """An event on a calendar. `start` and `end` are in UTC; `zone` is the IANA zone in which they are answered."""

    uid: str
    start: datetime
    end: datetime
    zone: str | None
    summary: str
    description: str | None = None
    attendee: Json | None = None
    metadata: Json | None = None


@dataclass(slots=True)
class Calendar:
    """A calendar of the external provider, as its connection lets the service see it.

    Attributes:
        id: Identifier at the provider.
        scopes: What the connection has granted.
        blocks: Busy stretches that did not come from the service.
        events: Events that did, by `bookingUid`.
    """

    id: str
    scopes: frozenset[str]
    blocks: list[tuple[datetime, datetime]] = field(default_factory=list)
    events: dict[str, Event] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a template: the kind of thing it makes, and its text with `{{variable}}` in it."""

    entity: str
    body: Json


@dataclass(frozen=True, slots=True)
class Template:
    """A project template: the variables it declares, and its parts in the order in which they are applied."""

    id: str
    name: str
    variables: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Invitation:
    """A mail to an attendee: the invitation to a new event, or the update of one."""

    to: str
    kind: Literal["invitation", "update"]
    booking_uid: str
    summary: str
    start: str
    end: str


@dataclass(slots=True)
class Project:
    """A project and all that is in it. Members have a role each; a sub-project knows its parent."""

    id: str
    name: str
    slug: str
    created_at: str
    parent: str | None = None
    members: dict[str, str] = field(default_factory=dict)
    roles: dict[str, frozenset[str]] = field(default_factory=dict)
    object_types: dict[str, ObjectType] = field(default_factory=dict)
    object_relations: dict[str, Json] = field(default_factory=dict)
    records: dict[str, Json] = field(default_factory=dict)
    relations: dict[str, Json] = field(default_factory=dict)
    workflows: dict[str, Json] = field(default_factory=dict)
    calendars: dict[str, Calendar] = field(default_factory=dict)
    primary_calendar: str | None = None
    sidebar: list[Json] = field(default_factory=list)
    hides: list[Json] = field(default_factory=list)
    templates: dict[str, Template] = field(default_factory=dict)
    memory: dict[str, Json] = field(default_factory=dict)
    agents: list[Json] = field(default_factory=list)
    web_analytics: Json | None = None
    accounts: dict[str, Json] = field(default_factory=dict)
    posts: dict[str, Json] = field(default_factory=dict)
    media: dict[str, list[Json]] = field(default_factory=dict)
    likes: set[tuple[str, str]] = field(default_factory=set)
    menu_items: dict[str, Json] = field(default_factory=dict)


class Ids:
    """Identifiers that come in the same order in every world with the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  # repeatable on purpose; credentials are not made here

    def uuid(self) -> str:
        """Return a new UUID, version 4."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def short(self, prefix: str) -> str:
        """Return a new identifier such as `rec_1f0c8e5b7a2d`."""
        return f"{prefix}_{self._random.getrandbits(48):012x}"


@dataclass(slots=True)
class World:
    """One world: all state that a token of this world can reach.

    Attributes:
        id: Its identifier, the claim `world` of its tokens.
        ids: Where new identifiers come from.
        lock: Held while an operation checks and writes, so that nothing comes in between.
        identities: Users and service accounts, by identifier.
        sessions: Identifiers of identities, by session credential.
        projects: Projects, by identifier.
        outbox: Mails that were sent, in order.
    """

    id: str
    ids: Ids
    lock: threading.RLock = field(default_factory=threading.RLock)
    identities: dict[str, Identity] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    projects: dict[str, Project] = field(default_factory=dict)
    outbox: list[Invitation] = field(default_factory=list)

    def permissions(self, identity: Identity, project: Project) -> frozenset[str]:
        """Return what an identity may do in a project: nothing, unless it is a member."""
        return project.roles.get(project.members.get(identity.id, ""), frozenset())

    def identity_of_session(self, credential: str) -> Identity | None:
        """Return whose session a credential belongs to, if anyone's."""
        return self.identities.get(self.sessions.get(credential, ""))


def merged(document: Mapping[str, Any], changes: Mapping[str, Any]) -> Json:
    """Return a document with changes merged in, one level deep; a key whose new value is null is deleted."""
    return {key: value for key, value in {**document, **changes}.items() if key not in changes or value is not None}
