"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .workflow import Workflow


class WorkflowResponse(Model, frozen=True):
    """A response with a workflow."""

    workflow: Workflow
    """A workflow."""
