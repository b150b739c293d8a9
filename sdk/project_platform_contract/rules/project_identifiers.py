"""Resources: `{projectId}` is a UUID, also for operations that write."""

from __future__ import annotations

from project_platform_contract.operations import Operation

from .per_operation import of_a_project, rule_per_operation


def writes_by_project_identifier(operation: Operation) -> bool:
    """Return whether an operation writes to a project, and a write to a wrong project would only add something.

    The sidebar is replaced as a whole, and no operation reads it, so that of a wrong project could not be restored.
    """
    return of_a_project(operation) and operation.effect != "read" and operation.id != "sidebar_replace"


RULES = rule_per_operation(
    "scope.project-uuid",
    "{operation} refuses a project identifier that is not a UUID.",
    "Resources",
    writes_by_project_identifier,
    inferred=True,
)
