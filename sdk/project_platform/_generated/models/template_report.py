"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .template_counts import TemplateCounts
from .template_failure import TemplateFailure
from .template_skip import TemplateSkip


class TemplateReport(Model, frozen=True):
    """The parts of a template that were applied, and those that failed."""

    counts: Expected[TemplateCounts] = absent()
    """Number of applied parts of each kind."""
    applied_count: Expected[int] = absent()
    """Number of applied parts."""
    skipped: Expected[list[TemplateSkip]] = absent()
    """What was skipped."""
    failures: Expected[list[TemplateFailure]] = absent()
    """What failed."""
    missing_variables: Expected[list[str]] = absent()
    """Variables that the template declares and for which no value was given."""
