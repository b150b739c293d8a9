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
    Rule(
        "errors.code",
        "The optional `code` of an error is a string.",
        "Errors",
        None,
        "read",
    ),
)
