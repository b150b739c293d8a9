"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class PermissionCheck(Model, frozen=True):
    """The response to a permission check."""

    allowed: bool
    """Whether the caller holds the permission."""
