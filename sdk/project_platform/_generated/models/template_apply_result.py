"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .sub_project import SubProject
from .template_apply import TemplateApply


class TemplateApplyResult(Model, frozen=True):
    """The new sub-project, and the result of applying the template."""

    project: Expected[SubProject] = absent()
    """The new sub-project."""
    template_apply: Expected[TemplateApply] = absent()
    """The result of applying the template."""
