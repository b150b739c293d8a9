"""Validation of requests against what the specification states about them.

Assumptions of the contract (`x-assumed`, such as required fields) are removed first: a request that violates only an
assumption may be valid.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from .operations import contract


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
    node = _node(operation)
    return "requestBody" in node or any(_limits(parameter) for parameter in node.get("parameters", []))


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
    media = _node(operation)["requestBody"]["content"]["application/json"]
    return Draft202012Validator(
        {**media["schema"], "components": stated_contract()["components"]}, format_checker=FormatChecker()
    )


def _is_valid_query(operation: str, name: str, value: Any) -> bool:
    for parameter in _node(operation).get("parameters", []):
        resolved = _resolved(parameter)
        if resolved["name"] == name and (limits := _limits(parameter)):
            try:
                number = int(str(value))
            except ValueError:
                return False
            return bool(limits.get("minimum", number) <= number <= limits.get("maximum", number))
    return True


def _limits(parameter: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an integer query parameter, whose range the specification limits; {} for others."""
    resolved = _resolved(parameter)
    schema: dict[str, Any] = resolved["schema"]
    return schema if resolved["in"] == "query" and schema.get("type") == "integer" else {}


def _resolved(parameter: dict[str, Any]) -> dict[str, Any]:
    resolved: dict[str, Any] = contract()["components"]["parameters"][parameter["$ref"].rpartition("/")[2]]
    return resolved


def _node(operation: str) -> dict[str, Any]:
    return next(
        node for item in contract()["paths"].values() for node in item.values() if node.get("operationId") == operation
    )
