"""A change meets the changes of others."""

from __future__ import annotations

import pickle

import pytest

from project_platform import Change, ConflictReport, KeyConflict
from project_platform.models import ObjectRecord

BASE = {"stage": "open", "note": "x", "tags": ["a"]}


@pytest.fixture
def report():
    """Return a function that reports how a change to one state meets another state."""

    def report(mine, theirs):
        return ConflictReport.of(Change.between(ObjectRecord(id="rec_1", data=BASE), mine), theirs)

    return report


@pytest.mark.parametrize(
    ("mine", "theirs", "meeting"),
    [
        ({**BASE, "stage": "won"}, {**BASE, "stage": "won"}, "same change"),
        ({**BASE, "stage": "won"}, {**BASE, "stage": "lost"}, "conflict"),
        ({**BASE, "stage": "won"}, {**BASE, "note": "y"}, "disjoint"),
        ({**BASE, "stage": "won"}, {**BASE, "stage": "won", "note": "y"}, "disjoint"),
        ({**BASE, "stage": "won", "note": "y"}, {**BASE, "stage": "won", "note": "z"}, "conflict"),
        ({**BASE, "new": 1}, {**BASE, "new": 1.0}, "same change"),
        ({**BASE, "new": 1}, {**BASE, "new": True}, "conflict"),
        ({"note": "x", "tags": ["a"]}, {"note": "x", "tags": ["a"]}, "same change"),
        ({"note": "x", "tags": ["a"]}, {**BASE, "stage": "lost"}, "conflict"),
        ({"note": "x", "tags": ["a"]}, {**BASE, "stage": None}, "conflict"),
        ({**BASE, "stage": "won"}, BASE, "disjoint"),
    ],
)
def test_two_changes_are_disjoint_equal_or_in_conflict(report, mine, theirs, meeting):
    """They are equal, they touch different keys, or they set a key to different values; the worst key decides."""
    assert report(mine, theirs).meeting == meeting


def test_a_report_lists_every_key_that_either_side_changed(report):
    found = report({**BASE, "stage": "won"}, {"stage": "lost", "tags": ["a", "b"]})

    assert found.keys == (
        KeyConflict("stage", "open", "won", "lost", "conflict"),
        KeyConflict("note", "x", "x", None, "disjoint"),
        KeyConflict("tags", ["a"], ["a"], ["a", "b"], "disjoint"),
    )
    assert "stage: 'open' -> mine 'won', theirs 'lost' (conflict)" in str(found)
    assert pickle.loads(pickle.dumps(found)) == found
