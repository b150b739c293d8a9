"""What an answer says: whether it refuses, and whether it is a proper error."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import httpx

from project_platform_contract.operations import contract, operations

# The only error statuses that the specification shows whole.
_OF_LABELS = frozenset({400, 401, 403})


def refused(response: httpx.Response) -> bool:
    """Return whether an answer refuses the request; which of the client's errors it is, is mostly left open."""
    if response.request.url.path.endswith("/label-export"):
        return response.status_code in _OF_LABELS
    return response.is_client_error


def discloses_nothing(response: httpx.Response) -> bool:
    """Return whether an answer carries nothing but an error."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return not response.content.startswith(b"%PDF")
    return not isinstance(body, dict) or not success_members() & body.keys()


@cache
def success_members() -> frozenset[str]:
    """Return the names of the members that success answers carry; an error that carries one of them gives data away."""
    schemas = contract()["components"]["schemas"]
    found: set[str] = set()
    for operation in operations():
        for status, response in operation.responses.items():
            media = response.get("content", {}).get("application/json") if status.startswith("2") else None
            if media is not None:
                found.update(schemas[media["schema"]["$ref"].rpartition("/")[2]]["properties"])
    return frozenset(found - schemas["ErrorBody"]["properties"].keys())


def error_problem(response: httpx.Response) -> str | None:
    """Return how an answer differs from an error as the specification has it; None if it does not."""
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        return f"the content type is {media_type or 'missing'}"
    try:
        body: Any = json.loads(response.content)
    except ValueError:
        return "the body is no JSON"
    if not isinstance(body, dict):
        return "the body is no object"
    if not isinstance(body.get("message"), str):
        return f"message is {body.get('message', 'missing')!r}"
    if "code" in body and not isinstance(body["code"], str):
        return f"code is {body['code']!r}"
    return None
