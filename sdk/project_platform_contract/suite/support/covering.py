"""Covering arrays: few rows that contain every combination of the values of any two factors, or of any three."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any, Final

_OPEN: Final = -1  # Index of a value that is not chosen yet.

Combination = frozenset[tuple[str, int]]
"""Factors and the indices of their values."""


def covering(factors: Mapping[str, Sequence[Any]], *, strength: int = 2) -> list[dict[str, Any]]:
    """Return rows of values, so that every combination of values of any `strength` factors is in at least one row.

    Each row begins with a combination that no row has yet; the other values are those that add most of the others. The rows
    are the same in every run.

    Args:
        factors: Values by factor.
        strength: Number of factors.
    """
    missing = dict.fromkeys(_combinations(factors, strength))
    rows: list[dict[str, Any]] = []
    while missing:
        row = {**dict.fromkeys(factors, _OPEN), **dict(next(iter(missing)))}
        for name, values in factors.items():
            if row[name] == _OPEN:
                gains = [_gain(missing, {**row, name: index}, strength, name) for index in range(len(values))]
                begin = len(rows) % len(values)  # so that values take turns where they add the same
                row[name] = max((*range(begin, len(values)), *range(begin)), key=gains.__getitem__)
        for found in combinations(row.items(), strength):
            missing.pop(frozenset(found), None)
        rows.append({name: values[row[name]] for name, values in factors.items()})
    return rows


def _combinations(factors: Mapping[str, Sequence[Any]], strength: int) -> list[Combination]:
    return [
        frozenset(zip(names, indices, strict=True))
        for names in combinations(factors, strength)
        for indices in product(*(range(len(factors[name])) for name in names))
    ]


def _gain(missing: Mapping[Combination, None], row: Mapping[str, int], strength: int, name: str) -> int:
    """Return how many missing combinations a row has that contain a factor."""
    chosen = [item for item in row.items() if item[1] != _OPEN]
    return sum(
        frozenset(found) in missing
        for found in combinations(chosen, strength)
        if any(factor == name for factor, _ in found)
    )
