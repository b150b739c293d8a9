"""Patches are correct under each of the four merges that the specification permits."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
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


def change_of(base: Any, want: Any, **options: Any) -> Change | None:
    """Return the change of a record; None if no patch expresses it, so that nothing is sent."""
    try:
        return Change.between(ObjectRecord(id="rec_1", data=base), want, change_options=ChangeOptions(**options))
    except InexpressibleChangeError:
        return None


def patches(base: Any, want: Any) -> Iterator[tuple[str, Callable[[Any, Any], Any], Any]]:
    """Yield each known merge for which there is a patch, the service that merges so, and the patch."""
    for merge, service in ITS_OWN.items():
        with contextlib.suppress(InexpressibleChangeError):
            yield merge, service, make_patch(base, want, merge)


@PAIRS
@given(pairs(DATA))
def test_a_patch_for_a_known_merge_is_correct_under_it(pair):
    """A patch for a shallow merge, or for RFC 7396, turns the snapshot into the intended data."""
    base, want = pair
    for merge, service, patch in patches(base, want):
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
        change = change_of(base, want, guard=guard, merge=merge)
        if change is None:
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
    for _, service, patch in patches(base, want):
        once = service(base, patch)
        assert same(service(once, patch), once)


@FEWER
@given(pairs(STRIPPED), STRIPPED)
def test_the_response_to_a_change_is_never_taken_for_another_merge(pair, others):
    """Whatever others wrote that the guard permits, the returned record is a possible result of the change."""
    base, want = pair
    for merge, services in {"any": MERGES, "shallow": [shallow], "deep": [deep]}.items():
        change = change_of(base, want, guard=None, merge=merge)
        for service in services if change is not None else ():
            assert change.may_result_in(service(others, change.patch))


@FEWER
@given(pairs(STRIPPED))
def test_a_change_holds_in_what_it_makes_and_nowhere_else(pair):
    """A change is in effect if every path that it touches has the intended value."""
    base, want = pair
    change = change_of(base, want, merge="shallow")

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
    for_any = change_of(base, want)

    assert for_any is None or change_of(base, want, merge=merge).fences <= for_any.fences
