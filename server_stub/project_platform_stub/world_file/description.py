"""A world file that was read and found right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from project_platform_stub.documents.document import Document, read_document
from project_platform_stub.documents.schema import Schema, packaged_schema
from project_platform_stub.world.domain import Json

from .checks import check_world
from .times import is_moment, is_zone


@dataclass(frozen=True, slots=True)
class WorldDescription:
    """What a world file says. Nothing in it may be changed: several worlds can be built from it.

    Attributes:
        name: Name of the file, without its ending.
        content: The world, as `world.schema.json` describes it.
    """

    name: str
    content: Json


def load_world_file(path: str | Path) -> WorldDescription:
    """Return the world that a YAML or JSON file describes.

    Raises:
        DocumentError: It cannot be read, or is no world; the text names file, line and place of every problem.
    """
    return read_world(read_document(Path(path)), Path(path).stem)


def read_world(document: Document, name: str) -> WorldDescription:
    """Return the world that a document describes, under a name.

    Raises:
        DocumentError: It is no world; the text names the place of every problem.
    """
    _schema().check(document)
    check_world(document)
    return WorldDescription(name, document.value)


@cache
def _schema() -> Schema:
    return Schema(packaged_schema("world_file/world.schema.json"), {"moment": is_moment, "zone": is_zone})
