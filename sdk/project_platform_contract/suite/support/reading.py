"""Classification of responses: refusals, disclosure of data, and valid error bodies."""

from __future__ import annotations

import json
from functools import cache

import httpx

from project_platform_contract.media_types import is_json, media_type_of
from project_platform_contract.operations import contract, operations
from project_platform_contract.schema import field_problem

# Error statuses of the label export, the only operation for which the specification lists them.
_LABEL_ERRORS = frozenset({400, 401, 403})


def refused(response: httpx.Response) -> bool:
    """Return whether a response is a client error. The specification lists the statuses of one operation only."""
    if response.request.url.path.endswith("/label-export"):
        return response.status_code in _LABEL_ERRORS
    return response.is_client_error


def discloses_nothing(response: httpx.Response) -> bool:
    """Return whether a response contains none of the data of a success response."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return not response.content.startswith(b"%PDF")
    # A member without a value discloses nothing: {"success": false, "data": null}.
    return not isinstance(body, dict) or not success_members() & {name for name, value in body.items() if value}


@cache
def success_members() -> frozenset[str]:
    """Return the names of the members of success responses; an error in which one of them has a value discloses data."""
    schemas = contract()["components"]["schemas"]
    found: set[str] = set()
    for operation in operations():
        for status, response in operation.responses.items():
            media = response.get("content", {}).get("application/json") if status.startswith("2") else None
            if media is not None:
                found.update(schemas[media["schema"]["$ref"].rpartition("/")[2]]["properties"])
    return frozenset(found - schemas["ErrorBody"]["properties"].keys())


def error_problem(response: httpx.Response) -> str | None:
    """Return how a response violates the specification of errors; None if it is valid."""
    media_type = media_type_of(response)
    if not is_json(media_type):
        return f"the content type is {media_type or 'missing'}"
    try:
        return field_problem("ErrorBody", json.loads(response.content))
    except ValueError:
        return "the body is not JSON"
