"""The possible objects after a merge: the specification leaves open whether an object replaces an object or is merged into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .json_equality import differences


def merge_differences(before: Mapping[str, Any], changes: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return where an object is not what a merge makes of it; [] if it is.

    A key whose value is null is deleted. An object for an object may be replaced, or merged at every depth.
    """
    expected = {key: value for key, value in before.items() if changes.get(key, value) is not None}
    for key, value in changes.items():
        if value is not None:
            expected[key] = _merged_or_replaced(before.get(key), value, after.get(key))
    return differences(expected, after)


def value_differences(before: Any, value: Any, after: Any) -> list[str]:
    """Return where a value is neither a new value nor, if both are objects, the merge of the new one into the old one."""
    return differences(_merged_or_replaced(before, value, after), after)


def _merged_or_replaced(before: Any, value: Any, after: Any) -> Any:
    """Return the value itself, or its merge if the result is not the value."""
    if not isinstance(before, Mapping) or not isinstance(value, Mapping) or differences(value, after) == []:
        return value
    members: Mapping[str, Any] = after if isinstance(after, Mapping) else {}
    merged = {key: _merged_or_replaced(before.get(key), part, members.get(key)) for key, part in value.items()}
    return {**before, **merged}
