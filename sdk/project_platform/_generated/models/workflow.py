"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Any
from uuid import UUID

from ...calls.model import Model


class Workflow(Model, frozen=True):
    """A workflow."""

    id: str | None = None
    """Identifier."""
    project_id: UUID | None = None
    """The project it belongs to."""
    name: str | None = None
    """Name, 1 to 200 characters."""
    description: str | None = None
    """Description, at most 1000 characters."""
    tags: list[str] | None = None
    """At most 12 tags, each 1 to 40 characters."""
    trigger_type_slug: str | None = None
    """Slug of the trigger's type, 1 to 120 characters."""
    trigger_event_type: str | None = None
    """Type of the event that triggers, 1 to 120 characters."""
    actions: list[Any] | None = None
    """What the workflow does; the shape of an element is not shown."""
    trigger_condition: Any = None
    """Condition on the trigger; its shape is not shown."""
    is_active: bool | None = None
    """Whether the workflow is active; kept for backward compatibility."""
    revision: str | None = None
    """Revision of the workflow."""
    created_at: datetime.datetime | None = None
    """When it was created."""
    updated_at: datetime.datetime | None = None
    """When it was last changed."""
