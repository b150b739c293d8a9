"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .template_apply_result import TemplateApplyResult


class TemplateAnswer(Model, frozen=True):
    """The answer that carries the result of applying a template."""

    data: TemplateApplyResult
    """The new sub-project, and how applying the template went."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""
