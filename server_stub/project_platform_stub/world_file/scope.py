"""The context of an item of a world file: its world, its project, and the identifiers that names refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime

from project_platform_stub.documents.schema import packaged_schema
from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.world.domain import Json
from project_platform_stub.world.store import Contents, Project

from .times import read_moment


@dataclass(frozen=True, slots=True)
class Scope:
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
        return {"id": id, "projectId": self.project.id, **with_defaults(item, kind), **self.timestamps(item)}


def with_defaults(item: Json, kind: str) -> Json:
    """Return the members of an item that a row has, with the defaults of `world.schema.json` for missing ones."""
    properties: Json = packaged_schema("world_file/world.schema.json")["$defs"][kind]["properties"]
    return {
        name: deepcopy(item.get(name, rules.get("default")))
        for name, rules in properties.items()
        if name not in {"key", "id", "createdAt", "updatedAt"}
    }


def ids_by_name(items: Sequence[Json], ids: Sequence[str]) -> dict[str, str]:
    """Return identifiers by each name that the file may use for them: the identifier itself, and the key."""
    keys = {item["key"]: id for item, id in zip(items, ids, strict=True) if "key" in item}
    return {**{id: id for id in ids}, **keys}
