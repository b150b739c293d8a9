"""The content of a world: tables in one immutable state, and projects, identities and mails as views of them.

A write to a `State` returns a new one that shares all unchanged rows with the old one, so a snapshot and its restoration
take constant time. `Rows` is a mutable mapping over a table of a `Source`: through a `World` each write is a transaction,
through `World.transaction` all writes become visible together or not at all.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import cache, cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Self, TypeAlias, TypeVar, overload

from rpds import HashTrieMap

from .domain import Calendar, Event, Identity, Invitation, Json, ObjectType, Part, Template

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from .world import World

T = TypeVar("T")
Source: TypeAlias = "World | Writes"  # A state that can be read and written.


class Key(NamedTuple):
    """The address of a row: its project (empty for the tables of the world), its table, and its identifier in it."""

    project: str
    table: str
    id: str


class Row(NamedTuple):
    """A row: its value, and its position in the order in which rows were added."""

    number: int
    value: Any


@dataclass(frozen=True)
class Collection:
    """The rows of a table in one state."""

    rows: HashTrieMap[str, Row] = field(default_factory=HashTrieMap)

    @cached_property
    def ordered(self) -> tuple[tuple[str, Any], ...]:
        """Identifiers and values in the order in which rows were added."""
        rows = sorted(self.rows.items(), key=lambda item: item[1].number)
        return tuple((id, row.value) for id, row in rows)


_EMPTY = Collection()


@dataclass(frozen=True, slots=True)
class State:
    """All rows of a world, immutable; tables are collections by project and table name.

    Attributes:
        added: Number of rows added so far, deleted ones included.
        drawn: Number of identifiers drawn so far.
    """

    tables: HashTrieMap[tuple[str, str], Collection] = field(default_factory=HashTrieMap)
    added: int = 0
    drawn: int = 0

    def collection(self, project: str, table: str) -> Collection:
        """Return the rows of a table."""
        return self.tables.get((project, table), _EMPTY)

    def rows(self) -> Iterator[tuple[Key, Row]]:
        """Yield all rows of all tables."""
        for (project, table), collection in self.tables.items():
            for id, row in collection.rows.items():
                yield Key(project, table, id), row


@dataclass(frozen=True, slots=True)
class Origin:
    """The initial state of a world, to which `World.reset` returns.

    Attributes:
        name: `demo`, or the name of a world file.
        seed: Seed of new identifiers.
    """

    name: str
    seed: int
    state: State


class Writes:
    """A source that collects writes on top of a state.

    Attributes:
        state: The state with the writes so far.
        changes: The written rows by key; None for a deleted row.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.changes: dict[Key, Row | None] = {}

    def put(self, key: Key, value: Any) -> None:
        """Add a row, or replace its value; a replaced row keeps its position."""
        rows = self.state.collection(key.project, key.table).rows
        before = rows.get(key.id)
        added = self.state.added + (before is None)
        row = Row(added if before is None else before.number, value)
        self._change(key, row, rows.insert(key.id, row), added)

    def remove(self, key: Key) -> None:
        """Delete a row, or raise a `KeyError` if it does not exist."""
        rows = self.state.collection(key.project, key.table).rows
        self._change(key, None, rows.remove(key.id), self.state.added)

    def _change(self, key: Key, row: Row | None, rows: HashTrieMap[str, Row], added: int) -> None:
        tables = self.state.tables.insert((key.project, key.table), Collection(rows))
        self.state = State(tables, added, self.state.drawn)
        self.changes[key] = row

    def draw(self) -> int:
        """Return the number of the next identifier."""
        self.state = replace(self.state, drawn=self.state.drawn + 1)
        return self.state.drawn

    def writing(self) -> AbstractContextManager[Writes]:
        """Return these writes."""
        return nullcontext(self)

    def copied(self, value: T) -> T:
        """Return the value itself: handlers of operations never change a value in place."""
        return value


class Rows(MutableMapping[str, T]):
    """A table of a source, as a mutable mapping in the order in which rows were added.

    Assign a value to change it. A value that is read through a `World` is a copy; changing the copy has no effect.
    """

    def __init__(self, source: Source, table: str, project: str) -> None:
        self._source = source
        self._place = (project, table)

    def __getitem__(self, id: str) -> T:
        value: T = self._collection.rows[id].value
        return self._source.copied(value)

    def __setitem__(self, id: str, value: T) -> None:
        with self._source.writing() as writes:
            writes.put(Key(*self._place, id), self._source.copied(value))

    def __delitem__(self, id: str) -> None:
        with self._source.writing() as writes:
            writes.remove(Key(*self._place, id))

    def __contains__(self, id: object) -> bool:
        return id in self._collection.rows

    def __iter__(self) -> Iterator[str]:
        return (id for id, _ in self._collection.ordered)

    def __len__(self) -> int:
        return len(self._collection.rows)

    def __repr__(self) -> str:
        return f"{self._place[1]}: {dict(self)!r}"

    def all(self) -> list[T]:
        """Return the values in order."""
        return [self._source.copied(value) for _, value in self._collection.ordered]

    @property
    def _collection(self) -> Collection:
        return self._source.state.tables.get(self._place, _EMPTY)


def _unchanged(value: Any) -> Any:
    return value


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case frozenset():
            return sorted(value)
        case tuple():
            return list(map(_plain, value))
        case Part():
            return asdict(value)
        case _:
            return value


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter  # loaded on demand; most stubs have no state file

    return TypeAdapter(kind)


