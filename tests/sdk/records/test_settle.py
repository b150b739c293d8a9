"""`apply` sends a change and `settled` settles one whose response was lost: each reports whether it was applied."""

from __future__ import annotations

import dataclasses

import pytest

from project_platform import (
    ConflictError,
    MergeMismatchError,
    OutcomeUnknownError,
    Response,
    UsageError,
)
from project_platform.records.settle import apply

from .deal import BASE, GONE, LOST, NOT_SENT, STALE, WON, record_response


@pytest.mark.parametrize(
    "answers", [[STALE], [GONE], [LOST, LOST, LOST], [NOT_SENT] * 3, [Response(200, complete=False)] * 3]
)
def test_a_look_that_shows_nothing_leaves_the_outcome_unknown(change, settled, answers):
    with pytest.raises(OutcomeUnknownError) as raised:
        settled(change(), STALE, *answers)

    assert (raised.value.applied, raised.value.seen) == ("unknown", None)
    assert len(raised.value.attempts) == 2 + len(answers)
    assert not isinstance(raised.value, ConflictError)


KOELN, BOTH = {"site": {"city": "Köln"}}, {"site": {"city": "Köln", "storeys": 2}}
OTHER_MERGES = {
    "deep instead of shallow": ("shallow", KOELN, {"site": {"storeys": 2}}, BOTH),
    "shallow instead of deep": ("deep", KOELN, BOTH, {"site": {"storeys": 3}}),
    "null copies": ("any", BASE, {"stage": "open"}, {"stage": "open", "note": None}),
    "values changed": ("any", BASE, WON, {**BASE, "stage": "WON"}),
}


@pytest.mark.parametrize("other", OTHER_MERGES)
def test_a_service_that_merges_in_another_way_is_detected(change, applied, other):
    """The returned record is compared with the prediction: a difference is a warning, and an error where warnings are errors."""
    merge, base, want, found = OTHER_MERGES[other]
    new_change = change(want, base, merge=merge)

    with pytest.raises(MergeMismatchError) as raised:
        applied(new_change, record_response(found))
    with pytest.warns(UserWarning, match="merges in another way") as warned:
        _, result = applied(new_change, record_response(found))

    assert (raised.value.applied, raised.value.change, raised.value.record.data) == ("yes", new_change, found)
    assert (result.applied, len(warned)) == ("yes", 1)


def test_an_empty_change_is_refused(change, settings, project_id):
    with pytest.raises(UsageError, match="if change:"):
        next(apply(change(BASE), project_id, settings))


def test_a_change_of_another_project_is_refused(change, settings, project_id):
    other = "9c4c6e0b-0e5d-4c39-9a53-3f1f5d3d0b11"

    with pytest.raises(UsageError, match=other):
        next(apply(dataclasses.replace(change(), project_id=other), project_id, settings))
    assert next(apply(dataclasses.replace(change(), project_id=project_id), project_id, settings))
