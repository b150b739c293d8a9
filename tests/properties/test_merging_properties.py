"""Patches are correct under each of the four merges that the specification permits."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project_platform import Change, ChangeOptions, InexpressibleChangeError
from project_platform.json_values.merge import is_in_effect, make_patch, merged, same
from project_platform.models import ObjectRecord
from project_platform_stub.operations.support.jsonb import contains

from .merges import MERGES, deep, shallow, stripped

PAIRS = settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck), database=None)
FEWER = settings(PAIRS, max_examples=500)
ITS_OWN = {"shallow": shallow, "deep": deep}

KEYS = st.sampled_from("abc")
SCALARS = st.sampled_from([0, 1, 1.0, True, False, "", "x", None])
FLAT = SCALARS | st.dictionaries(KEYS, SCALARS, max_size=2) | st.lists(SCALARS, max_size=2)
VALUES = SCALARS | st.dictionaries(KEYS, FLAT, max_size=3) | st.lists(FLAT, max_size=2)
DATA = st.dictionaries(KEYS, VALUES, max_size=3)
STRIPPED = DATA.map(stripped)  # what a service that strips nulls can hold


@st.composite
def pairs(draw: st.DrawFn, data: st.SearchStrategy[Any]) -> tuple[Any, Any]:
    """Data before and after; half of the time the two are similar."""
    base, want = draw(data), draw(data)
    return base, {**copy.deepcopy(base), **want} if draw(st.booleans()) else want


@PAIRS
@given(pairs(DATA))
def test_a_patch_for_a_known_merge_is_correct_under_it(pair):
    """A patch for a shallow merge, or for RFC 7396, turns the snapshot into the intended data."""
    base, want = pair
    for merge, service in ITS_OWN.items():
        try:
            patch = make_patch(base, want, merge)
        except InexpressibleChangeError:
            continue
        assert same(service(base, patch), want)
        assert same(merged(base, patch, merge), want)


@PAIRS
@given(pairs(STRIPPED))
def test_a_patch_for_any_merge_is_correct_under_all_and_a_refusal_is_justified(pair):
    """The default patch has the same result under every merge; for a refused change no such patch exists."""
    base, want = pair
    try:
        patch = make_patch(base, want, "any")
    except InexpressibleChangeError:
        # A shallow merge takes whole values, so this is the only patch that is right there.
        patch = make_patch(base, want, "shallow")
        assert not all(same(service(base, patch), want) for service in MERGES)
    else:
        for service in MERGES:
            assert same(service(base, patch), want), service.__name__


@FEWER
@given(pairs(DATA), st.sampled_from(["touched", "all"]))
def test_the_guard_holds_on_the_snapshot(pair, guard):
    """A change is accepted for its own record, and an exactly guarded path makes it fence."""
    base, want = pair
    for merge, service in ITS_OWN.items():
        try:
            change = Change.between(
                ObjectRecord(id="rec_1", data=base), want, change_options=ChangeOptions(guard=guard, merge=merge)
            )
        except InexpressibleChangeError:
            continue
        assert contains(base, change.guard)
        if change.fences:
            assert not contains(service(base, change.patch), change.guard)
        if change.patch and "exact" in change.strength.values():
            assert change.fences or base != stripped(
                base
            )  # a null that is deleted is gone for some, and null for others


@FEWER
@given(pairs(STRIPPED))
def test_a_patch_says_the_same_twice(pair):
    """Applying a patch twice has the result of applying it once."""
    base, want = pair
    for merge, service in ITS_OWN.items():
        try:
            patch = make_patch(base, want, merge)
        except InexpressibleChangeError:
            continue
        once = service(base, patch)
        assert same(service(once, patch), once)


@FEWER
@given(pairs(STRIPPED), STRIPPED)
def test_the_answer_to_a_change_is_never_taken_for_another_merge(pair, others):
    """Whatever others wrote that the guard permits, the returned record is a possible result of the change."""
    base, want = pair
    for merge, services in {"any": MERGES, "shallow": [shallow], "deep": [deep]}.items():
        try:
            change = Change.between(
                ObjectRecord(id="rec_1", data=base), want, change_options=ChangeOptions(guard=None, merge=merge)
            )
        except InexpressibleChangeError:
            continue
        for service in services:
            assert change.may_result_in(service(others, change.patch))


@FEWER
@given(pairs(STRIPPED))
def test_a_change_holds_in_what_it_makes_and_nowhere_else(pair):
    """A change is in effect if every path that it touches has the intended value."""
    base, want = pair
    change = Change.between(ObjectRecord(id="rec_1", data=base), want, change_options=ChangeOptions(merge="shallow"))

    assert change.holds_in(want)
    assert change.holds_in(base) == (not change)
    assert all(
        not is_in_effect({key: value}, {**want, key: ["other"]}, deep=False) for key, value in change.patch.items()
    )


@FEWER
@given(pairs(DATA), st.sampled_from(["shallow", "deep"]))
def test_a_known_merge_never_makes_an_unfenced_guard_fence(pair, merge):
    """A change that is possible for any merge fences as much, or less, for one merge."""
    base, want = pair
    record = ObjectRecord(id="rec_1", data=base)
    try:
        for_any = Change.between(record, want)
    except InexpressibleChangeError:
        return  # this change requires a known merge, so without one nothing is sent

    assert Change.between(record, want, change_options=ChangeOptions(merge=merge)).fences <= for_any.fences
