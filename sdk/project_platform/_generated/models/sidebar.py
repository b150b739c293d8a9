"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .sidebar_section import SidebarSection


class Sidebar(Model, frozen=True):
    """The sidebar of a project's dashboard."""

    sections: Expected[list[SidebarSection]] = absent()
    """The sections, in order."""
