"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent


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
