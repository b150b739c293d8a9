"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated, Any

from ...calls.model import Expected, Model, absent
from ...masking import SECRET


class McpServer(Model, frozen=True):
    """An MCP server."""

    name: Expected[str] = absent()
    """Name."""
    url: Expected[str] = absent()
    """Address."""
    headers: Annotated[dict[str, Any] | None, SECRET] = None
    """Headers to send."""
