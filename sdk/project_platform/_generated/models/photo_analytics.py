"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated

from pydantic import Field

from ...calls.model import Expected, Model, absent
from ...frames.columns import TIMESTAMP


class MediaAnalytics(Model, frozen=True):
    """A photo-network media item with its figures."""

    media_id: Expected[str] = absent()
    """Identifier of the media item."""
    media_type: Expected[str] = absent()
    """Kind of media."""
    timestamp: Annotated[Expected[str], TIMESTAMP] = absent()
    """When it was published."""
    caption: str | None = None
    """Text of the post."""
    media_url: str | None = None
    """Address of the media."""
    thumbnail_url: str | None = None
    """Address of the thumbnail."""
    permalink: str | None = None
    """Address of the post."""
    like_count: int | None = None
    """Likes."""
    comments_count: int | None = None
    """Comments."""
    shares: int | None = None
    """Shares."""
    impressions: int | None = None
    """Impressions."""
    reach: int | None = None
    """Accounts reached."""
    saved: int | None = None
    """Times saved."""
    engagement: int | None = None
    """Interactions in all."""


class MediaList(Model, frozen=True):
    """Media with their figures."""

    media: Annotated[list[MediaAnalytics], Field(fail_fast=True)]
    """The media."""


class MediaResponse(Model, frozen=True):
    """A response with media analytics."""

    data: MediaList
    """Media with their figures."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""
