"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Any

from ...calls.model import Model


class McpServer(Model, frozen=True):
    """An MCP server."""

    name: str | None = None
    """Name."""
    url: str | None = None
    """Address."""
    headers: dict[str, Any] | None = None
    """Headers to send."""
