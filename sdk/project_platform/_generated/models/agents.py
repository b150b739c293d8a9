"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Annotated, Any

from pydantic import Field

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


class Pagination(Model, frozen=True):
    """Where a page stands in its list."""

    limit: Expected[int] = absent()
    """Items on a page at most."""
    offset: Expected[int] = absent()
    """Items before this page."""
    has_more: Expected[bool] = absent()
    """Whether there are items after this page."""


class AgentsPage(Model, frozen=True):
    """A page of agent definitions."""

    agents: Annotated[list[Agent], Field(max_length=1000, fail_fast=True)]
    """The agent definitions of the page."""
    pagination: Pagination
    """Where a page stands in its list."""
