"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .media_analytics import MediaAnalytics


class MediaList(Model, frozen=True):
    """Media with their figures."""

    media: list[MediaAnalytics]
    """The media."""
