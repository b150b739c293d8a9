"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .sidebar_item import SidebarItem


class SidebarSection(Model, frozen=True):
    """A section of the sidebar."""

    id: str | None = None
    """Identifier of the section."""
    label: str | None = None
    """Label of the section."""
    items: list[SidebarItem] | None = None
    """The items, in order."""
