"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .template_report import TemplateReport


class TemplateApply(Model, frozen=True):
    """How applying a template went."""

    status: Expected[str] = absent()
    """`applied` is the only value shown."""
    report: Expected[TemplateReport] = absent()
    """What landed and what failed."""
    error: str | None = None
    """What went wrong, if anything did."""
