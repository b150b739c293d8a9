"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Any

from ...calls.model import Expected, Model, absent


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
