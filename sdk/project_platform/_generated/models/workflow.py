"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Any
from uuid import UUID

from ...calls.model import Expected, Model, absent


class Workflow(Model, frozen=True):
    """A workflow."""

    id: Expected[str] = absent()
    """Identifier."""
    project_id: Expected[UUID] = absent()
    """The project it belongs to."""
    name: Expected[str] = absent()
    """Name, 1 to 200 characters."""
    description: str | None = None
    """Description, at most 1000 characters."""
    tags: Expected[list[str]] = absent()
    """At most 12 tags, each 1 to 40 characters."""
    trigger_type_slug: Expected[str] = absent()
    """Slug of the trigger's type, 1 to 120 characters."""
    trigger_event_type: Expected[str] = absent()
    """Type of the triggering event, 1 to 120 characters."""
    actions: Expected[list[Any]] = absent()
    """What the workflow does; the shape of an element is not shown."""
    trigger_condition: Any = None
    """Condition on the trigger; its shape is not shown."""
    is_active: Expected[bool] = absent()
    """Whether the workflow is active; exists for backward compatibility."""
    revision: Expected[str] = absent()
    """Revision of the workflow."""
    created_at: Expected[datetime.datetime] = absent()
    """When it was created."""
    updated_at: Expected[datetime.datetime] = absent()
    """When it was last changed."""
