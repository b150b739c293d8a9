"""Bulk runs on a cluster of Dask whose workers are killed, and which runs tasks twice; partitions of its bags."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the extra dask")

pytestmark = pytest.mark.one_python

TRIALS = Path(__file__).with_name("trials.py")


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_killed_workers_and_tasks_that_run_twice_lose_no_row_and_send_none_twice():
    """After kills at any moment, no outcome contradicts what the service applied."""
    command = [sys.executable, TRIALS, "dask", "--rows", "600", "--kills", "2"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
