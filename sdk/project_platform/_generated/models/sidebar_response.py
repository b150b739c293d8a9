"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .sidebar import Sidebar


class SidebarResponse(Model, frozen=True):
    """A response with the sidebar."""

    data: Sidebar
    """The sidebar of a project's dashboard."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""
