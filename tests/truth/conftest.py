"""The number of seeded runs, and their first seed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the imports of the scripts, as when they are started as such


@pytest.fixture(scope="session")
def runs() -> int:
    return int(os.environ.get("TRUTH_RUNS", "20000"))


@pytest.fixture(scope="session")
def seed() -> int:
    """Return the seed of the first run; each run has the next one."""
    return int(os.environ.get("TRUTH_SEED", "0"))
