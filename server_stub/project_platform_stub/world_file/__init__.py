"""World files: read, check and build a world that a YAML or JSON file describes.

The format is `world.schema.json`; `checks` has the rules that a schema cannot state, such as that a record's type exists.
"""

from __future__ import annotations

from .build import build, world_origin
from .checks import WorldDescription, load_world_file, read_world

__all__ = ["WorldDescription", "build", "load_world_file", "read_world", "world_origin"]
