"""What the service does: an operation changes what it is described to change, and nothing else; a refused request changes nothing."""

from __future__ import annotations

from .per_operation import rule_per_operation

RULES = rule_per_operation(
    "scope.unaffected",
    "Requests of {operation}, accepted or refused, change nothing that other operations answer: neither permissions, lists, "
    "figures and configurations, nor other records, entries and events.",
    "What the service does; {section}",
    lambda operation: operation.effect != "read",
)
