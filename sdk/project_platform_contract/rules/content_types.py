"""Endpoints: the content type of a request with a body."""

from __future__ import annotations

from .per_operation import rule_per_operation, with_a_body

RULES = rule_per_operation(
    "content-type.parameters",
    "A body of {operation} is read as JSON whatever parameters, capitals and blanks its content type has (RFC 9110 section 8.3.1).",
    "{section}, body",
    with_a_body,
    inferred=True,
)
