"""Endpoints, Resources: requests that are generated from the schemas of the contract."""

from __future__ import annotations

from .per_operation import rule_per_operation

RULES = rule_per_operation(
    "schema",
    "{operation} answers valid generated requests as documented, and refuses generated requests with an invalid body or query.",
    "{section}; Resources",
)
