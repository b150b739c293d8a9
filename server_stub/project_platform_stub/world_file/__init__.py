"""Worlds that people describe in a YAML or JSON file: read, checked, and built.

The format is `world.schema.json`; what a schema cannot say (that a record's type exists) is in `checks`.
"""

from __future__ import annotations

from .build import build, world_origin
from .description import WorldDescription, load_world_file, read_world

__all__ = ["WorldDescription", "build", "load_world_file", "read_world", "world_origin"]
