"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Annotated, Any
from uuid import UUID

from ...calls.model import Expected, Model, NotNull, RequestModel, absent


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


class TemplateCounts(Model, frozen=True):
    """Number of applied parts of each kind."""

    object_types: Expected[int] = absent()
    """Object types."""
    object_relations: Expected[int] = absent()
    """Relations between object types."""
    roles: Expected[int] = absent()
    """Roles."""
    workflows: Expected[int] = absent()
    """Workflows."""
    sidebar_sections: Expected[int] = absent()
    """Sections of the sidebar."""
    per_role_hides: Expected[int] = absent()
    """Sidebar entries hidden for a role."""


class TemplateSkip(Model, frozen=True):
    """A part of a template that was skipped."""

    entity: Expected[str] = absent()
    """Kind of the part."""
    name: Expected[str] = absent()
    """Name of the part."""


class TemplateFailure(Model, frozen=True):
    """A part of a template that failed."""

    entity: Expected[str] = absent()
    """Kind of the part."""
    name: Expected[str] = absent()
    """Name of the part."""
    error: str | None = None
    """What went wrong."""
    code: Expected[str] = absent()
    """A code for programs."""


class TemplateReport(Model, frozen=True):
    """The parts of a template that were applied, and those that failed."""

    counts: Expected[TemplateCounts] = absent()
    """Number of applied parts of each kind."""
    applied_count: Expected[int] = absent()
    """Number of applied parts."""
    skipped: Expected[list[TemplateSkip]] = absent()
    """Parts that were skipped."""
    failures: Expected[list[TemplateFailure]] = absent()
    """What failed."""
    missing_variables: Expected[list[str]] = absent()
    """Variables that the template declares and for which no value was given."""


class TemplateApply(Model, frozen=True):
    """The result of applying a template."""

    status: Expected[str] = absent()
    """`applied` is the only value shown."""
    report: Expected[TemplateReport] = absent()
    """The parts that were applied, and those that failed."""
    error: str | None = None
    """What went wrong, if anything did."""


class TemplateApplyResult(Model, frozen=True):
    """The new sub-project, and the result of applying the template."""

    project: Expected[SubProject] = absent()
    """The new sub-project."""
    template_apply: Expected[TemplateApply] = absent()
    """The result of applying the template."""


class TemplateResponse(Model, frozen=True):
    """A response with the result of applying a template."""

    data: TemplateApplyResult
    """The new sub-project, and the result of applying the template."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""


class ApplyTemplateBody(RequestModel, frozen=True):
    """The sub-project to create, and the values of the template's variables."""

    name: str
    """Name of the new sub-project."""
    variable_values: Annotated[dict[str, Any] | None, NotNull] = None
    """Value of each `{{variable}}` that the template declares."""
