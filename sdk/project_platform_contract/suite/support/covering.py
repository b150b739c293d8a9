"""Covering arrays: few requests that together have each combination of values of any two, or any three, factors.

Defects that need a combination, such as a field that is lost beside another one, are found without sending all combinations.
The rows are the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from random import Random
from typing import Any

Row = dict[str, Any]

_Part = tuple[tuple[int, int], ...]  # Of some factors: the number of each, and the number of its value.


def covering(
    factors: Mapping[str, Sequence[Any]],
    strength: int = 2,
    *,
    seed: int = 0,
    possible: Callable[[Row], bool] = lambda row: True,
) -> list[Row]:
    """Return rows in which each combination of values of any `strength` factors occurs, in random order.

    Args:
        factors: The values of each factor.
        strength: Number of factors whose combinations all occur.
        seed: Seed of the order, and of all other choices.
        possible: Whether a row, complete or not, is possible; a combination of values that never is does not occur.
    """
    chance = Random(seed)  # noqa: S311  # no secret
    names, values = tuple(factors), tuple(map(tuple, factors.values()))

    def row(part: _Part) -> Row:
        return {names[factor]: values[factor][value] for factor, value in part}

    missing = dict.fromkeys(
        part
        for chosen in combinations(range(len(names)), strength)
        for numbers in product(*(range(len(values[factor])) for factor in chosen))
        if possible(row(part := tuple(zip(chosen, numbers, strict=True))))
    )
    rows: list[Row] = []
    while missing:
        complete = _completed(next(iter(missing)), values, missing, chance, lambda part: possible(row(part)))
        if complete is None:  # the rest of the row makes the combination impossible
            del missing[next(iter(missing))]
            continue
        for part in combinations(complete, strength):
            missing.pop(part, None)
        rows.append(row(complete))
    chance.shuffle(rows)
    return rows


def _completed(
    part: _Part,
    values: Sequence[Sequence[Any]],
    missing: Mapping[_Part, None],
    chance: Random,
    possible: Callable[[_Part], bool],
) -> _Part | None:
    """Return a whole row with a part, whose other values are those that add most of what is missing; None if there is none."""
    strength, chosen = len(part), dict(part)
    others = [factor for factor in range(len(values)) if factor not in chosen]
    chance.shuffle(others)
    for factor in others:
        best: tuple[int, int] | None = None
        numbers = list(range(len(values[factor])))
        chance.shuffle(numbers)
        for number in numbers:
            if not possible(tuple({**chosen, factor: number}.items())):
                continue
            added = sum(
                tuple(sorted((*rest, (factor, number)))) in missing
                for rest in combinations(chosen.items(), strength - 1)
            )
            if best is None or added > best[0]:
                best = added, number
        if best is None:
            return None
        chosen[factor] = best[1]
    return tuple(sorted(chosen.items()))
