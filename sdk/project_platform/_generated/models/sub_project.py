"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from uuid import UUID

from ...calls.model import Expected, Model, absent


class SubProject(Model, frozen=True):
    """A sub-project that was created from a template."""

    id: Expected[UUID] = absent()
    """Identifier."""
    name: Expected[str] = absent()
    """Name."""
    slug: Expected[str] = absent()
    """Slug."""
    created_at: Expected[datetime.datetime] = absent()
    """When it was created."""
