"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from uuid import UUID

from ...calls.model import Model


class SubProject(Model, frozen=True):
    """A sub-project that was created from a template."""

    id: UUID | None = None
    """Identifier."""
    name: str | None = None
    """Name."""
    slug: str | None = None
    """Slug."""
    created_at: datetime.datetime | None = None
    """When it was created."""
