"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from uuid import UUID

from ...calls.model import Model


class PostMedia(Model, frozen=True):
    """A media item of a post."""

    id: UUID | None = None
    """Identifier."""
    store_key: str | None = None
    """Key in the object store."""
    store_url: str | None = None
    """Address in the object store."""
    media_type: str | None = None
    """Kind of media."""
    filename: str | None = None
    """File name."""
    mime_type: str | None = None
    """MIME type."""
    size_bytes: int | None = None
    """Size in bytes."""
    order_index: int | None = None
    """Place among the media of the post."""
