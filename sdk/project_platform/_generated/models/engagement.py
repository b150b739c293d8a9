"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from uuid import UUID

from ...calls.model import Model, RequestModel


class LikeResponse(Model, frozen=True):
    """The response to a like."""

    success: bool
    """Whether the like was given."""


class LikeBody(RequestModel, frozen=True):
    """The page that likes."""

    account_id: UUID
    """Identifier of the connected page account."""
