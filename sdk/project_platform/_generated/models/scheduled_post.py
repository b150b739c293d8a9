"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated
from uuid import UUID

from ...calls.model import Expected, Model, absent
from ...frames.columns import TIMESTAMP
from .post_account import PostAccount
from .post_media import PostMedia


class ScheduledPost(Model, frozen=True):
    """A scheduled post. Publishing one whose status is `failed` tries again."""

    id: Expected[UUID] = absent()
    """Identifier."""
    project_id: Expected[str] = absent()
    """The project it belongs to."""
    social_account_id: Expected[UUID] = absent()
    """The connected account it is posted from."""
    platform: Expected[str] = absent()
    """The network."""
    caption: str | None = None
    """Text of the post."""
    media_type: Expected[str] = absent()
    """Kind of media."""
    container_id: str | None = None
    """Identifier of the media container at the network."""
    scheduled_for: Annotated[str | None, TIMESTAMP] = None
    """When it is to be published."""
    timezone: str | None = None
    """Time zone of the schedule."""
    status: Expected[str] = absent()
    """Status; `failed` is the only value shown."""
    published_at: Annotated[str | None, TIMESTAMP] = None
    """When it was published."""
    permalink: str | None = None
    """Address of the published post."""
    error_message: str | None = None
    """Why publishing failed."""
    created_at: Annotated[Expected[str], TIMESTAMP] = absent()
    """When it was created."""
    updated_at: Annotated[Expected[str], TIMESTAMP] = absent()
    """When it was last changed."""
    link_url: str | None = None
    """Address the post links to."""
    cover_store_url: str | None = None
    """Address of the cover in the object store."""
    media: Expected[list[PostMedia]] = absent()
    """Its media."""
    account: PostAccount | None = None
    """The account it is posted from."""
