"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, RequestModel, absent


class SidebarItem(Model, frozen=True):
    """An item of a sidebar section."""

    label: Expected[str] = absent()
    """Label of the item."""
    icon: str | None = None
    """Name of the icon."""
    id: str | None = None
    """Identifier of the item."""
    feature_id: str | None = None
    """The feature it leads to."""
    plugin_id: str | None = None
    """The plugin it leads to."""
    href: str | None = None
    """The address it leads to."""
    custom_label: str | None = None
    """Label that replaces the default one."""


class SidebarSection(Model, frozen=True):
    """A section of the sidebar."""

    id: Expected[str] = absent()
    """Identifier of the section."""
    label: Expected[str] = absent()
    """Label of the section."""
    items: Expected[list[SidebarItem]] = absent()
    """The items, in order."""


class Sidebar(Model, frozen=True):
    """The sidebar of a project's dashboard."""

    sections: Expected[list[SidebarSection]] = absent()
    """The sections, in order."""


class SidebarResponse(Model, frozen=True):
    """A response with the sidebar."""

    data: Sidebar
    """The sidebar of a project's dashboard."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""


class ReplaceSidebarBody(RequestModel, frozen=True):
    """The sections that replace the sidebar."""

    sections: list[SidebarSection]
    """All sections, in order."""
