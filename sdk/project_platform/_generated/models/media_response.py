"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .media_list import MediaList


class MediaResponse(Model, frozen=True):
    """A response with media analytics."""

    data: MediaList
    """Media with their figures."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""
