"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .sidebar import Sidebar


class SidebarAnswer(Model, frozen=True):
    """The answer that carries the sidebar."""

    data: Sidebar
    """The sidebar of a project's dashboard."""
    success: bool | None = None
    """Whether the call succeeded."""
