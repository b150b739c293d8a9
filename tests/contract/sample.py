"""Samples of the broken services: all of them take ten minutes on two cores."""

import os
from collections.abc import Iterable

PART = 8


def sample(names: Iterable[str]) -> list[str]:
    """Return every eighth name, or all of them if the variable `MUTANTS` is `all`."""
    ordered = sorted(names)
    return ordered if os.environ.get("MUTANTS") == "all" else ordered[::PART]
