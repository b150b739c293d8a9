"""Patches for "a partial merge; a key whose value is null is deleted", whichever merge the service implements.

The specification does not say how deep the merge is. There are four candidates: a shallow merge, RFC 7396, a shallow
merge that strips nested nulls (PostgreSQL's `jsonb_strip_nulls`), and a deep merge in which only a top-level null
deletes. A patch made for `merge="any"` means the same to all four.

The stub server has its own implementation of the merge, on purpose: SDK and stub are independent judges of each other,
and tests compare the two. Do not share code between them, or copy from one to the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from ..errors import InexpressibleChangeError
from .containment import equal_scalars
from .exact_json import is_array, is_object

Merge: TypeAlias = Literal["any", "shallow", "deep"]
"""The merge that a patch is made for: any of the four, a shallow merge, or RFC 7396 (`"deep"`)."""

_DEEP: Final = "RFC 7396 deletes the key; leave the key out, or give it a value"
_ANY: Final = (
    "some services store it and others delete the key; leave the key out, give it a value, or say what the service does with "
    'ChangeOptions(merge="shallow") or ChangeOptions(merge="deep")'
)
_EQUAL_AS_IN_PYTHON: Final = frozenset({str, int, bool, type(None)})


def same(one: object, other: object) -> bool:
    """Return whether two JSON values are equal: 1 is 1.0, true is not 1, the order of keys does not matter."""
    kind = type(one)
    if kind is type(other) and kind in _EQUAL_AS_IN_PYTHON:
        return bool(one == other)
    if is_object(one):
        return is_object(other) and one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if is_array(one):
        return is_array(other) and len(one) == len(other) and all(map(same, one, other))
    return not is_object(other) and not is_array(other) and equal_scalars(one, other)


def merged(data: Mapping[str, Any], patch: Mapping[str, Any], merge: Merge) -> dict[str, Any]:
    """Return the data after a patch. A patch for `"any"` is merged as by a shallow merge: all merges agree on it."""
    out = dict(data)
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        elif merge == "deep" and is_object(value):
            below = out.get(key)
            out[key] = merged(below if is_object(below) else {}, value, merge)
        else:
            out[key] = value
    return out


def is_in_effect(patch: Mapping[str, Any], data: Mapping[str, Any], *, deep: bool) -> bool:
    """Return whether every path that a patch touches has the value in the data that the patch gives it.

    Args:
        patch: The patch; null deletes.
        data: The data that the patch may have been merged into.
        deep: Whether to compare only the keys of a nested object that the patch has, not the object as a whole.
    """
    for key, value in patch.items():
        found = data.get(key)
        if value is None or key not in data:
            equal = value is None and key not in data
        elif deep and is_object(value) and is_object(found):
            equal = is_in_effect(value, found, deep=True)
        else:
            equal = same(found, value)
        if not equal:
            return False
    return True


def make_patch(base: Mapping[str, Any], want: Mapping[str, Any], merge: Merge) -> dict[str, Any]:
    """Return the smallest patch that turns `base` into `want`.

    Raises:
        InexpressibleChangeError: There is no such patch, or none that means the same however the service merges.
    """
    patch: dict[str, Any] = {key: None for key in base if key not in want}
    for key, value in want.items():
        if key in base and same(base[key], value):
            continue
        patch[key] = _entry(key, base.get(key), value, merge)
    return patch


def _entry(key: str, old: Any, new: Any, merge: Merge) -> Any:
    if new is None:
        raise InexpressibleChangeError(
            f"{key}: an update cannot store null, which deletes the key; give DELETE to delete it, or leave it out",
            key=key,
        )
    if merge == "shallow":
        return new
    if merge == "deep":
        if is_object(old) and is_object(new):
            return _deep_patch(key, old, new)
        _refuse_null(key, new, _DEEP, arrays=False)
        return new
    if not _loses_no_key(old, new):
        raise InexpressibleChangeError(
            f"{key}: deleting a nested key needs one patch for a shallow merge and another for a deep one; say how the service "
            'merges with ChangeOptions(merge="shallow") or ChangeOptions(merge="deep"), or give the value another key',
            key=key,
        )
    _refuse_null(key, new, _ANY, arrays=True)
    return new


def _deep_patch(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key in old and same(old[key], value):
            continue
        below = old.get(key)
        if is_object(value) and is_object(below):
            patch[key] = _deep_patch(f"{path}.{key}", below, value)
            continue
        if value is None:
            _refuse_null(path, {key: None}, _DEEP, arrays=False)
        _refuse_null(f"{path}.{key}", value, _DEEP, arrays=False)
        patch[key] = value
    return patch


def _loses_no_key(old: Any, new: Any) -> bool:
    """Return whether `new` has every nested key of `old`."""
    if not is_object(old) or not is_object(new):
        return True
    return old.keys() <= new.keys() and all(_loses_no_key(old[key], new[key]) for key in old)


def _refuse_null(path: str, value: Any, why: str, *, arrays: bool) -> None:
    if is_object(value):
        for key, below in value.items():
            if below is None:
                raise InexpressibleChangeError(f"{path}.{key}: a nested null cannot be written: {why}", key=path)
            _refuse_null(f"{path}.{key}", below, why, arrays=arrays)
    elif arrays and is_array(value):
        for index, below in enumerate(value):
            _refuse_null(f"{path}[{index}]", below, why, arrays=arrays)
