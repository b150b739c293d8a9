"""World files: read, check and build a world that a YAML or JSON file describes.

The format is `world.schema.json`; `build` has the rules that a schema cannot state, such as that a record's type exists.
"""

from __future__ import annotations

from .build import WorldDescription, load_world_file, read_world, world_origin

__all__ = ["WorldDescription", "load_world_file", "read_world", "world_origin"]
