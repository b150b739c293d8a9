"""A tenth of the trials that kill the sender (`make trials` runs them whole)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_python

TRIALS = Path(__file__).with_name("trials.py")


@pytest.mark.parametrize(
    "arguments",
    [["creates", "--rows", "2000", "--kills", "20"], ["changes", "--rows", "400", "--kills", "4", "--probe"]],
    ids=lambda arguments: arguments[0],
)
def test_a_killed_sender_loses_no_row_and_sends_none_twice(arguments):
    """After kills at any moment, no outcome contradicts what the service applied."""
    done = subprocess.run([sys.executable, TRIALS, *arguments], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
