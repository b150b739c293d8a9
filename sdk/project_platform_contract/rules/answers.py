"""Endpoints, Resources: the success response of each operation."""

from __future__ import annotations

from .per_operation import rule_per_operation, with_a_body

RULES = (
    *rule_per_operation(
        "answers",
        "The success response of {operation} has the documented members and types.",
        "{section}, response; Resources",
    ),
    *rule_per_operation(
        "accepts",
        "{operation} accepts a request with few members. Which ones are required is not specified.",
        "{section}, request",
        with_a_body,
        inferred=True,
    ),
)
