"""Rules that hold for operation after operation, as one rule for each of them."""

from __future__ import annotations

from collections.abc import Callable

from project_platform_contract.operations import Operation, operations

from .rule import Rule


def dashed(operation: str) -> str:
    """Return an operationId as it stands in the identifiers of rules."""
    return operation.replace("_", "-")


def each(
    prefix: str, statement: str, section: str, where: Callable[[Operation], bool] = lambda operation: True
) -> tuple[Rule, ...]:
    """Return a rule for each operation.

    Args:
        prefix: What the identifiers begin with; the operation follows.
        statement: What the rule says; `{operation}` stands for the operationId.
        section: Where the specification says it; `{section}` stands for the operation's own, such as `Endpoints 4`.
        where: Which operations it is about.
    """
    return tuple(
        Rule(
            f"{prefix}.{dashed(operation.id)}",
            statement.format(operation=operation.id),
            section.format(section=operation.section),
            operation.id,
            operation.effect,
        )
        for operation in operations()
        if where(operation)
    )


def of_a_project(operation: Operation) -> bool:
    """Return whether a project is part of the operation's path."""
    return "{projectId}" in operation.path


def of_a_project_and_reads(operation: Operation) -> bool:
    """Return whether a project is part of the operation's path, and nothing is changed in it."""
    return of_a_project(operation) and operation.effect == "read"
