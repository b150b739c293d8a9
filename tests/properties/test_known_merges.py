"""A change for the known merge of a deployment is repeated no more often than a change for any merge."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from project_platform import Change, ChangeOptions, InexpressibleChangeError
from project_platform.models import ObjectRecord

KEYS = st.sampled_from("abc")
SCALARS = st.sampled_from([0, 1, True, "", "x"])
VALUES = st.recursive(
    SCALARS, lambda values: st.dictionaries(KEYS, values, max_size=3) | st.lists(values, max_size=2), max_leaves=6
)
DATA = st.dictionaries(KEYS, VALUES, max_size=3)


@given(before=DATA, after=DATA, merge=st.sampled_from(["shallow", "deep"]))
def test_a_known_merge_never_makes_an_unfenced_guard_fence(before, after, merge):
    """A change that is possible for any merge fences as much, or less, for one merge."""
    record = ObjectRecord(id="rec_1", data=before)
    try:
        for_any = Change.between(record, after)
    except InexpressibleChangeError:
        return  # this change requires a known merge, so without one nothing is sent

    assert Change.between(record, after, change_options=ChangeOptions(merge=merge)).fences <= for_any.fences
