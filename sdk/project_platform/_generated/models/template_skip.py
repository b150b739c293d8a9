"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent


class TemplateSkip(Model, frozen=True):
    """A part of a template that was skipped."""

    entity: Expected[str] = absent()
    """Kind of the part."""
    name: Expected[str] = absent()
    """Name of the part."""
