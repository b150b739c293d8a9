"""Kinds of operations that a row of the table of rules may name instead of one operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from project_platform_contract.operations import Operation
from project_platform_contract.request_schema import may_break


def dashed(operation: str) -> str:
    """Return an operationId in the form that identifiers of rules use, such as `agents-list`."""
    return operation.replace("_", "-")


def with_a_body(operation: Operation) -> bool:
    """Return whether the requests of an operation have a body, as those of methods that create or change something have."""
    return operation.method in {"POST", "PUT", "PATCH"}


def of_a_project(operation: Operation) -> bool:
    """Return whether the path of an operation has a project."""
    return "{projectId}" in operation.path


def of_a_project_and_reads(operation: Operation) -> bool:
    """Return whether the path of an operation has a project, and the operation only reads."""
    return of_a_project(operation) and operation.effect == "read"


def adds_to_a_project(operation: Operation) -> bool:
    """Return whether an operation writes to a project, and a write to a wrong project would only add something.

    The sidebar is replaced as a whole, and no operation reads it, so that of a wrong project could not be restored.
    """
    return of_a_project(operation) and operation.effect != "read" and operation.id != "sidebar_replace"


KINDS: Final[Mapping[str, Callable[[Operation], bool]]] = {
    "all": lambda operation: True,
    "with a body": with_a_body,
    "of a project": of_a_project,
    "of a project, reads": of_a_project_and_reads,
    "of a project, adds": adds_to_a_project,
    "may be broken": lambda operation: may_break(operation.id),
    "changes": lambda operation: operation.effect != "read",
}
