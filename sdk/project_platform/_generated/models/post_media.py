"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from uuid import UUID

from ...calls.model import Expected, Model, absent


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
