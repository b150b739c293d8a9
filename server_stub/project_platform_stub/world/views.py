"""Views of a world's state: its projects, identities and outbox as mappings and sequences."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, overload

from . import row_codecs
from .domain import Calendar, Event, Identity, Invitation, Json, ObjectType, Template
from .store import Rows, Source, T, Table


class Project:
    """A project and its content, to read and to change: `stub.project`, or one of `world.projects`.

    Its properties are live views, in the order in which rows were added. Assign a value to change it.
    """

    def __init__(self, source: Source, id: str) -> None:
        self._source = source
        self.id = id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Project) and (self.id, self._source) == (other.id, other._source)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<Project {self.name!r} {self.id}>"

    @property
    def name(self) -> str:
        """Display name."""
        return str(self._info["name"])

    @property
    def slug(self) -> str:
        """Slug, unique in a world."""
        return str(self._info["slug"])

    @property
    def created_at(self) -> str:
        """Time of creation, as the API returns it."""
        return str(self._info["createdAt"])

    @property
    def parent(self) -> str | None:
        """Identifier of the parent project; None for a project that is not a sub-project."""
        parent: str | None = self._info["parent"]
        return parent

    @property
    def members(self) -> Rows[str]:
        """Roles by the identifier of the member."""
        return self._rows(row_codecs.MEMBERS)

    @property
    def roles(self) -> Rows[frozenset[str]]:
        """Permissions by role."""
        return self._rows(row_codecs.ROLES)

    @property
    def object_types(self) -> Rows[ObjectType]:
        """Object types by slug."""
        return self._rows(row_codecs.OBJECT_TYPES)

    @property
    def object_relations(self) -> Rows[Json]:
        """Relations between object types, by name."""
        return self._rows(row_codecs.OBJECT_RELATIONS)

    @property
    def records(self) -> Rows[Json]:
        """Object records by identifier."""
        return self._rows(row_codecs.RECORDS)

    @property
    def relations(self) -> Rows[Json]:
        """Relations of records, by the record's identifier."""
        return self._rows(row_codecs.RELATIONS)

    @property
    def workflows(self) -> Rows[Json]:
        """Workflows by identifier."""
        return self._rows(row_codecs.WORKFLOWS)

    @property
    def calendars(self) -> Rows[Calendar]:
        """Connected calendars by identifier."""
        return self._rows(row_codecs.CALENDARS)

    @property
    def events(self) -> Rows[Event]:
        """Events that the service wrote, by `bookingUid`."""
        return self._rows(row_codecs.EVENTS)

    @property
    def templates(self) -> Rows[Template]:
        """Project templates by identifier."""
        return self._rows(row_codecs.TEMPLATES)

    @property
    def memory(self) -> Rows[Json]:
        """Memory entries by slug."""
        return self._rows(row_codecs.MEMORY)

    @property
    def agents(self) -> Rows[Json]:
        """Agent definitions by identifier."""
        return self._rows(row_codecs.AGENTS)

    @property
    def accounts(self) -> Rows[Json]:
        """Connected social accounts by identifier."""
        return self._rows(row_codecs.ACCOUNTS)

    @property
    def posts(self) -> Rows[Json]:
        """Scheduled posts by identifier."""
        return self._rows(row_codecs.POSTS)

    @property
    def media(self) -> Rows[list[Json]]:
        """Media with their figures, by the account's identifier."""
        return self._rows(row_codecs.MEDIA)

    @property
    def likes(self) -> Rows[Json]:
        """Likes, as `{"postId": ..., "accountId": ...}`, by the two identifiers joined with a space."""
        return self._rows(row_codecs.LIKES)

    @property
    def menu_items(self) -> Rows[Json]:
        """Menu items by identifier."""
        return self._rows(row_codecs.MENU_ITEMS)

    @property
    def primary_calendar(self) -> str | None:
        """Identifier of the calendar for requests that name no calendar."""
        primary: str | None = self._settings.get("primaryCalendar")
        return primary

    @primary_calendar.setter
    def primary_calendar(self, id: str | None) -> None:
        self._settings["primaryCalendar"] = id

    @property
    def web_analytics(self) -> Json | None:
        """The web-analytics configuration; None while web analytics is not configured."""
        config: Json | None = self._settings.get("webAnalytics")
        return config

    @web_analytics.setter
    def web_analytics(self, config: Json | None) -> None:
        self._settings["webAnalytics"] = config

    @property
    def sidebar(self) -> list[Json]:
        """The sidebar's sections."""
        return list(self._settings.get("sidebar", ()))

    @sidebar.setter
    def sidebar(self, sections: list[Json]) -> None:
        self._settings["sidebar"] = sections

    @property
    def hides(self) -> list[Json]:
        """Sidebar items that are hidden from a role."""
        return list(self._settings.get("hides", ()))

    @hides.setter
    def hides(self, hides: list[Json]) -> None:
        self._settings["hides"] = hides

    @property
    def _info(self) -> Json:
        return Rows(self._source, row_codecs.PROJECTS, "")[self.id]

    @property
    def _settings(self) -> Rows[Any]:
        return self._rows(row_codecs.SETTINGS)

    def _rows(self, table: Table[T]) -> Rows[T]:
        return Rows(self._source, table, self.id)


