"""The verdicts of `client.settle`, checked against the truth in seeded runs with faults; `make trials` makes 20,000."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(("how", "runs"), [("sync", 700), ("asyncio", 200), ("trio", 200)])
def test_no_verdict_of_settling_is_ever_wrong(how, runs):
    """Eleven kinds of writes, each lost up to three times, while others write, and settled up to three times."""
    from settling.trials import KINDS, try_all  # a script beside this module; see `conftest.py`

    counts, wrong = try_all(runs, how=how)

    assert wrong == []
    assert {kind for kind, _ in counts} == set(KINDS)
    assert {"yes", "no", "in effect", "unknown"} <= {verdict for _, verdict in counts}
