"""Patches for each possible meaning of "a partial merge"; see also the property tests."""

from __future__ import annotations

import pytest

from project_platform import InexpressibleChangeError
from project_platform.json_values.exact_json import loads
from project_platform.json_values.merge import is_in_effect, make_patch, merged, same


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (loads("1.10"), 1.1), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ((1, 2), [1, 2]), (None, None)],
)
def test_values_are_equal_by_the_rules_of_json(one, other):
    """Numbers are compared by value, objects without regard to order, and a tuple is an array."""
    assert same(one, other)


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (1, "1"), ([1, 2], [2, 1]), ({}, []), (None, 0)])
def test_values_differ_by_the_rules_of_json(one, other):
    """A boolean is not a number, nor is text, and the order of an array matters."""
    assert not same(one, other)


def test_a_patch_for_a_deep_merge_names_nested_keys_alone():
    base = {"site": {"city": "Köln", "storeys": 2, "old": True}}
    want = {"site": {"city": "Köln", "storeys": 3}}

    patch = make_patch(base, want, "deep")

    assert patch == {"site": {"old": None, "storeys": 3}}
    assert merged(base, patch, "deep") == want


@pytest.mark.parametrize(
    ("base", "want", "merge", "key", "way_out"),
    [
        ({"a": 1}, {"a": None}, "any", "a", "give DELETE to delete it"),
        (
            {"a": {"b": 1, "c": 2}},
            {"a": {"b": 1}},
            "any",
            "a",
            'ChangeOptions(merge="shallow") or ChangeOptions(merge="deep")',
        ),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {}}}, "any", "a", "give the value another key"),
        ({}, {"a": {"b": None}}, "any", "a", "leave the key out"),
        ({}, {"a": [{"b": None}]}, "any", "a[0]", "leave the key out"),
        ({}, {"a": {"b": None}}, "deep", "a", "leave the key out"),
        ({"a": {}}, {"a": {"b": None}}, "deep", "a", "leave the key out"),
        ({"a": {"b": {}}}, {"a": {"b": {"c": {"d": None}}}}, "deep", "a.b.c", "leave the key out"),
    ],
)
def test_a_change_that_no_patch_can_express_is_refused_with_its_path(base, want, merge, key, way_out):
    with pytest.raises(InexpressibleChangeError) as raised:
        make_patch(base, want, merge)

    assert raised.value.key == key
    assert way_out in str(raised.value)


def test_a_patch_is_in_effect_where_every_path_has_its_value():
    """A deletion is in effect if the key is absent, not if it is null; keys that a deep patch does not have are ignored."""
    assert is_in_effect({"a": None, "b": 1}, {"b": 1, "c": 2}, deep=False)
    assert not is_in_effect({"a": None}, {"a": None}, deep=False)
    assert not is_in_effect({"a": 1}, {}, deep=False)
    assert is_in_effect({"a": {"b": 1, "c": None}}, {"a": {"b": 1, "x": 9}}, deep=True)
    assert not is_in_effect({"a": {"b": 1}}, {"a": {"b": 1, "x": 9}}, deep=False)
