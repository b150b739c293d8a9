"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from uuid import UUID

from ...calls.model import RequestModel


class LikeBody(RequestModel, frozen=True):
    """The page that likes."""

    account_id: UUID
    """Identifier of the connected page account."""
