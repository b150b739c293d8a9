"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated, Any

from ...calls.model import NotNull, RequestModel


class ApplyTemplateBody(RequestModel, frozen=True):
    """The sub-project to create, and the values of the template's variables."""

    name: str
    """Name of the new sub-project."""
    variable_values: Annotated[dict[str, Any] | None, NotNull] = None
    """Value of each `{{variable}}` that the template declares."""
