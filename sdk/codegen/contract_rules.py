"""Writes `docs/contract-rules.md` from the rules of the contract suite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from project_platform_contract.rules.rule import Rule

INTRODUCTION = """\
<!-- Generated from the rules of the contract suite by `python -m codegen`. Do not edit. -->

# The rules

The {count} rules of the [contract suite](guides/contract.md), in the order of the sections of the specification that they cite.
{{ .lead }}

The effect of a rule is the worst effect of the requests that prove it: `read` changes nothing, `write` can be
undone, `notify` sends messages to people, `irreversible` cannot be undone. For the {inferred} inferred rules the specification has
no sentence; they are [reported apart](guides/contract.md#inferred-rules). A rule about what no operation shows can be proven on the stub
only; on a deployment the report says so.
"""

HEADER = "| Rule | Statement | Section | Operation | Effect |\n|---|---|---|---|---|"


def page() -> str:
    """Return the page, as Markdown."""
    # Imported here, because the rules read openapi.yaml, and the generator must report its mistakes first.
    from project_platform_contract.operations import operations
    from project_platform_contract.rules import RULES

    parts = [INTRODUCTION.format(count=len(RULES), inferred=sum(rule.inferred for rule in RULES.values()))]
    for operation in [None, *(known.id for known in operations())]:
        found = [rule for rule in RULES.values() if rule.operation == operation]
        if found:
            title = "All operations" if operation is None else f"`{operation}`"
            parts.append(f"## {title}\n\n{_table(found)}\n")
    return "\n".join(parts)


def _table(rules: Iterable[Rule]) -> str:
    lines = [
        f"| `{rule.id}` | {_plain(rule.statement)} | {_section(rule)} | {_operation(rule)} | {rule.effect} |"
        for rule in rules
    ]
    return "\n".join([HEADER, *lines])


def _section(rule: Rule) -> str:
    return f"inferred: {_plain(rule.section)}" if rule.inferred else _plain(rule.section)


def _operation(rule: Rule) -> str:
    return "all" if rule.operation is None else f"`{rule.operation}`"


def _plain(text: str) -> str:
    """Return a string escaped for the cell of a Markdown table."""
    return (
        text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("{", "&#123;")
    )
