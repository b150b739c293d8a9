"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .template_counts import TemplateCounts
from .template_failure import TemplateFailure
from .template_skip import TemplateSkip


class TemplateReport(Model, frozen=True):
    """What landed and what failed when a template was applied."""

    counts: Expected[TemplateCounts] = absent()
    """How many of each kind landed."""
    applied_count: Expected[int] = absent()
    """How many landed in all."""
    skipped: Expected[list[TemplateSkip]] = absent()
    """What was skipped."""
    failures: Expected[list[TemplateFailure]] = absent()
    """What failed."""
    missing_variables: Expected[list[str]] = absent()
    """Variables that the template declares and no value was given for."""
