"""JSON containment as in PostgreSQL's `jsonb @>`: the meaning of `expectedData`.

The SDK has its own implementation of containment, on purpose: SDK and stub are independent judges of each other, and
tests compare the two. Do not share code between them, or copy from one to the other.

Source: PostgreSQL documentation, 8.14.3 "jsonb Containment and Existence". The specification says "JSON containment"
and no more. Values are those of `wire.read_json`: a number is an `int` or a `Decimal`, so comparison is exact.
"""

from __future__ import annotations

from collections.abc import Hashable
from decimal import Decimal
from typing import Any

Scalar = str | int | float | Decimal | bool | None

MOST_STEPS = 3_000_000  # A few seconds; two bodies of 1 MiB could otherwise be compared for hours.


class TooManyStepsError(Exception):
    """Two values cannot be compared in reasonable time."""


def contains(value: Any, part: Any) -> bool:
    """Return whether `value @> part`.

    Objects contain objects whose members they contain, arrays contain arrays whose elements they contain, whatever
    their order and count, and scalars contain their equals. At the top level only, an array contains a scalar that is
    one of its elements.

    Raises:
        TooManyStepsError: Long arrays hold objects of which each would have to be compared with each.
    """
    comparison = _Comparison()
    if isinstance(value, list) and not isinstance(part, dict | list):
        return any(comparison.inside(element, part) for element in value)
    return comparison.inside(value, part)


class _Comparison:
    """One comparison, which takes only so many steps."""

    def __init__(self) -> None:
        self._left = MOST_STEPS

    def inside(self, value: Any, part: Any) -> bool:
        self._step(1)
        match part:
            case dict():
                return isinstance(value, dict) and all(
                    key in value and self.inside(value[key], part[key]) for key in part
                )
            case list():
                return isinstance(value, list) and self._all_inside(value, part)
            case _:
                return not isinstance(value, dict | list) and self._frozen(value) == self._frozen(part)

    def _all_inside(self, values: list[Any], parts: list[Any]) -> bool:
        self._step(len(values) + len(parts))
        # What is there as it stands is looked up rather than compared with one after another: that is all but always
        # what is asked for, and two long arrays would take minutes.
        frozen = {self._frozen(have) for have in values}
        containers = [have for have in values if isinstance(have, dict | list)]
        return all(
            self._frozen(want) in frozen
            or (isinstance(want, dict | list) and any(self.inside(have, want) for have in containers))
            for want in parts
        )

    def _frozen(self, value: Any) -> Hashable:
        """Return something that is equal to what it is of another value if, and only if, the two are the same JSON."""
        match value:
            case dict():
                self._step(len(value))
                return frozenset((key, self._frozen(member)) for key, member in value.items())
            case list():
                self._step(len(value))
                return tuple(map(self._frozen, value))
            case _:
                # To Python True is 1; to JSON it is not. Text is compared by code points, without normal forms.
                return isinstance(value, bool), value

    def _step(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise TooManyStepsError
