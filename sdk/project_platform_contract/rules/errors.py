"""Errors: the body of every error."""

from __future__ import annotations

from .per_operation import each
from .rule import Rule

RULES = (
    *each(
        "errors.body",
        "Errors of {operation} are JSON objects with a text `message`, and a text `code` if they have one.",
        "Errors",
    ),
    Rule(
        "errors.code",
        "`code` is optional: where an error has one, it is text.",
        "Errors",
        None,
        "read",
    ),
)
