"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated, Any

from ...calls.model import NotNull, RequestModel


class UpdateRecordBody(RequestModel, frozen=True):
    """Changes of an object record, and their preconditions."""

    data: Annotated[dict[str, Any] | None, NotNull] = None
    """Merged into the record's data; a key whose value is null is deleted."""
    external_id: str | None = None
    """Identifier of the record in another system."""
    expected_data: Annotated[dict[str, Any] | None, NotNull] = None
    """Precondition; the record's data must contain this JSON."""
    expected_status: Annotated[str | None, NotNull] = None
    """Precondition; the record's status must be this."""
    relations: Annotated[dict[str, Any] | None, NotNull] = None
    """Relations to other records; the shape is not shown."""
