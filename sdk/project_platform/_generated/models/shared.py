"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class ErrorBody(Model, frozen=True):
    """The body of every error."""

    message: str
    """What went wrong."""
    code: str | None = None
    """A code for programs; its values are not shown."""
