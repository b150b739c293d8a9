"""Endpoints, Resources: requests that are generated from the schemas of the contract."""

from __future__ import annotations

from project_platform_contract.request_schema import may_break

from .per_operation import rule_per_operation

RULES = (
    *rule_per_operation(
        "schema",
        "{operation} answers valid generated requests as documented.",
        "{section}; Resources",
    ),
    *rule_per_operation(
        "schema.invalid-refused",
        "{operation} refuses generated requests with an invalid body or query.",
        "{section}; Resources",
        lambda operation: may_break(operation.id),
        inferred=True,
    ),
)
