"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .template_counts import TemplateCounts
from .template_failure import TemplateFailure
from .template_skip import TemplateSkip


class TemplateReport(Model, frozen=True):
    """What landed and what failed when a template was applied."""

    counts: TemplateCounts | None = None
    """How many of each kind landed."""
    applied_count: int | None = None
    """How many landed in all."""
    skipped: list[TemplateSkip] | None = None
    """What was skipped."""
    failures: list[TemplateFailure] | None = None
    """What failed."""
    missing_variables: list[str] | None = None
    """Variables that the template declares and no value was given for."""
