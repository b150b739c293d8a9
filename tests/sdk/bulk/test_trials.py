"""A part of the trials that kill the sender, or workers of a cluster of Dask (`make trials` runs them whole)."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_python

TRIALS = Path(__file__).with_name("trials.py")
NO_DASK = pytest.mark.skipif(
    find_spec("distributed") is None or sys.platform == "win32", reason="needs the extra dask and SIGKILL"
)


@pytest.mark.parametrize(
    "arguments",
    [
        "creates --rows 1000 --kills 8",
        "changes --rows 400 --kills 4 --settle",
        "changes --rows 150 --kills 2 --quota 100",
        "creates --rows 1000 --kills 5 --signal TERM",
        "creates --rows 100 --kills 5 --slow 0.02",
        "creates --rows 1000 --kills 5 --without-boot-id",
        "creates --rows 1000 --kills 0 --away 0.3",
        "creates --rows 1000 --kills 1 --away 2 --away-as reset",
        pytest.param("dask --rows 600 --kills 2", marks=NO_DASK),  # and each tenth task runs twice
    ],
)
def test_a_killed_sender_loses_no_row_and_sends_none_twice(arguments):
    """After kills at any moment, no outcome contradicts what the service applied, and only rows in flight are in doubt."""
    done = subprocess.run([sys.executable, TRIALS, *arguments.split()], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
