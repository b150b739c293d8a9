"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent


class TemplateCounts(Model, frozen=True):
    """Number of applied parts of each kind."""

    object_types: Expected[int] = absent()
    """Object types."""
    object_relations: Expected[int] = absent()
    """Relations between object types."""
    roles: Expected[int] = absent()
    """Roles."""
    workflows: Expected[int] = absent()
    """Workflows."""
    sidebar_sections: Expected[int] = absent()
    """Sections of the sidebar."""
    per_role_hides: Expected[int] = absent()
    """Sidebar entries hidden for a role."""
