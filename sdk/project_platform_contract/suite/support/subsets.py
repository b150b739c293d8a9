"""Combinations of optional fields: a field must not depend on which others a body has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations


def subsets(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield all subsets of some names except for the empty one, small ones first."""
    pool = tuple(names)
    return chain.from_iterable(combinations(pool, size) for size in range(1, len(pool) + 1))
