"""The values that a world stores.

Values that the service returns unchanged (a workflow, a record, an agent) are stored as the `Json` object that it
returns; values that the service computes with (calendar events, templates) are dataclasses.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Identity:
    """A user or a service account.

    Attributes:
        key: Its name in tests and on the command line, such as `owner`; unique in a world.
        id: The `sub` of its tokens.
        kind: A service account is not a real user.
        home: Identifier of the project for requests whose path names no project.
    """

    key: str
    id: str
    name: str
    kind: Literal["user", "service_account"]
    home: str


@dataclass(frozen=True, slots=True)
class ObjectType:
    """A type of object records; records of a type with `links_to_person` have a `personRefId`."""

    slug: str
    name: str
    links_to_person: bool = False


@dataclass(frozen=True, slots=True)
class Calendar:
    """A calendar of the external provider, as its connection lets the service see it.

    Attributes:
        id: Identifier at the provider.
        scopes: Scopes that the connection has granted.
        blocks: Busy intervals, as start and end, that the service did not write.
    """

    id: str
    scopes: frozenset[str]
    blocks: tuple[tuple[datetime, datetime], ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """An event that the service wrote to a calendar.

    Attributes:
        uid: Its `bookingUid`.
        start: Start, in UTC.
        end: End, in UTC.
        zone: IANA time zone of start and end in responses; None for UTC.
        attendee: Attendee, as the booking gave it.
        metadata: Metadata, as the booking gave them.
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
        entity: Kind of the entity that it creates, a key of `APPLIERS`.
        body: The entity, with `{{variable}}` placeholders in its strings.
        fails: The `error` and `code` of its failure; None for a part that does not fail by design.
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
