"""The measurements of bulk runs on a quota run, for a short time. Their values are not judged."""

from __future__ import annotations

import pytest
from benchmarks.bulk_processes import Quota, measure


@pytest.mark.parametrize(("kind", "shared"), [("bucket", True), ("window", False)])
def test_processes_on_one_quota_are_measured(kind, shared):
    """Over sockets: no row is lost, each process sends, and the service refuses what is over its quota."""
    found = measure(Quota(10, kind), 2, 2, shared=shared)

    assert found.lost == 0
    assert min(found.rows) > 0
    assert 0 < found.used <= 1.1
    assert 0 < found.refused < 1