def _fields(kind: Any, **renamed: str) -> tuple[Callable[[Any], Json], Callable[[Json], Any]]:
    """Return the functions that convert a dataclass to JSON and back; `renamed` are names of fields in the JSON."""
    names = {item.name: renamed.get(item.name, item.name) for item in fields(kind)}

    def encode(value: Any) -> Json:
        return {name: _plain(getattr(value, field)) for field, name in names.items()}

    def decode(value: Json) -> Any:
        return _adapter(kind).validate_python({field: value[name] for field, name in names.items()})

    return encode, decode


class Table(Generic[T]):
    """A table of a project or of the world: an attribute with its rows, in the order in which they were added.

    Args:
        encode: Converts a value to the JSON of a state file.
        decode: Converts that JSON back to the value.
    """

    def __init__(self, encode: Callable[[T], Any] = _unchanged, decode: Callable[[Any], T] = _unchanged) -> None:
        self.encode = encode
        self.decode = decode

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name.strip("_")
        TABLES[self._name] = self

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Project | Contents, owner: type) -> Rows[T]: ...
    def __get__(self, instance: Project | Contents | None, owner: type) -> Self | Rows[T]:
        if instance is None:
            return self
        return Rows(instance._source, self._name, instance.id if isinstance(instance, Project) else "")


TABLES: Final[dict[str, Table[Any]]] = {}  # by the names that state files have


class Setting(Generic[T]):
    """A setting of a project: an attribute with its value, or with a default until it is set."""

    def __init__(self, name: str, default: Callable[[], T]) -> None:
        self._name = name
        self._default = default

    def __get__(self, project: Project, owner: type) -> T:
        value: T = project._settings.get(self._name) or self._default()
        return value

    def __set__(self, project: Project, value: T) -> None:
        project._settings[self._name] = value


class Project:
    """A project and its content, to read and to change: `stub.project`, or one of `world.projects`.

    Its properties are live views, in the order in which rows were added. Assign a value to change it.
    """

    members = Table[str]()
    """Roles by the identifier of the member."""
    roles = Table[frozenset[str]](sorted, frozenset)
    """Permissions by role."""
    object_types = Table[ObjectType](*_fields(ObjectType))
    """Object types by slug."""
    object_relations = Table[Json]()
    """Relations between object types, by name."""
    records = Table[Json]()
    """Object records by identifier."""
    relations = Table[Json]()
    """Relations of records, by the record's identifier."""
    workflows = Table[Json]()
    """Workflows by identifier."""
    calendars = Table[Calendar](*_fields(Calendar))
    """Connected calendars by identifier."""
    events = Table[Event](*_fields(Event, calendar_id="calendarId"))
    """Events that the service wrote, by `bookingUid`."""
    templates = Table[Template](*_fields(Template))
    """Project templates by identifier."""
    memory = Table[Json]()
    """Memory entries by slug."""
    agents = Table[Json]()
    """Agent definitions by identifier."""
    accounts = Table[Json]()
    """Connected social accounts by identifier."""
    posts = Table[Json]()
    """Scheduled posts by identifier."""
    media = Table[list[Json]]()
    """Media with their figures, by the account's identifier."""
    likes = Table[Json]()
    """Likes, as `{"postId": ..., "accountId": ...}`, by the two identifiers joined with a space."""
    menu_items = Table[Json]()
    """Menu items by identifier."""
    primary_calendar = Setting[str | None]("primaryCalendar", lambda: None)
    """Identifier of the calendar for requests that name no calendar."""
    web_analytics = Setting[Json | None]("webAnalytics", lambda: None)
    """The web-analytics configuration; None while web analytics is not configured."""
    sidebar = Setting[list[Json]]("sidebar", list)
    """The sidebar's sections."""
    hides = Setting[list[Json]]("hides", list)
    """Sidebar items that are hidden from a role."""
    _settings = Table[Any]()

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
    def _info(self) -> Json:
        return Rows[Json](self._source, "projects", "")[self.id]


class Projects(Mapping[str, Project]):
    """The projects of a world by identifier, in the order of their creation."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows = Rows[Json](source, "projects", "")

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


def uuid_id(seed: int, number: int) -> str:
    """Return the UUID with a number in the sequence of a seed."""
    return str(uuid.UUID(bytes=_digest(seed, number, 16), version=4))


def short_id(prefix: str, seed: int, number: int) -> str:
    """Return the identifier with a prefix and a number in the sequence of a seed."""
    return f"{prefix}_{_digest(seed, number, 6).hex()}"


def _digest(seed: int, number: int, size: int) -> bytes:
    return blake2b(b"%d:%d" % (seed, number), digest_size=size).digest()


class Outbox(Sequence[Invitation]):
    """The mails to attendees, oldest first."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._rows: Rows[Invitation] = Rows(source, "outbox", "")

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

    identities = Table[Identity](*_fields(Identity))
    """Users and service accounts, by identifier."""
    _projects = Table[Json]()
    _outbox = Table[Invitation](*_fields(Invitation))

    def __init__(self, source: Source, seed: int) -> None:
        self._source = source
        self.seed = seed

    def new_uuid(self) -> str:
        """Return a new UUID, version 4; worlds with the same seed get the same sequence of identifiers."""
        return uuid_id(self.seed, self._draw())

    def new_id(self, prefix: str) -> str:
        """Return a new identifier such as `rec_1f0c8e5b7a2d`."""
        return short_id(prefix, self.seed, self._draw())

    def _draw(self) -> int:
        with self._source.writing() as writes:
            return writes.draw()

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
