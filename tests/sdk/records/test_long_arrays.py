"""The work for a change of an array grows with the array, not with its square.

Work is counted in calls of functions, which do not depend on the machine or its load.
"""

from __future__ import annotations

import dataclasses
import sys

import pytest

from project_platform.models import ObjectRecord
from project_platform.records.change import Change
from project_platform.records.conflict import ConflictReport
from project_platform.records.settle import apply
from project_platform.settling import settled

from .deal import STALE, record_response

SHORT, LONG = 50, 500


def lines(count):
    return [{"id": f"line_{n}", "dish": "soup", "count": n % 7, "tags": ["a", n % 3]} for n in range(count)]


def one_changed(old):
    return [{**line, "count": 99} if n == len(old) // 2 else line for n, line in enumerate(old)]


def half_changed(old):
    return [{**line, "count": line["count"] + n % 2} for n, line in enumerate(old)]


def all_extended(old):
    """Add a member to each line, so that every new line contains its old one and none equals it."""
    return [{**line, "served": True} for line in old]


def change_of(count, edit):
    old = lines(count)
    record = ObjectRecord(id="rec_1", status="open", data={"lines": old})
    return record, Change.between(record, {"lines": edit(old)})


@pytest.fixture
def works(play, at_once, project_id):
    def conflict(record, change):
        theirs = ObjectRecord(id="rec_1", status="open", data={"lines": all_extended(record.data["lines"])})
        return lambda: (ConflictReport.of(change, theirs.data), change.guard_holds_in(theirs))

    def applying(record, change):
        done = record_response(change.predicted)
        return lambda: play(apply(change, project_id, at_once), done)

    def settling(record, change):
        change, seen = dataclasses.replace(change, project_id=project_id), record_response(change.predicted)
        outcomes = [STALE, seen] if change.fences else [seen]
        return lambda: play(settled(change, at_once), *outcomes)

    return {
        "make": lambda record, change: lambda: Change.between(record, change.predicted),
        "apply": applying,
        "settle": settling,
        "show": lambda record, change: lambda: (repr(change), change._repr_html_()),
        "compare": conflict,
    }


def calls(function):
    """Return how many functions are called while a function runs."""
    counted = 0

    def count(frame, event, argument):
        nonlocal counted
        counted += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return counted


@pytest.mark.parametrize("edit", [one_changed, half_changed, all_extended])
@pytest.mark.parametrize("name", ["make", "apply", "settle", "show", "compare"])
def test_the_work_for_a_change_grows_with_the_array(works, name, edit):
    """Ten times longer is not a hundred times more."""
    few, many = (calls(works[name](*change_of(count, edit))) for count in (SHORT, LONG))

    assert many / few < 15


def test_showing_a_change_of_many_keys_grows_with_the_keys():
    """Each key is shown with the strength of its own guard."""

    def shown(count):
        old = {f"key_{n}": n for n in range(count)}
        record = ObjectRecord(id="rec_1", status="open", data=old)
        return Change.between(record, {key: value + 1 for key, value in old.items()})._repr_html_

    assert calls(shown(LONG)) / calls(shown(SHORT)) < 15


def test_a_long_array_that_no_longer_contains_an_old_element_fences():
    """The guard of a change of one line excludes its second delivery, and that of an addition does not."""
    (_, changed), (_, extended) = (change_of(LONG, edit) for edit in (one_changed, all_extended))

    assert (changed.fences, extended.fences) == (True, False)
