"""Validation of requests against what the specification states about them.

Assumptions of the contract (`x-assumed`, such as required fields) are removed first: a request that violates only an
assumption may be valid.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from .operations import contract, operation_by_id, resolved


def breaks(operation: str, arguments: Mapping[str, Any]) -> bool:
    """Return whether the `json` or the `query` of a call violates what the specification states.

    Members that are null are ignored, because the specification does not say whether null means "omitted".
    """
    if "json" in arguments:
        body = arguments["json"]
        if isinstance(body, dict):
            body = {name: value for name, value in body.items() if value is not None}
        if not _body(operation).is_valid(body):
            return True
    return any(not _is_valid_query(operation, name, value) for name, value in arguments.get("query", {}).items())


def may_break(operation: str) -> bool:
    """Return whether the specification constrains the body or the query of an operation."""
    return "requestBody" in operation_by_id(operation).node or bool(_limits(operation))


@cache
def stated_contract() -> dict[str, Any]:
    """Return the contract without its assumptions about requests, and without its examples, which are of the demo world."""
    document: dict[str, Any] = _without_examples(contract())
    for schema in document["components"]["schemas"].values():
        if "x-assumed" in schema:
            schema.pop("required", None)
        for member in schema.get("properties", {}).values():
            if "x-assumed" in member:
                member.pop("required", None)
    return document


def _without_examples(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: _without_examples(member) for name, member in node.items() if name != "example"}
    return [_without_examples(member) for member in node] if isinstance(node, list) else node


@cache
def _body(operation: str) -> Draft202012Validator:
    media = operation_by_id(operation).node["requestBody"]["content"]["application/json"]
    return Draft202012Validator(
        {**media["schema"], "components": stated_contract()["components"]}, format_checker=FormatChecker()
    )


def _is_valid_query(operation: str, name: str, value: Any) -> bool:
    limits = _limits(operation).get(name)
    if limits is None:
        return True
    try:
        number = int(str(value))
    except ValueError:
        return False
    return bool(limits.get("minimum", number) <= number <= limits.get("maximum", number))


def _limits(operation: str) -> dict[str, dict[str, Any]]:
    """Return the schemas of the integer query parameters, whose ranges the specification limits, by name."""
    parameters = (resolved(each["$ref"]) for each in operation_by_id(operation).node.get("parameters", []))
    return {
        parameter["name"]: parameter["schema"]
        for parameter in parameters
        if parameter["in"] == "query" and parameter["schema"].get("type") == "integer"
    }
