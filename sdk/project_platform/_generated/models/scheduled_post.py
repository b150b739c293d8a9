"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from uuid import UUID

from ...calls.model import Model
from .post_account import PostAccount
from .post_media import PostMedia


class ScheduledPost(Model, frozen=True):
    """A scheduled post. Publishing one whose status is `failed` tries again."""

    id: UUID | None = None
    """Identifier."""
    project_id: str | None = None
    """The project it belongs to."""
    social_account_id: UUID | None = None
    """The connected account it is posted from."""
    platform: str | None = None
    """The network."""
    caption: str | None = None
    """Text of the post."""
    media_type: str | None = None
    """Kind of media."""
    container_id: str | None = None
    """Identifier of the media container at the network."""
    scheduled_for: str | None = None
    """When it is to be published."""
    timezone: str | None = None
    """Time zone of the schedule."""
    status: str | None = None
    """Status; `failed` is the only value shown."""
    published_at: str | None = None
    """When it was published."""
    permalink: str | None = None
    """Address of the published post."""
    error_message: str | None = None
    """Why publishing failed."""
    created_at: str | None = None
    """When it was created."""
    updated_at: str | None = None
    """When it was last changed."""
    link_url: str | None = None
    """Address the post links to."""
    cover_store_url: str | None = None
    """Address of the cover in the object store."""
    media: list[PostMedia] | None = None
    """Its media."""
    account: PostAccount | None = None
    """The account it is posted from."""
