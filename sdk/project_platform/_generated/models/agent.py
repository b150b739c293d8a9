"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Any

from ...calls.model import Expected, Model, absent
from .mcp_server import McpServer


class Agent(Model, frozen=True):
    """An agent definition."""

    id: Expected[str] = absent()
    """Identifier."""
    project_id: Expected[str] = absent()
    """The project it belongs to."""
    name: Expected[str] = absent()
    """Name."""
    description: str | None = None
    """Description."""
    built_in: Expected[bool] = absent()
    """Whether it comes with the service."""
    system_prompt: str | None = None
    """The system prompt."""
    memory_files: Expected[list[str]] = absent()
    """Memory files it reads."""
    tool_categories: Expected[list[str]] = absent()
    """Categories of tools it may use; `memory` is the only value shown."""
    mcp_servers: Expected[list[McpServer]] = absent()
    """MCP servers it may call."""
    access: Expected[str] = absent()
    """Who may use it; `project_member` is the only value shown."""
    allowed_roles: Expected[list[str]] = absent()
    """Roles that may use it."""
    max_steps: int | None = None
    """Steps it takes at most."""
    model: str | None = None
    """Model it runs on."""
    metadata: Expected[dict[str, Any]] = absent()
    """Free-form JSON."""
    created_at: Expected[datetime.datetime] = absent()
    """When it was created."""
    updated_at: Expected[datetime.datetime] = absent()
    """When it was last changed."""
