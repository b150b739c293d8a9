"""The merge of changes into a document. The specification says "partial merge"; the profile chooses which.

The SDK has its own implementation of the merge, on purpose: SDK and stub are independent judges of each other, and tests
compare the two. Do not share code between them, or copy from one to the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from project_platform_stub.profile.profile import Profile
from project_platform_stub.world.domain import Json, merged


def merged_data(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Profile) -> Json:
    """Return a record's data with changes merged in; a key whose new value is null is deleted."""
    if profile.merge == "deep":
        return _deep(document, changes)
    if profile.nested_nulls == "strip":
        changes = {key: None if value is None else _stripped(value) for key, value in changes.items()}
    return merged(document, changes)


def _deep(document: Any, changes: Mapping[str, Any]) -> Json:
    """Return a document with a merge patch applied (RFC 7396 section 2)."""
    result = dict(document) if isinstance(document, Mapping) else {}
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _deep(result.get(key), value) if isinstance(value, Mapping) else value
    return result


def _stripped(value: Any) -> Any:
    """Return a value without the null members of its objects, like PostgreSQL's `jsonb_strip_nulls`."""
    match value:
        case dict():
            return {key: _stripped(member) for key, member in value.items() if member is not None}
        case list():
            return [_stripped(member) for member in value]
        case _:
            return value
