"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Any

from ...calls.model import RequestModel


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
