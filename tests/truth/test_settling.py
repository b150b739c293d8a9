"""The verdicts of `client.settle`, checked against the truth in seeded runs with faults; `make trials` makes 20,000."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TRIALS = Path(__file__).parent / "settling/trials.py"


@pytest.mark.parametrize(("how", "runs"), [("sync", 1500), ("asyncio", 300), ("trio", 300)])
def test_no_verdict_of_settling_is_ever_wrong(how, runs):
    """Thirteen kinds of writes, each lost or refused up to three times, while others write, and settled up to three times."""
    command = [sys.executable, "-W", "error", str(TRIALS), "--how", how, "--runs", str(runs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    verdicts, _, *kinds, summary = done.stdout.strip().splitlines()

    assert (done.returncode, summary) == (0, f"{runs} runs, 0 wrong verdicts"), done.stdout + done.stderr
    assert len(kinds) == 13
    assert all(f"| {verdict} |" in verdicts for verdict in ("yes", "no", "in effect", "unknown"))
