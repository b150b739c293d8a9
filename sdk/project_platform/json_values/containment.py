"""JSON containment as in PostgreSQL's `jsonb @>`: the meaning of `expectedData`, and when a guard fences.

The stub server has its own implementation of containment, on purpose: SDK and stub are independent judges of each other,
and tests compare the two. Do not share code between them, or copy from one to the other.

Source: PostgreSQL documentation, 8.14.3 "jsonb Containment and Existence". The specification says "JSON containment"
and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from .exact_json import ExactFloat, is_array, is_object


def contains(value: Any, part: Any) -> bool:
    """Return whether a JSON value contains another: `value @> part`.

    An object contains another if each of its members contains that member of the other. An array contains another if each
    element of the other is contained in one of its elements, regardless of order and count. A scalar contains its equal.
    At the top level only, an array also contains a scalar that is one of its elements.
    """
    if is_array(value) and not is_object(part) and not is_array(part):
        return any(_inside(element, part) for element in value)
    return _inside(value, part)


def fences(patch: Mapping[str, Any], guard: Mapping[str, Any]) -> bool:
    """Return whether a guard is false once the patch has been merged, however the service merges.

    If so, a second delivery of the same guarded update cannot be applied.

    Args:
        patch: The `data` of an update; a top-level null deletes its key.
        guard: Its `expectedData`.
    """
    return any(key in patch and (patch[key] is None or _excludes(patch[key], part)) for key, part in guard.items())


def _excludes(new: Any, part: Any) -> bool:
    """Return whether the value that results from merging in `new` cannot contain `part`."""
    if is_object(new) and is_object(part):
        # One service stores a nested null, another deletes its key: both exclude only a value that is not null.
        return any(
            key in new and (value is not None if new[key] is None else _excludes(new[key], value))
            for key, value in part.items()
        )
    return not _inside(new, part)


def _inside(value: Any, part: Any) -> bool:
    if is_object(part):
        return is_object(value) and all(key in value and _inside(value[key], part[key]) for key in part)
    if is_array(part):
        return is_array(value) and all(any(_inside(have, want) for have in value) for want in part)
    return not is_object(value) and not is_array(value) and _scalar(value) == _scalar(part)


def _scalar(value: Any) -> tuple[str, Any]:
    # A boolean is an int to Python, and not to JSON; a float is compared by the text that goes over the wire.
    if value is None or isinstance(value, bool):
        return ("null" if value is None else "boolean", value)
    if isinstance(value, ExactFloat):
        return ("number", Decimal(value.text))
    if isinstance(value, float):
        return ("number", Decimal(repr(value)))
    if isinstance(value, int | Decimal):
        return ("number", value)
    return ("string", str(value))
