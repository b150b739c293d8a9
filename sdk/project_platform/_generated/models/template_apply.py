"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .template_report import TemplateReport


class TemplateApply(Model, frozen=True):
    """How applying a template went."""

    status: str | None = None
    """`applied` is the only value shown."""
    report: TemplateReport | None = None
    """What landed and what failed."""
    error: str | None = None
    """What went wrong, if anything did."""
