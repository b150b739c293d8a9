"""Endpoints 12: list agents."""

from __future__ import annotations

from project_platform_contract.rule import Rule

RULES = (
    Rule(
        "agents.list.limit-range",
        "A limit from 1 to 100 is taken; any other is refused.",
        "Limits; Endpoints 12",
        "agents_list",
        "read",
    ),
)
