"""Patches for each possible meaning of "a partial merge"; see also the property tests."""

from __future__ import annotations

import pytest

from project_platform import InexpressibleChangeError
from project_platform.json_values.merge import make_patch, same


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), (1, "1"), ([1, 2], [2, 1]), ({}, []), (None, 0)])
def test_values_differ_by_the_rules_of_json(one, other):
    """A boolean is not a number, nor is text, and the order of an array matters."""
    assert not same(one, other)


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
