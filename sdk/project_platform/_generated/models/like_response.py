"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class LikeResponse(Model, frozen=True):
    """The response to a like."""

    success: bool
    """Whether the like was given."""
