"""Names by which one part of a world file refers to another: keys, which only the file knows, and identifiers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from project_platform_stub.documents.document import Document, Problems, did_you_mean
from project_platform_stub.documents.syntax import Place
from project_platform_stub.world.domain import Json


class Names:
    """The names of all things of one kind.

    Args:
        document: The file they are in.
        problems: Where to tell of a name that is there twice, or not at all.
        kind: What they are, such as `record of this project`.
        known: Names that need no line of the file.
    """

    def __init__(self, document: Document, problems: Problems, kind: str, known: Iterable[str] = ()) -> None:
        self._document = document
        self._problems = problems
        self._kind = kind
        self._known: dict[str, Place] = dict.fromkeys(known, ())

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def add(self, place: Place, item: Json, *fields: str) -> None:
        """Add something by the members that name it; a name that something else has is a problem."""
        for field in fields:
            if field in item:
                self.add_name((*place, field), item[field], place)

    def add_name(self, place: Place, name: str, owner: Place | None = None) -> None:
        """Add a name that stands at a place and belongs to what is at `owner`, or there."""
        first = self._known.setdefault(name, owner or place)
        if first and first != (owner or place):
            line = self._document.line(first)
            self._problems.add(place, f'"{name}" names another {self._kind} already, on line {line}')

    def require(self, place: Place, name: str) -> None:
        """Tell if a name at a place names nothing."""
        if name not in self._known:
            self._problems.add(place, f'"{name}" is no {self._kind}{did_you_mean(name, self._known)}')


def items(place: Place, parent: Json, member: str) -> Iterator[tuple[Place, Any]]:
    """Yield the items of a list that may be missing, each with its place."""
    for index, item in enumerate(parent.get(member, ())):
        yield (*place, member, index), item
