"""JSON, and media types of responses, which are compared without their case, their parameters and blanks (RFC 9110 section 8.3.1)."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx

JSON = "application/json"

_JSON = re.compile(
    r"application/(json|[^/\s]+\+json)"
)  # with a structured suffix, it is JSON, too (RFC 6839 section 3.1)


def media_type_of(response: httpx.Response) -> str:
    """Return the media type of a response in lower case, without parameters; empty if there is none."""
    content_type: str = response.headers.get("Content-Type", "")
    return content_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    """Return whether a media type, as `media_type_of` returns it, is that of JSON."""
    return _JSON.fullmatch(media_type) is not None


def parsed(content: bytes) -> Any:
    """Return the value of a body that is JSON; None if it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
