"""The contract of a stub with a profile, against which Schemathesis checks each response.

`openapi.yaml` leaves some responses of the stub undocumented, such as statuses that any operation may send. They are
added here, so that the status, content type and body of every response are checked without exceptions.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from project_platform_stub import Profile

ERROR = {
    "description": "An error.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
}
# Errors of HTTP, which any operation may send by `x-assumed` at the root of the contract. With an empty path parameter,
# or with a slash in one, the path does not exist: a 404.
GENERIC = ("404", "405", "413", "415")

Contract = dict[str, Any]


def as_served(contract: Contract, profile: Profile, examples: dict[str, dict[str, Any]]) -> Contract:
    """Return the contract of a stub with this profile.

    Args:
        contract: The document `openapi.yaml`.
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
    # The contract allows any 2xx; the profile has the one that the stub sends.
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
    """Remove the values of enumerations marked `x-open`, so that any value is allowed."""
    if isinstance(node, dict):
        if node.get("x-open"):
            node.pop("enum", None)
        for member in node.values():
            _open_enumerations(member)
    elif isinstance(node, list):
        for member in node:
            _open_enumerations(member)
