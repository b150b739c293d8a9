"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .sidebar_section import SidebarSection


class Sidebar(Model, frozen=True):
    """The sidebar of a project's dashboard."""

    sections: list[SidebarSection] | None = None
    """The sections, in order."""
