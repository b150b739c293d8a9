"""Operations that confirm a change without making it, for rules that no other mutation breaks.

The rules of a new operation thus have a mutation from the start. A rule that does not detect it needs a mutation of its
operation.
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
    """Return the rules that no mutation breaks, except `schema.*`, whose generated requests find what other rules miss."""
    broken = {id for known in MUTATIONS.values() for pattern in known.kills for id in matching(RULES, pattern)}
    return [id for id in RULES if id not in broken and not id.startswith("schema.")]


def idle(operation: str) -> Break:
    """Return a mutation that lets an operation write to a copy of the world, which is discarded."""

    def answered(rule: Handler, call: Call) -> Answer:
        copy = Contents(Writes(call.world._source.state), call.world.seed)
        return rule(replace(call, world=copy, project=copy.projects[call.project.id]))

    def apply() -> None:
        wrap(operation, answered)

    apply.__name__ = f"{operation}_changes_nothing"
    return apply


def register() -> None:
    """Register a mutation for each operation that writes and has rules that no mutation breaks."""
    rules = unbroken()
    for operation in operations():
        broken = [id for id in rules if RULES[id].operation == operation.id]
        if broken and operation.effect != "read":
            mutation(*broken)(idle(operation.id))
