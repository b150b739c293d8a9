"""The limiter over real sockets, against a server with a quota. It shares nothing with the virtual time of `test_limiter.py`."""

from __future__ import annotations

import pytest

from project_platform import Client

from .ledger import PROJECT, serving, truth
from .rows import creates


@pytest.mark.parametrize("retry_after", [0, 1])
def test_a_quota_is_kept_and_used_by_a_run(tmp_path, retry_after):
    """No row fails, few requests are refused, and the run ends: it does not wait for longer than the quota needs."""
    with serving(quota=20, retry_after=retry_after) as url, Client(url, token="t") as client:
        with client.project(PROJECT).bulk(tmp_path / "journal", progress=False) as job:
            report = job.run(creates(60))
        created = truth(url)["created"]

    assert report.counts["yes"] == 60
    assert set(created.values()) == {1}
    assert 0 < report.refused < 40
