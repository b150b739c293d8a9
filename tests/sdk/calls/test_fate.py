"""The end of one attempt, and its meaning for the write that it carried."""

from __future__ import annotations

import pytest

from project_platform import Response
from project_platform.calls.fate import Fate, applied, fate

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


@pytest.mark.parametrize(
    ("last", "doubt", "became"),
    [
        (Fate.NOT_SENT, False, "no"),
        (Fate.NOT_SENT, True, "unknown"),
        (Fate.NOT_APPLIED, False, "no"),
        (Fate.NOT_APPLIED, True, "unknown"),
        (Fate.LOST, False, "unknown"),
        (Fate.LOST, True, "unknown"),
        (Fate.APPLIED, False, "yes"),
        (Fate.APPLIED, True, "yes"),
    ],
)
def test_the_fate_of_a_write_depends_on_the_last_outcome_and_earlier_doubt(last, doubt, became):
    """Only a 2xx says yes, and only a write that was never lost can be said not to be applied."""
    assert applied(last, "write", doubt=doubt) == applied(last, "irreversible", doubt=doubt) == became


def test_a_read_leaves_no_doubt():
    assert {applied(last, "read", doubt=True) for last in (Fate.NOT_SENT, Fate.NOT_APPLIED, Fate.LOST)} == {"no"}


def test_an_attempt_shows_its_fate_in_words():
    assert [end.delivery for end in Fate] == ["not sent", "not applied", "applied", "lost"]
