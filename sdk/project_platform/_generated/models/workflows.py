"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from ...calls.model import Expected, Model, NotNull, RequestModel, absent


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


class WorkflowResponse(Model, frozen=True):
    """A response with a workflow."""

    workflow: Workflow
    """A workflow."""


class CreateWorkflowBody(RequestModel, frozen=True):
    """A workflow to create."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    """Name, 1 to 200 characters."""
    trigger_type_slug: Annotated[str, Field(min_length=1, max_length=120)]
    """Slug of the trigger's type, 1 to 120 characters."""
    trigger_event_type: Annotated[str, Field(min_length=1, max_length=120)]
    """Type of the triggering event, 1 to 120 characters; the possible types are not shown."""
    actions: Annotated[list[Any] | None, NotNull] = None
    """What the workflow does; the shape of an element is not shown."""
    description: Annotated[str | None, Field(max_length=1000), NotNull] = None
    """Description, at most 1000 characters."""
    tags: Annotated[list[Annotated[str, Field(min_length=1, max_length=40)]] | None, Field(max_length=12), NotNull] = (
        None
    )
    """At most 12 tags, each 1 to 40 characters."""
    trigger_condition: Any = None
    """Condition on the trigger; any JSON, its shape is not shown."""
    is_active: Annotated[bool | None, Field(strict=True), NotNull] = None
    """Exists for backward compatibility; activate a workflow through workflow drafts."""
