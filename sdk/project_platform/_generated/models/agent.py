"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Any

from ...calls.model import Model
from .agent_access import AgentAccess
from .mcp_server import McpServer
from .tool_category import ToolCategory


class Agent(Model, frozen=True):
    """An agent definition."""

    id: str | None = None
    """Identifier."""
    project_id: str | None = None
    """The project it belongs to."""
    name: str | None = None
    """Name."""
    description: str | None = None
    """Description."""
    built_in: bool | None = None
    """Whether it comes with the service."""
    system_prompt: str | None = None
    """The system prompt."""
    memory_files: list[str] | None = None
    """Memory files it reads."""
    tool_categories: list[ToolCategory] | None = None
    """Categories of tools it may use."""
    mcp_servers: list[McpServer] | None = None
    """MCP servers it may call."""
    access: AgentAccess | None = None
    """Who may use it."""
    allowed_roles: list[str] | None = None
    """Roles that may use it."""
    max_steps: int | None = None
    """Steps it takes at most."""
    model: str | None = None
    """Model it runs on."""
    metadata: dict[str, Any] | None = None
    """Free-form JSON."""
    created_at: datetime.datetime | None = None
    """When it was created."""
    updated_at: datetime.datetime | None = None
    """When it was last changed."""
