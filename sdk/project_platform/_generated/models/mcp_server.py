"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Any

from ...calls.model import Expected, Model, absent


class McpServer(Model, frozen=True):
    """An MCP server."""

    name: Expected[str] = absent()
    """Name."""
    url: Expected[str] = absent()
    """Address."""
    headers: dict[str, Any] | None = None
    """Headers to send."""
