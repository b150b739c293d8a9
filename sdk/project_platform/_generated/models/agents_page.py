"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated

from pydantic import Field

from ...calls.model import Model
from .agent import Agent
from .pagination import Pagination


class AgentsPage(Model, frozen=True):
    """A page of agent definitions."""

    agents: Annotated[list[Agent], Field(max_length=1000)]
    """The agent definitions of the page."""
    pagination: Pagination
    """Where a page stands in its list."""
