"""A change that is made for the merge that a deployment is known to have is repeated no more than one made for any."""

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
def test_a_merge_that_is_known_makes_no_guard_fence_that_would_not(before, after, merge):
    """A change that can be made for any merge fences as much, or less, when it is made for one."""
    record = ObjectRecord(id="rec_1", data=before)
    try:
        for_any = Change.between(record, after)
    except InexpressibleChangeError:
        return  # it cannot be made without knowing how the service merges, so nothing is sent that could be repeated

    assert Change.between(record, after, change_options=ChangeOptions(merge=merge)).fences <= for_any.fences
