"""The SDK's containment, and guards that fence: they prevent a second delivery under each of the four merges."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from project_platform.json_values.containment import contains, fences
from project_platform.json_values.exact_json import dumps, loads

from .merges import MERGES

KEYS = st.sampled_from("abc")
SCALARS = st.sampled_from([0, 1, 1.0, True, False, "", "x", None])
VALUES = st.recursive(
    SCALARS, lambda values: st.dictionaries(KEYS, values, max_size=3) | st.lists(values, max_size=3), max_leaves=6
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=3)


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
