"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class TemplateFailure(Model, frozen=True):
    """A part of a template that failed."""

    entity: str | None = None
    """Kind of the part."""
    name: str | None = None
    """Name of the part."""
    error: str | None = None
    """What went wrong."""
    code: str | None = None
    """A code for programs."""
