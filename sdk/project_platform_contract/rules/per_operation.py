"""Rules that apply to many operations, as one rule per operation."""

from __future__ import annotations

from collections.abc import Callable

from project_platform_contract.operations import Operation, operations

from .rule import Rule


def dashed(operation: str) -> str:
    """Return an operationId in the form that identifiers of rules use, such as `agents-list`."""
    return operation.replace("_", "-")


def rule_per_operation(
    prefix: str,
    statement: str,
    section: str,
    where: Callable[[Operation], bool] = lambda operation: True,
    *,
    inferred: bool = False,
) -> tuple[Rule, ...]:
    """Return a rule for each operation.

    Args:
        prefix: Beginning of the identifiers; the operation follows.
        statement: Statement of the rules; `{operation}` is replaced by the operationId.
        section: Cited sections; `{section}` is replaced by the section of the operation, such as `Endpoints 4`.
        where: Whether there is a rule for an operation.
        inferred: Whether the specification has no sentence for the rules.
    """
    return tuple(
        Rule(
            f"{prefix}.{dashed(operation.id)}",
            statement.format(operation=operation.id),
            section.format(section=operation.section),
            operation.id,
            operation.effect,
            inferred,
        )
        for operation in operations()
        if where(operation)
    )


def with_a_body(operation: Operation) -> bool:
    """Return whether the requests of an operation have a body, as those of methods that create or change something have."""
    return operation.method in {"POST", "PUT", "PATCH"}


def of_a_project(operation: Operation) -> bool:
    """Return whether the path of an operation has a project."""
    return "{projectId}" in operation.path


def of_a_project_and_reads(operation: Operation) -> bool:
    """Return whether the path of an operation has a project, and the operation only reads."""
    return of_a_project(operation) and operation.effect == "read"
