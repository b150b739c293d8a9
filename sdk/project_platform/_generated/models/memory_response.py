"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .memory_entry import MemoryEntry


class MemoryResponse(Model, frozen=True):
    """A response with a memory entry."""

    entry: MemoryEntry
    """A memory entry."""
