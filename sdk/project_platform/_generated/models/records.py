"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Annotated, Any

from ...calls.model import Expected, Model, NotNull, RequestModel, absent


class ObjectRecord(Model, frozen=True):
    """A CRM object record."""

    id: Expected[str] = absent()
    """Identifier."""
    type_slug: Expected[str] = absent()
    """Identifier of the object type."""
    display_name: str | None = None
    """Name to show."""
    external_id: str | None = None
    """Identifier of the record in another system."""
    data: Expected[dict[str, Any]] = absent()
    """Free-form JSON, keyed by field."""
    person_ref_id: str | None = None
    """The person linked by identity in the data of a person-linked type."""
    company_ref_id: str | None = None
    """The company linked."""
    amount_cents: str | None = None
    """An amount in cents, as a string."""
    currency: str | None = None
    """Currency of the amount."""
    status: str | None = None
    """Status; a precondition can be put on it."""
    occurred_at: datetime.datetime | None = None
    """When the recorded event took place."""
    provider_external_id: str | None = None
    """Identifier at the provider of the record."""
    created_at: Expected[datetime.datetime] = absent()
    """When it was created."""
    updated_at: Expected[datetime.datetime] = absent()
    """When it was last changed."""
    created_by: str | None = None
    """Who created it."""
    updated_by: str | None = None
    """Who last changed it."""


class RecordResponse(Model, frozen=True):
    """A response with an object record."""

    record: ObjectRecord
    """A CRM object record."""


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
