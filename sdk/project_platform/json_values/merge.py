"""What "a partial merge; a key whose value is null is deleted" may mean, and patches that come out right all the same.

The specification leaves the depth of the merge open. Four services are thinkable: a shallow merge, RFC 7396, a shallow
merge that strips nested nulls (PostgreSQL's `jsonb_strip_nulls`), and a deep merge in which only a top-level null
deletes. A patch made for `merge="any"` means the same to all four.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from ..errors import InexpressibleChangeError
from .containment import contains
from .exact_json import is_array, is_object

Merge: TypeAlias = Literal["any", "shallow", "deep"]
"""How the service is taken to merge: whichever way, shallow, or as RFC 7396 says."""


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal: 1 is 1.0, true is not 1, the order of keys does not matter."""
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if is_array(one) and is_array(other):
        return len(one) == len(other) and all(map(same, one, other))
    containers = (is_object(one) or is_array(one), is_object(other) or is_array(other))
    return not any(containers) and contains(one, other)


def merged(data: Mapping[str, Any], patch: Mapping[str, Any], merge: Merge) -> dict[str, Any]:
    """Return the data after a patch; for `"any"` as a shallow merge does it, which then is as every merge does it."""
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


def met(patch: Mapping[str, Any], data: Mapping[str, Any], *, deep: bool) -> bool:
    """Return whether every path that a patch touches is in the data as the patch makes it.

    Args:
        patch: What was merged; null deletes.
        data: What it was merged into, perhaps.
        deep: Whether only the keys of a nested object that the patch names are compared, and not the object as a whole.
    """
    for key, value in patch.items():
        there = data.get(key)
        if value is None or key not in data:
            as_made = value is None and key not in data
        elif deep and is_object(value) and is_object(there):
            as_made = met(value, there, deep=True)
        else:
            as_made = same(there, value)
        if not as_made:
            return False
    return True


def without_nulls(patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a patch sets, without what it deletes."""
    return {
        key: without_nulls(value) if is_object(value) else value for key, value in patch.items() if value is not None
    }


def make_patch(base: Mapping[str, Any], want: Mapping[str, Any], merge: Merge) -> dict[str, Any]:
    """Return the smallest patch that makes `want` of `base`.

    Raises:
        InexpressibleChangeError: No patch does, or none that means the same however the service merges.
    """
    patch: dict[str, Any] = {key: None for key in base if key not in want}
    for key, value in want.items():
        if key in base and same(base[key], value):
            continue
        patch[key] = _entry(key, base.get(key), value, merge)
    return patch


def _entry(key: str, old: Any, new: Any, merge: Merge) -> Any:
    if new is None:
        raise InexpressibleChangeError(f"{key}: null cannot be stored by an update, it deletes; use DELETE", key=key)
    if merge == "shallow":
        return new
    if merge == "deep":
        if is_object(old) and is_object(new):
            return _deep_patch(key, old, new)
        _refuse_null(key, new, "RFC 7396 takes it for a deletion", arrays=False)
        return new
    if not _loses_no_key(old, new):
        raise InexpressibleChangeError(
            f"{key}: taking a nested key away needs one patch under a shallow merge and another under a deep one; say "
            'which it is with merge="shallow" or merge="deep", or put the whole under another key',
            key=key,
        )
    _refuse_null(key, new, "services differ in whether it is stored", arrays=True)
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
            _refuse_null(path, {key: None}, "RFC 7396 takes it for a deletion", arrays=False)
        _refuse_null(f"{path}.{key}", value, "RFC 7396 takes it for a deletion", arrays=False)
        patch[key] = value
    return patch


def _loses_no_key(old: Any, new: Any) -> bool:
    """Return whether nothing below `old` is gone from `new`."""
    if not is_object(old) or not is_object(new):
        return True
    return old.keys() <= new.keys() and all(_loses_no_key(old[key], new[key]) for key in old)


def _refuse_null(path: str, value: Any, why: str, *, arrays: bool) -> None:
    if is_object(value):
        for key, below in value.items():
            if below is None:
                raise InexpressibleChangeError(
                    f"{path}.{key}: a nested null cannot be written, since {why}; leave the key out, or give it a value",
                    key=path,
                )
            _refuse_null(f"{path}.{key}", below, why, arrays=arrays)
    elif arrays and is_array(value):
        for index, below in enumerate(value):
            _refuse_null(f"{path}[{index}]", below, why, arrays=arrays)
