"""Bulk runs on a cluster of Dask whose workers are killed, and which runs tasks twice; partitions of its bags."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from project_platform import Client, bulk

from . import ledger

pytest.importorskip("distributed", reason="needs the extra dask")

pytestmark = pytest.mark.one_python

TRIALS = Path(__file__).with_name("trials.py")


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_killed_workers_and_tasks_that_run_twice_lose_no_row_and_send_none_twice():
    """After kills at any moment, no outcome contradicts what the service applied."""
    command = [sys.executable, TRIALS, "dask", "--rows", "600", "--kills", "2"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_partitions_of_a_bag_are_sent_once(tmp_path, monkeypatch):
    """Tasks of `map_partitions` share nothing but the claims; when they run again, they return the same and send nothing."""
    from dask import bag

    def send(rows: Any, numbers: Any) -> list[tuple[str | None, str]]:
        (number,) = numbers
        with Client() as client:
            project = client.project()
            calls = project.records.creates(rows, type_slug="deal", external_id_column="id")
            outcomes = bulk.partition(project, calls, claims=tmp_path / "claims", name=f"part-{number:05}")
            return [(outcome.key, outcome.applied) for outcome in outcomes]

    rows = bag.from_sequence([{"id": f"crm-{i}"} for i in range(200)], npartitions=4)
    sent = rows.map_partitions(send, bag.range(4, npartitions=4))
    with ledger.serving() as url:
        for name, value in {"BASE_URL": url, "TOKEN": "t", "PROJECT": ledger.PROJECT}.items():
            monkeypatch.setenv(f"PROJECT_PLATFORM_{name}", value)
        with ProcessPoolExecutor(2) as pool:
            first, second = (Counter(sent.compute(scheduler="processes", pool=pool)) for _ in range(2))
        truth = ledger.truth(url)

    assert first == second == {(f"crm-{i}", "yes"): 1 for i in range(200)}
    assert truth["created"] == truth["arrived"] == {f"crm-{i}": 1 for i in range(200)}
    assert bulk.gather(tmp_path / "claims", tmp_path / "journal").counts["yes"] == 200
