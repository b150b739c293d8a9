"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Any

from ...calls.model import Expected, Model, absent


class MemoryEntry(Model, frozen=True):
    """A memory entry."""

    id: Expected[str] = absent()
    """Identifier."""
    project_id: Expected[str] = absent()
    """The project it belongs to."""
    slug: Expected[str] = absent()
    """Slug; it may contain `/` for hierarchical paths."""
    title: Expected[str] = absent()
    """Title."""
    description: str | None = None
    """Description."""
    content: Expected[str] = absent()
    """Content."""
    metadata: Expected[dict[str, Any]] = absent()
    """Free-form JSON."""
    created_at: Expected[datetime.datetime] = absent()
    """When it was created."""
    updated_at: Expected[datetime.datetime] = absent()
    """When it was last changed."""
