"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Any

from ...calls.model import Expected, Model, RequestModel, absent


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


class MemoryResponse(Model, frozen=True):
    """A response with a memory entry."""

    entry: MemoryEntry
    """A memory entry."""


class UpdateMemoryBody(RequestModel, frozen=True):
    """Changes of a memory entry; fields that are not given remain unchanged."""

    title: str | None = None
    """Title."""
    description: str | None = None
    """Description."""
    content: str | None = None
    """Content."""
    metadata: dict[str, Any] | None = None
    """Free-form JSON; it replaces the previous value."""