class Projects(Mapping[str, Project]):
    """The projects of a world by identifier, in the order of their creation."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows = Rows(source, row_codecs.PROJECTS, "")

    def __getitem__(self, id: str) -> Project:
        if id not in self._rows:
            raise KeyError(id)
        return Project(self._source, id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, id: str, name: str, slug: str, created_at: str, parent: str | None) -> Project:
        """Add an empty project."""
        self._rows[id] = {"name": name, "slug": slug, "createdAt": created_at, "parent": parent}
        return self[id]


class Ids:
    """A generator of identifiers; worlds with the same seed get the same sequence."""

    def __init__(self, source: Source, seed: int) -> None:
        self._source = source
        self._seed = seed

    def uuid(self) -> str:
        """Return a new UUID, version 4."""
        return str(uuid.UUID(bytes=self._bytes(16), version=4))

    def short(self, prefix: str) -> str:
        """Return a new identifier such as `rec_1f0c8e5b7a2d`."""
        return f"{prefix}_{self._bytes(6).hex()}"

    def _bytes(self, size: int) -> bytes:
        return blake2b(b"%d:%d" % (self._seed, self._source.draw()), digest_size=size).digest()


class Outbox(Sequence[Invitation]):
    """The mails to attendees, oldest first."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows: Rows[Invitation] = Rows(source, row_codecs.OUTBOX, "")

    @overload
    def __getitem__(self, index: int) -> Invitation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Invitation]: ...
    def __getitem__(self, index: int | slice) -> Invitation | list[Invitation]:
        if isinstance(index, slice):
            return self._rows.all()[index]
        return self._rows.page(range(len(self._rows))[index], 1)[0]

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it is mutable

    def __repr__(self) -> str:
        return repr(self._rows.all())

    def append(self, mail: Invitation) -> None:
        """Add a mail."""
        self._rows[str(self._source.state.added + 1)] = mail

    def clear(self) -> None:
        """Delete all mails."""
        self._rows.clear()


class Contents:
    """The content of a world: identities, projects and mails, and a generator of new identifiers.

    Attributes:
        seed: Seed of new identifiers.
    """

    def __init__(self, source: Source, seed: int) -> None:
        self._source = source
        self.seed = seed

    @property
    def ids(self) -> Ids:
        """Generator of new identifiers."""
        return Ids(self._source, self.seed)

    @property
    def identities(self) -> Rows[Identity]:
        """Users and service accounts, by identifier."""
        return Rows(self._source, row_codecs.IDENTITIES, "")

    @property
    def projects(self) -> Projects:
        """Projects, by identifier."""
        return Projects(self._source)

    @property
    def outbox(self) -> Outbox:
        """Mails to attendees, oldest first."""
        return Outbox(self._source)

    def permissions(self, identity: Identity, project: Project) -> frozenset[str]:
        """Return the permissions of an identity in a project; none if it is not a member."""
        return project.roles.get(project.members.get(identity.id, ""), frozenset())

    def home(self, identity: Identity) -> Project:
        """Return the home project of an identity, which has no members if it does not exist."""
        return Project(self._source, identity.home)

    def identity(self, key: str) -> Identity:
        """Return the identity with this key.

        Raises:
            LookupError: The world has no such identity.
        """
        for identity in self.identities.values():
            if identity.key == key:
                return identity
        known = ", ".join(identity.key for identity in self.identities.values())
        raise LookupError(f"This world has no identity {key!r}; it has: {known}")
