"""A rule of the specification, and how far proving it reaches into the world."""

from __future__ import annotations

from dataclasses import dataclass

from project_platform_contract.operations import Effect


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: Its identifier, such as `records.update.guard`; it never changes.
        statement: What the rule says, in a sentence of our own.
        section: Where the specification says it, such as `Endpoints 4, rule 2`.
        operation: The operation it is about, by operationId; None where it is about all.
        effect: The worst that proving it does.
    """

    id: str
    statement: str
    section: str
    operation: str | None
    effect: Effect
