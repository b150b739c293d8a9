"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class TemplateSkip(Model, frozen=True):
    """A part of a template that was skipped."""

    entity: str | None = None
    """Kind of the part."""
    name: str | None = None
    """Name of the part."""
