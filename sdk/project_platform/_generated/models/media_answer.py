"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .media_list import MediaList


class MediaAnswer(Model, frozen=True):
    """The answer that carries media analytics."""

    data: MediaList
    """Media with their figures."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""
