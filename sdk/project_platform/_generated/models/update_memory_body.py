"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Any

from ...calls.model import RequestModel


class UpdateMemoryBody(RequestModel, frozen=True):
    """What to change about a memory entry; what is not given stays."""

    title: str | None = None
    """Title."""
    description: str | None = None
    """Description."""
    content: str | None = None
    """Content."""
    metadata: dict[str, Any] | None = None
    """Free-form JSON; it replaces what was there."""
