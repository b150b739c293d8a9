"""The names in a world file: what they refer to, and problems with names that are unknown or used twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from project_platform_stub.documents.document import Problems, did_you_mean
from project_platform_stub.documents.syntax import Place
from project_platform_stub.world.domain import Json


class Names:
    """The identifiers of all things of one kind, by the names that the file may use for them.

    Args:
        kind: The kind, such as `record of this project`.
        known: Names that exist without being defined in the file, or may be defined again.
    """

    def __init__(self, problems: Problems, kind: str, known: Mapping[str, str]) -> None:
        self._problems = problems
        self._kind = kind
        self._ids = dict(known)
        self._places: dict[str, Place] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def add(self, place: Place, item: Json, *fields: str, id: str = "") -> None:
        """Add the names of an item, which are the values of its `fields`; a name of another item is a problem."""
        for field in fields:
            name = item.get(field)
            if name is not None and (first := self._places.setdefault(name, place)) != place:
                line = self._problems.document.line(first)
                problem = f'"{name}" is already the name of another {self._kind}, on line {line}'
                self._problems.add((*place, field), problem)
            elif name is not None:
                self._ids[name] = id

    def find(self, place: Place, name: str) -> str | None:
        """Return the identifier that the name at a place refers to; None after a problem if it is unknown."""
        if name not in self._ids:
            self._problems.add(place, f'refers to an unknown {self._kind}: "{name}"{did_you_mean(name, self._ids)}')
        return self._ids.get(name)


def items(place: Place, parent: Json, member: str) -> Iterator[tuple[Place, Any]]:
    """Yield the items of an optional list, each with its place."""
    for index, item in enumerate(parent.get(member, ())):
        yield (*place, member, index), item
