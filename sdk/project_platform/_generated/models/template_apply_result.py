"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .sub_project import SubProject
from .template_apply import TemplateApply


class TemplateApplyResult(Model, frozen=True):
    """The new sub-project, and how applying the template went."""

    project: SubProject | None = None
    """The new sub-project."""
    template_apply: TemplateApply | None = None
    """How applying the template went."""
