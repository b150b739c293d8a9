"""JSON containment as PostgreSQL's `jsonb @>` decides it: what `expectedData` means here.

Source: PostgreSQL documentation, 8.14.3 "jsonb Containment and Existence". The specification says "JSON containment"
and no more. Values are those of `wire.read_json`: a number is an `int` or a `Decimal`, so comparison is exact.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

Scalar = str | int | float | Decimal | bool | None


def contains(value: Any, part: Any) -> bool:
    """Return whether `value @> part`.

    Objects contain objects whose members they contain, arrays contain arrays whose elements they contain, whatever
    their order and count, and scalars contain their equals. At the top level only, an array contains a scalar that is
    one of its elements.
    """
    if isinstance(value, list) and not isinstance(part, dict | list):
        return any(_inside(element, part) for element in value)
    return _inside(value, part)


def _inside(value: Any, part: Any) -> bool:
    match part:
        case dict():
            return isinstance(value, dict) and all(key in value and _inside(value[key], part[key]) for key in part)
        case list():
            return isinstance(value, list) and _all_inside(value, part)
        case _:
            return not isinstance(value, dict | list) and _same(value, part)


def _all_inside(values: list[Any], parts: list[Any]) -> bool:
    # Scalars are looked up rather than compared one by one: two long arrays would keep the service busy for minutes.
    scalars = {_key(have) for have in values if not isinstance(have, dict | list)}
    containers = [have for have in values if isinstance(have, dict | list)]
    return all(
        any(_inside(have, want) for have in containers) if isinstance(want, dict | list) else _key(want) in scalars
        for want in parts
    )


def _key(value: Scalar) -> tuple[bool, Scalar]:
    return isinstance(value, bool), value


def _same(value: Scalar, part: Scalar) -> bool:
    # To Python True is 1; to JSON it is not. Text is compared by code points, without normal forms.
    return _key(value) == _key(part)
