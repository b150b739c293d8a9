"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated, Any

from ...calls.model import NotNull, RequestModel


class CreateRecordBody(RequestModel, frozen=True):
    """An object record to create."""

    type_slug: str
    """Identifier of the object type."""
    data: Annotated[dict[str, Any] | None, NotNull] = None
    """Free-form JSON, keyed by field."""
    external_id: Annotated[str | None, NotNull] = None
    """Identifier of the record in another system."""
    relations: Annotated[dict[str, Any] | None, NotNull] = None
    """Relations to other records; the shape is not shown."""
