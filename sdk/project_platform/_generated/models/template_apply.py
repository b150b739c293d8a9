"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .template_report import TemplateReport


class TemplateApply(Model, frozen=True):
    """The result of applying a template."""

    status: Expected[str] = absent()
    """`applied` is the only value shown."""
    report: Expected[TemplateReport] = absent()
    """The parts that were applied, and those that failed."""
    error: str | None = None
    """What went wrong, if anything did."""
