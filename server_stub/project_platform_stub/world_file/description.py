"""Reads and checks world files."""

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
    """The content of a valid world file. Do not change it: several worlds can be built from it.

    Attributes:
        name: Name of the file, without its suffix.
        content: The world, as `world.schema.json` describes it.
    """

    name: str
    content: Json


def load_world_file(path: str | Path) -> WorldDescription:
    """Return the world that a YAML or JSON file describes.

    Raises:
        DocumentError: The file cannot be read or is not valid; the message lists file, line and place of every problem.
    """
    return read_world(read_document(Path(path)), Path(path).stem)


def read_world(document: Document, name: str) -> WorldDescription:
    """Return the world that a document describes.

    Raises:
        DocumentError: The document is not valid; the message lists the place of every problem.
    """
    _schema().check(document)
    check_world(document)
    return WorldDescription(name, document.value)


@cache
def _schema() -> Schema:
    return Schema(packaged_schema("world_file/world.schema.json"), {"moment": is_moment, "zone": is_zone})
