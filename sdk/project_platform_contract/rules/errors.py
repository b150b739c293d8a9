"""Errors: the body of every error."""

from __future__ import annotations

from .per_operation import rule_per_operation
from .rule import Rule

RULES = (
    *rule_per_operation(
        "errors.body",
        "Errors of {operation} are JSON objects with a string `message` and an optional string `code`.",
        "Errors",
    ),
    *rule_per_operation(
        "errors.number",
        "{operation} refuses with no more statuses than the specification counts, apart from those of invalid requests.",
        "{section}, error responses",
    ),
    Rule(
        "errors.code",
        "The optional `code` of an error is a string.",
        "Errors",
        None,
        "read",
    ),
)
