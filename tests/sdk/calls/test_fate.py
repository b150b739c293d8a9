"""The end of one attempt, and its meaning for the write that it carried."""

from __future__ import annotations

import pytest

from project_platform import Response
from project_platform.calls.fate import Fate, fate

STATUSES = {
    Fate.APPLIED: [200, 201, 202, 204, 299],
    Fate.NOT_APPLIED: [400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 428, 429, 431, 307, 308],
    Fate.LOST: [100, 301, 302, 303, 304, 408, 418, 430, 444, 499, 500, 502, 503, 504, 520, 599],
}


@pytest.mark.parametrize("became", STATUSES)
def test_a_refusal_was_not_applied_and_what_is_no_2xx_is_lost(became):
    """A 2xx was applied, also when its body was cut off: the service says that it did it."""
    assert {fate(Response(status)) for status in STATUSES[became]} == {became}
    assert fate(Response(200, complete=False)) is Fate.APPLIED
