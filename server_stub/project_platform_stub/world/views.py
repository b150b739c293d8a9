"""What is in a world, shown as projects and mappings over whatever source holds its state."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, overload

from . import row_codecs
from .domain import Calendar, Event, Identity, Invitation, Json, ObjectType, Template
from .store import Rows, Source, T, Table


class Project:
    """A project and all that is in it, to look at and to prepare: `stub.project`, or one of `world.projects`.

    It shows what is there when it is looked at, in the order in which it was added. A value is changed by assigning
    another one.
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
        """Its name."""
        return str(self._info["name"])

    @property
    def slug(self) -> str:
        """Its slug; no two projects of a world have the same."""
        return str(self._info["slug"])

    @property
    def created_at(self) -> str:
        """When it was created."""
        return str(self._info["createdAt"])

    @property
    def parent(self) -> str | None:
        """Identifier of the project that it is a sub-project of."""
        parent: str | None = self._info["parent"]
        return parent

    @property
    def members(self) -> Rows[str]:
        """Roles by the identifier of the identity that has them."""
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
        """Likes, as `{"postId": ..., "accountId": ...}`, by the two identifiers with a space between."""
        return self._rows(row_codecs.LIKES)

    @property
    def menu_items(self) -> Rows[Json]:
        """Menu items by identifier."""
        return self._rows(row_codecs.MENU_ITEMS)

    @property
    def primary_calendar(self) -> str | None:
        """Identifier of the calendar that is meant where a request names none."""
        primary: str | None = self._settings.get("primaryCalendar")
        return primary

    @primary_calendar.setter
    def primary_calendar(self, id: str | None) -> None:
        self._settings["primaryCalendar"] = id

    @property
    def web_analytics(self) -> Json | None:
        """The web-analytics configuration; None while there is none."""
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
    """The projects of a world by identifier, in the order in which they were made."""

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
        """Add a project with nothing in it."""
        self._rows[id] = {"name": name, "slug": slug, "createdAt": created_at, "parent": parent}
        return self[id]


class Ids:
    """Identifiers that come in the same order in every world with the same seed."""

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
    """The mails to attendees, in the order in which they were sent."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows: Rows[Invitation] = Rows(source, row_codecs.OUTBOX, "")

    @overload
    def __getitem__(self, index: int) -> Invitation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Invitation]: ...
    def __getitem__(self, index: int | slice) -> Invitation | list[Invitation]:
        return self._rows.all()[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return repr(self._rows.all())

    def append(self, mail: Invitation) -> None:
        """Send a mail."""
        self._rows[str(self._source.state.added + 1)] = mail

    def clear(self) -> None:
        """Forget the mails."""
        self._rows.clear()


class Contents:
    """What is in a world: identities, projects and mails, and where new identifiers come from.

    Attributes:
        seed: What the identifiers are drawn from.
    """

    def __init__(self, source: Source, seed: int) -> None:
        self._source = source
        self.seed = seed

    @property
    def ids(self) -> Ids:
        """New identifiers."""
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
        """Mails that were sent, in order."""
        return Outbox(self._source)

    def permissions(self, identity: Identity, project: Project) -> frozenset[str]:
        """Return what an identity may do in a project: nothing, unless it is a member."""
        return project.roles.get(project.members.get(identity.id, ""), frozenset())

    def identity(self, key: str) -> Identity:
        """Return the identity that is called `key`.

        Raises:
            LookupError: There is none.
        """
        for identity in self.identities.values():
            if identity.key == key:
                return identity
        known = ", ".join(identity.key for identity in self.identities.values())
        raise LookupError(f"There is no identity {key!r} in this world; there are: {known}")
