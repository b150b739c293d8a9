"""The measurements of bulk runs on a quota run, for a short time and without aiometer. Their values are not judged."""

from __future__ import annotations

import pytest
from benchmarks import bulk_peers
from benchmarks.bulk_processes import Quota, measure

pytestmark = pytest.mark.one_python


@pytest.mark.parametrize(("kind", "shared"), [("bucket", True), ("window", False)])
def test_processes_on_one_quota_are_measured(kind: str, shared: bool) -> None:
    """Over sockets: no row is lost, each process sends, and the service refuses what is over its quota."""
    found = measure(Quota(10, kind), 2, 2, shared=shared)

    assert found.lost == 0
    assert min(found.rows) > 0
    assert 0 < found.used <= 1.1
    assert 0 < found.refused < 1


@pytest.mark.parametrize("name", [name for name in bulk_peers.SIDES if not name.startswith("aiometer")])
def test_a_side_is_measured_on_a_quota_that_changes(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table has a row for it, and `Bulk` and `AsyncBulk` lose none."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", "")  # so that it is restored after the measurement, which sets it
    bulk_peers.measure(name, 0.2, bucket=False)

    cells = [cell.strip() for cell in capsys.readouterr().out.strip("|\n").split("|")]
    assert cells[0] == name
    assert len(cells) == 5
    assert cells[-1].endswith("of 50")
    if "Bulk" in name:
        assert cells[-1] == "0 of 50"
