"""The contract of a stub with a profile, against which Schemathesis checks each response.

The statuses that the profile chooses are added here, and those for requests that reach no operation, so that the status,
content type and body of every response are checked without exceptions.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from project_platform_stub import Profile

ERROR = {
    "description": "An error.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
}
# Of requests that reach no operation. With an empty path parameter, or with a slash in one, the path does not exist.
GENERIC = ("404", "405")

Contract = dict[str, Any]


def as_served(contract: Contract, profile: Profile, examples: dict[str, dict[str, Any]]) -> Contract:
    """Return the contract of a stub with this profile.

    Args:
        contract: The document `openapi.yaml`.
        profile: The profile.
        examples: Values that exist in the world: `parameters` by the component's name, `bodies` by operation.
    """
    served = deepcopy(contract)
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
    more = {*GENERIC}
    if operation["operationId"] != "labels_export":
        more.add(str(profile.invalid_status))
    if operation["operationId"] == "records_create" and profile.external_id == "unique":
        more.add("409")
    if profile.rate_limit is not None:
        more.add("429")
    return {**dict.fromkeys(more, ERROR), **responses}
