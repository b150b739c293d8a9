"""What an answer says: whether it refuses, and whether it is a proper error."""

from __future__ import annotations

import json
from typing import Any

import httpx

# What success answers carry; an error that carries one of them tells what it should keep.
_TOLD = frozenset(
    {
        "allowed",
        "workflow",
        "record",
        "busy",
        "data",
        "entry",
        "agents",
        "pagination",
        "config",
        "bookingUid",
        "success",
    }
)
_OF_LABELS = frozenset({400, 401, 403})  # The only error statuses that the specification shows whole.


def refused(response: httpx.Response) -> bool:
    """Return whether an answer refuses the request; which of the client's errors it is, is mostly left open."""
    if response.request.url.path.endswith("/label-export"):
        return response.status_code in _OF_LABELS
    return response.is_client_error


def tells_nothing(response: httpx.Response) -> bool:
    """Return whether an answer carries nothing but an error."""
    try:
        body = json.loads(response.content)
    except ValueError:
        return not response.content.startswith(b"%PDF")
    return not isinstance(body, dict) or not _TOLD & body.keys()


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
