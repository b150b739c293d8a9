"""Operations that answer as if they were carried out and change nothing, for rules that no other mutation breaks.

So a rule of a new operation has a mutation before anyone writes one; one that survives this needs its own.
"""

from __future__ import annotations

from dataclasses import replace
from fnmatch import filter as matching

from project_platform_contract.operations import operations
from project_platform_contract.rules import RULES
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.store import Writes
from project_platform_stub.world.views import Contents

from .mutation import MUTATIONS, Break, mutation, wrap


def unbroken() -> list[str]:
    """Return the rules that no mutation breaks.

    Those of `schema.*` are none of the specification's: they look for what the others miss, with requests that are
    generated.
    """
    broken = {id for each in MUTATIONS.values() for pattern in each.kills for id in matching(RULES, pattern)}
    return [id for id in RULES if id not in broken and not id.startswith("schema.")]


def idle(operation: str) -> Break:
    """Return what makes an operation write to a copy of the world that is thrown away."""

    def answered(rule: Handler, call: Call) -> Answer:
        copy = Contents(Writes(call.world._source.state), call.world.seed)
        return rule(replace(call, world=copy, project=copy.projects[call.project.id]))

    def apply() -> None:
        wrap(operation, answered)

    apply.__name__ = f"{operation}_changes_nothing"
    return apply


def register() -> None:
    """Register a mutation for each operation that writes and has rules that no mutation breaks."""
    left = unbroken()
    for operation in operations():
        own = [id for id in left if RULES[id].operation == operation.id]
        if own and operation.effect != "read":
            mutation(*own)(idle(operation.id))
