"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent


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
