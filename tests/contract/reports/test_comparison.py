"""A failed comparison names the members that differ."""

import pytest

from project_platform_contract.reports.explanation import explain


@pytest.mark.parametrize(
    ("left", "right", "lines"),
    [
        ({"data": {"stage": "open"}}, {"data": {"stage": "won"}}, ["data.stage is 'open'; expected 'won'"]),
        ({"a": 1}, {"a": 1, "b": None}, ["b is missing; expected None"]),
        ({"a": 1, "b": [2]}, {"a": 1}, ["b is [2]; expected no such member"]),
        ({"2000 minutes": "refused: 400", "b": [2]}, {}, ["2000 minutes: refused: 400", "b: [2]"]),
        ({"l": [{"id": 1}, {"id": 2}]}, {"l": [{"id": 1}, {"id": 3}]}, ["l[1].id is 2; expected 3"]),
        ({"l": [1, 2, 3]}, {"l": [1, 2]}, ["l has 3 items; expected 2. At [2]; it has 3"]),
        ([1], [1, 2], ["the list has 1 items; expected 2. At [1]; expected 2"]),
        ({"a": {}}, {"a": []}, ["a is {}; expected []"]),
    ],
)
def test_each_member_that_differs_is_named(left, right, lines):
    assert explain("==", left, right) == lines


def test_long_strings_are_shown_around_their_first_difference():
    (line,) = explain("==", {"text": "a" * 500 + "b" + "c" * 500}, {"text": "a" * 500 + "d" + "c" * 500})

    assert len(line) < 250
    assert f"...{'a' * 40}b{'c' * 39}..." in line
    assert f"...{'a' * 40}d{'c' * 39}..." in line


def test_many_differences_are_cut():
    lines = explain("==", {str(n): 1 for n in range(100)}, {})

    assert len(lines) == 21
    assert lines[-1] == "and more"


@pytest.mark.parametrize(("op", "left", "right"), [("<=", [1], [2]), ("==", "a", "b"), ("==", {1}, {2}), ("==", 5, 6)])
def test_other_comparisons_are_explained_by_pytest(op, left, right):
    assert explain(op, left, right) is None
