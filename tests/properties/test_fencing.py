"""The SDK's containment, and guards that fence: they prevent a second delivery.

How the service merges is not shown beyond "a partial merge; a key whose value is null is deleted": four meanings are
tried, and a guard fences only if it holds under each.
"""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from project_platform.json_values.containment import contains, fences
from project_platform.json_values.exact_json import dumps, loads

KEYS = st.sampled_from("abc")
SCALARS = st.sampled_from([0, 1, 1.0, True, False, "", "x", None])
VALUES = st.recursive(
    SCALARS, lambda values: st.dictionaries(KEYS, values, max_size=3) | st.lists(values, max_size=3), max_leaves=6
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=3)


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


@given(VALUES)
def test_a_value_contains_itself(value):
    """Also after a round trip as JSON."""
    assert contains(value, value)
    assert contains(loads(dumps(value)), value)


@given(OBJECTS, OBJECTS, OBJECTS)
def test_containment_is_transitive(whole, part, smaller):
    """A value contained in a part is contained in the whole."""
    bigger = {**part, **whole}
    if contains(bigger, part) and contains(part, smaller):
        event("both")
        assert contains(bigger, smaller)


@settings(max_examples=500, deadline=None)
@given(OBJECTS, OBJECTS, OBJECTS)
def test_a_fence_is_closed_once_the_update_is_applied(data, patch, guard):
    """The guard no longer holds, whichever way the service merges and whatever else is in the record."""
    if not fences(patch, guard):
        return
    event("fences")

    for merge in MERGES:
        assert not contains(merge(data, patch), guard), merge.__name__


@settings(max_examples=200, deadline=None)
@given(OBJECTS, OBJECTS)
def test_a_fence_is_still_closed_after_a_second_delivery(data, patch):
    """For the usual guard, the previous values."""
    guard = {key: data[key] for key in patch if key in data}
    if fences(patch, guard):
        event("fences")
        for merge in MERGES:
            assert not contains(merge(merge(data, patch), patch), guard), merge.__name__


@given(st.dictionaries(KEYS, SCALARS.filter(lambda v: v is not None), min_size=1, max_size=3), st.data())
def test_a_guard_on_a_value_that_changes_fences(data, draw):
    """The usual case: a scalar changes, and the guard has its previous value."""
    key = draw.draw(st.sampled_from(sorted(data)))
    new = draw.draw(SCALARS.filter(lambda value: not contains(value, data[key])))

    assert fences({key: new}, {key: data[key]})


@pytest.mark.parametrize(
    ("patch", "guard", "fenced"),
    [
        ({"stage": "won"}, {"stage": "open"}, True),
        ({"stage": None}, {"stage": "open"}, True),
        ({"stage": None}, {"stage": None}, True),
        ({"a": 1, "stage": "won"}, {"b": 2, "stage": "open"}, True),
        ({"stage": "open"}, {"stage": "open"}, False),
        ({"stage": "won"}, {"owner": "Ada"}, False),
        ({"stage": "won"}, {}, False),
        ({}, {"stage": "open"}, False),
        ({"tags": ["a", "b"]}, {"tags": ["a"]}, False),
        ({"tags": ["b"]}, {"tags": ["a"]}, True),
        ({"n": 1.0}, {"n": 1}, False),
        ({"n": True}, {"n": 1}, True),
        ({"o": {"x": 2}}, {"o": {"x": 1}}, True),
        ({"o": {"y": 2}}, {"o": {"x": 1}}, False),
        ({"o": {"x": None}}, {"o": {"x": 1}}, True),
        ({"o": {"x": None}}, {"o": {"x": None}}, False),
        ({"o": {}}, {"o": {"x": 1}}, False),
        ({"o": 7}, {"o": {"x": 1}}, True),
    ],
)
def test_what_fences(patch, guard, fenced):
    """A guard fences only if it is false afterwards under every merge: a deep merge keeps members that a shallow one drops."""
    assert fences(patch, guard) is fenced
