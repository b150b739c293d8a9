"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class TemplateCounts(Model, frozen=True):
    """How many of each kind a template brought."""

    object_types: int | None = None
    """Object types."""
    object_relations: int | None = None
    """Relations between object types."""
    roles: int | None = None
    """Roles."""
    workflows: int | None = None
    """Workflows."""
    sidebar_sections: int | None = None
    """Sections of the sidebar."""
    per_role_hides: int | None = None
    """Sidebar entries hidden for a role."""
