"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from ...calls.model import Expected, Model, absent
from ...frames.columns import TIMESTAMP


class PostMedia(Model, frozen=True):
    """A media item of a post."""

    id: Expected[UUID] = absent()
    """Identifier."""
    store_key: Expected[str] = absent()
    """Key in the object store."""
    store_url: str | None = None
    """Address in the object store."""
    media_type: Expected[str] = absent()
    """Kind of media."""
    filename: str | None = None
    """File name."""
    mime_type: str | None = None
    """MIME type."""
    size_bytes: int | None = None
    """Size in bytes."""
    order_index: Expected[int] = absent()
    """Position among the media of the post."""


class PostAccount(Model, frozen=True):
    """The account a post is made from."""

    username: Expected[str] = absent()
    """Name of the account."""
    profile_picture_url: str | None = None
    """Address of its picture."""


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


class Posts(Model, frozen=True):
    """Scheduled posts."""

    posts: Annotated[list[ScheduledPost], Field(fail_fast=True)]
    """The posts."""


class PostsResponse(Model, frozen=True):
    """A response with scheduled posts."""

    data: Posts
    """Scheduled posts."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""
