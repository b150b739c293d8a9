"""Finds the schema of a parameter, to be changed in place."""

from __future__ import annotations

from typing import Any

from project_platform_stub.contract import load_contract


def parameter(operation: str, name: str) -> dict[str, Any]:
    """Return the schema with which the stub validates a parameter of an operation."""
    contract = load_contract()
    pointer = next(known.pointer for known in contract.operations[operation].parameters if known.name == name)
    node: Any = {"components": contract.components}
    for part in pointer.removeprefix("#/").split("/"):
        node = node[part]
    while "$ref" in node:
        node = contract.components["schemas"][node["$ref"].rpartition("/")[2]]
    schema: dict[str, Any] = node
    return schema
