"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Any

from ...calls.model import Model


class MemoryEntry(Model, frozen=True):
    """A memory entry."""

    id: str | None = None
    """Identifier."""
    project_id: str | None = None
    """The project it belongs to."""
    slug: str | None = None
    """Slug; it may contain `/` for hierarchical paths."""
    title: str | None = None
    """Title."""
    description: str | None = None
    """Description."""
    content: str | None = None
    """Content."""
    metadata: dict[str, Any] | None = None
    """Free-form JSON."""
    created_at: datetime.datetime | None = None
    """When it was created."""
    updated_at: datetime.datetime | None = None
    """When it was last changed."""
