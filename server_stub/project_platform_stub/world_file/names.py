"""The names by which parts of a world file refer to each other: keys, which exist only in the file, and identifiers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from project_platform_stub.documents.document import Document, Problems, did_you_mean
from project_platform_stub.documents.syntax import Place
from project_platform_stub.world.domain import Json


class Names:
    """The names of all things of one kind.

    Args:
        document: The file.
        problems: Collects duplicate and unknown names.
        kind: The kind, such as `record of this project`.
        known: Names that exist without being defined in the file.
    """

    def __init__(self, document: Document, problems: Problems, kind: str, known: Iterable[str] = ()) -> None:
        self._document = document
        self._problems = problems
        self._kind = kind
        self._known: dict[str, Place] = dict.fromkeys(known, ())

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def add(self, place: Place, item: Json, *fields: str) -> None:
        """Add the names of an item, which are the values of its `fields`; a duplicate is a problem."""
        for field in fields:
            if field in item:
                self.add_name((*place, field), item[field], place)

    def add_name(self, place: Place, name: str, owner: Place | None = None) -> None:
        """Add a name that is at a place, and belongs to the item at `owner` or at the same place."""
        first = self._known.setdefault(name, owner or place)
        if first and first != (owner or place):
            line = self._document.line(first)
            self._problems.add(place, f'"{name}" is already the name of another {self._kind}, on line {line}')

    def require(self, place: Place, name: str) -> None:
        """Add a problem if the name at a place is unknown."""
        if name not in self._known:
            self._problems.add(place, f'refers to an unknown {self._kind}: "{name}"{did_you_mean(name, self._known)}')


def items(place: Place, parent: Json, member: str) -> Iterator[tuple[Place, Any]]:
    """Yield the items of an optional list, each with its place."""
    for index, item in enumerate(parent.get(member, ())):
        yield (*place, member, index), item
