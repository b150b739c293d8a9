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

PAIRS = settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck), database=None)
FEWER = settings(PAIRS, max_examples=500)

# --- the possible merges of a service


def shallow(data: Any, patch: Any) -> Any:
    """Replace top-level keys; null deletes."""
    return {key: value for key, value in {**data, **patch}.items() if key not in patch or value is not None}


def rfc_7396(data: Any, patch: Any) -> Any:
    """Merge at every depth; null deletes at every depth."""
    if not isinstance(patch, dict):
        return patch
    out = dict(data) if isinstance(data, dict) else {}
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
        else:
            out[key] = rfc_7396(out.get(key), value)
    return out


def strip(value: Any) -> Any:
    """Leave out null members of objects, at every depth: `jsonb_strip_nulls`."""
    if isinstance(value, dict):
        return {key: strip(below) for key, below in value.items() if below is not None}
    return [strip(below) for below in value] if isinstance(value, list) else value


def shallow_strip(data: Any, patch: Any) -> Any:
    """Replace top-level keys, and strip nulls at every depth."""
    return strip({**data, **patch})


def deep_keep(data: Any, patch: Any) -> Any:
    """Merge at every depth; only a top-level null deletes."""

    def merge(one: Any, other: Any) -> Any:
        if not isinstance(one, dict) or not isinstance(other, dict):
            return other
        return {**one, **{key: merge(one[key], value) if key in one else value for key, value in other.items()}}

    return {key: value for key, value in merge(data, patch).items() if key not in patch or value is not None}


SERVICES = {"shallow": shallow, "RFC 7396": rfc_7396, "shallow, stripped": shallow_strip, "deep, keeping": deep_keep}
ITS_OWN = {"shallow": shallow, "deep": rfc_7396}

KEYS = st.sampled_from("abc")
SCALARS = st.sampled_from([0, 1, 1.0, True, False, "", "x", None])
FLAT = SCALARS | st.dictionaries(KEYS, SCALARS, max_size=2) | st.lists(SCALARS, max_size=2)
VALUES = SCALARS | st.dictionaries(KEYS, FLAT, max_size=3) | st.lists(FLAT, max_size=2)
DATA = st.dictionaries(KEYS, VALUES, max_size=3)
STRIPPED = DATA.map(strip)  # what a service that strips nulls can hold


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
        assert not all(same(service(base, patch), want) for service in SERVICES.values())
    else:
        for name, service in SERVICES.items():
            assert same(service(base, patch), want), name


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
            assert change.fences or base != strip(base)  # a null that is deleted is gone for some, and null for others


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
    for merge, services in {"any": SERVICES.values(), "shallow": [shallow], "deep": [rfc_7396]}.items():
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
