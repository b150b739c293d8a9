"""The type of a rule."""

from __future__ import annotations

from dataclasses import dataclass

from project_platform_contract.operations import Effect


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the specification.

    Attributes:
        id: Identifier, such as `records.update.merge`; it never changes.
        statement: The rule in one sentence, in the suite's words.
        section: Sections of the specification that state it, such as `Endpoints 4, rule 2`.
        operation: The operationId; None if the rule applies to all operations.
        effect: The worst effect of the requests that prove the rule.
        inferred: Whether the specification has no sentence for it, so that a deployment may differ and still be correct. Reported apart; a data file can switch it off.
    """

    id: str
    statement: str
    section: str
    operation: str | None
    effect: Effect
    inferred: bool = False
