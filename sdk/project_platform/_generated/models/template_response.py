"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .template_apply_result import TemplateApplyResult


class TemplateResponse(Model, frozen=True):
    """A response with the result of applying a template."""

    data: TemplateApplyResult
    """The new sub-project, and the result of applying the template."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""
