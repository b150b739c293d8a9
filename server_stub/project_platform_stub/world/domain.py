"""What a world holds, as values.

What the service answers as it stands (a workflow, a record, an agent) is kept in the shape in which it is answered, a
`Json` object; what has to be computed with (calendar events, roles, templates) is a dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """A user or a service account.

    Attributes:
        key: What tests and the command call it, such as `owner`; each identity of a world has another.
        id: The `sub` of its tokens.
        name: Name to show.
        kind: A service account is no real user.
        home: Project that is meant where a request names none.
    """

    key: str
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
class Calendar:
    """A calendar of the external provider, as its connection lets the service see it.

    Attributes:
        id: Identifier at the provider.
        scopes: What the connection has granted.
        blocks: Busy stretches that did not come from the service.
    """

    id: str
    scopes: frozenset[str]
    blocks: tuple[tuple[datetime, datetime], ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """An event that the service wrote to a calendar.

    Attributes:
        uid: Its `bookingUid`.
        calendar_id: The calendar it is on.
        start: When it starts, in UTC.
        end: When it ends, in UTC.
        zone: The IANA zone in which start and end are answered; None for UTC.
        summary: Its title.
        description: What more there is to say.
        attendee: Who is invited, as the booking said.
        metadata: What the booking said beside.
    """

    uid: str
    calendar_id: str
    start: datetime
    end: datetime
    zone: str | None
    summary: str
    description: str | None = None
    attendee: Json | None = None
    metadata: Json | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a template.

    Attributes:
        entity: The kind of thing it makes.
        body: What it makes, with `{{variable}}` in its texts.
        fails: The `error` and the `code` of its failure, if it is meant to fail.
    """

    entity: str
    body: Json
    fails: Json | None = None


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


def merged(document: Mapping[str, Any], changes: Mapping[str, Any]) -> Json:
    """Return a document with changes merged in, one level deep; a key whose new value is null is deleted."""
    return {key: value for key, value in {**document, **changes}.items() if key not in changes or value is not None}
