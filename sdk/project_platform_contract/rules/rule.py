"""The type of a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from project_platform_contract.operations import Effect

Kind: TypeAlias = Literal["stated", "expected", "inferred"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the specification.

    Attributes:
        id: Identifier, such as `records.update.merge`; it never changes.
        statement: The rule in one sentence, in the suite's words.
        sentences: Sentences of the specification that state it, word for word; none if it is not stated.
        section: Sections of the specification that the rule is about, such as `Endpoints 4, rule 2`.
        operation: The operationId; None if the rule applies to all operations.
        effect: The worst effect of the requests that prove the rule.
        kind: `stated` if the specification has a sentence for it; `expected` if it has none, but every reader expects the
            rule, so that it counts unless the data file waives it; `inferred` if the specification is silent, so that a
            deployment may differ and still be correct. Inferred rules are reported apart.
    """

    id: str
    statement: str
    sentences: tuple[str, ...]
    section: str
    operation: str | None
    effect: Effect
    kind: Kind = "stated"

    @property
    def inferred(self) -> bool:
        """Whether a deployment may differ and still be correct."""
        return self.kind == "inferred"
