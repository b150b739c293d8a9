"""The merges that the specification permits: "a partial merge; a key whose value is null is deleted" has four meanings."""

from __future__ import annotations


def shallow(data, patch):
    """Replace whole members; a top-level null deletes."""
    return {key: value for key, value in {**data, **patch}.items() if not (key in patch and value is None)}


def deep(data, patch):
    """Merge objects member by member; a null deletes at every depth (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(data) if isinstance(data, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = deep(merged.get(key), value)
    return merged


def stripped(value):
    """Drop the null members of objects at every depth (PostgreSQL's `jsonb_strip_nulls`)."""
    if isinstance(value, dict):
        return {key: stripped(member) for key, member in value.items() if member is not None}
    return [stripped(element) for element in value] if isinstance(value, list) else value


def shallow_stripped(data, patch):
    """Replace whole members, then drop nulls everywhere."""
    return stripped({**data, **patch})


def deep_keeping_nulls(data, patch):
    """Merge objects member by member; only a top-level null deletes, a nested one is stored."""

    def merged(old, new):
        if not isinstance(old, dict) or not isinstance(new, dict):
            return new
        return {**old, **{key: merged(old[key], value) if key in old else value for key, value in new.items()}}

    return {key: value for key, value in merged(data, patch).items() if not (key in patch and value is None)}


MERGES = [shallow, deep, shallow_stripped, deep_keeping_nulls]
