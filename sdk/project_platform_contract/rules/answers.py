"""Endpoints, Resources: the success response of each operation."""

from __future__ import annotations

from .per_operation import rule_per_operation

RULES = rule_per_operation(
    "answers",
    "The success response of {operation} has the documented members and types.",
    "{section}, response; Resources",
)
