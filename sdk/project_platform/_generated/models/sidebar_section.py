"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .sidebar_item import SidebarItem


class SidebarSection(Model, frozen=True):
    """A section of the sidebar."""

    id: Expected[str] = absent()
    """Identifier of the section."""
    label: Expected[str] = absent()
    """Label of the section."""
    items: Expected[list[SidebarItem]] = absent()
    """The items, in order."""
