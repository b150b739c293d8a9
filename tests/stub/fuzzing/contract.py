"""The contract as a stub with a profile keeps it: what Schemathesis holds each answer against.

`openapi.yaml` says of some things that the stub does more than it states; here they are stated, so that every answer
is checked for its status, its content type and its body, and none is let through by an exception.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from project_platform_stub import Profile

ERROR = {
    "description": "An error.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
}
# Statuses about HTTP and not about the service; `x-assumed` at the root of the contract says that any operation gives
# them. A path parameter that is empty, or a slash where none belongs, leads to a path that does not exist: a 404.
GENERIC = ("404", "405", "413", "415")

Contract = dict[str, Any]


def as_served(contract: Contract, profile: Profile, examples: dict[str, dict[str, Any]]) -> Contract:
    """Return the contract that a stub with this profile keeps.

    Args:
        contract: What `openapi.yaml` says.
        profile: The profile.
        examples: Values that exist in the world: `parameters` by the component's name, `bodies` by operation.
    """
    served = deepcopy(contract)
    _open_enumerations(served["components"])
    components = served["components"]
    components["parameters"]["PermissionQuery"]["name"] = profile.permission_parameter
    for name, example in examples["parameters"].items():
        components["parameters"][name]["example"] = example
    for item in served["paths"].values():
        for operation in item.values():
            operation["responses"] = _responses(operation, profile)
            if "requestBody" in operation:
                media = operation["requestBody"]["content"]["application/json"]
                media["example"] = examples["bodies"][operation["operationId"]]
                if profile.unknown_fields == "refuse":
                    components["schemas"][media["schema"]["$ref"].rpartition("/")[2]]["additionalProperties"] = False
    return served


def _responses(operation: dict[str, Any], profile: Profile) -> dict[str, Any]:
    responses = dict(operation["responses"])
    # Any 2xx is let through by the contract; the profile says which one it is.
    success = responses.pop("2XX", None) or responses.pop("200")
    responses[str(profile.status_of(operation["operationId"]))] = success
    more = {*GENERIC, *map(str, operation.get("x-uncounted", ()))}
    if operation["operationId"] != "labels_export":
        more.add(str(profile.invalid_status))
    if operation["operationId"] == "records_create" and profile.duplicate_external_id == "conflict":
        more.add("409")
    if profile.rate_limit is not None:
        more.add("429")
    return {**dict.fromkeys(more, ERROR), **responses}


def _open_enumerations(node: Any) -> None:
    """Take away the values of enumerations marked `x-open`: others are let through."""
    if isinstance(node, dict):
        if node.get("x-open"):
            node.pop("enum", None)
        for member in node.values():
            _open_enumerations(member)
    elif isinstance(node, list):
        for member in node:
            _open_enumerations(member)
