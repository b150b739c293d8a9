"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .workflow import Workflow


class WorkflowAnswer(Model, frozen=True):
    """The answer that carries a workflow."""

    workflow: Workflow
    """A workflow."""
