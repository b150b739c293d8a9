"""Values of numpy, pandas and polars, recognised without importing any of them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

_GAPS: Final = frozenset({("pandas", "NAType"), ("pandas", "NaTType")})
_NUMBERS: Final = {"b": bool, "i": int, "u": int, "f": float}


def is_gap(value: Any) -> bool:
    """Return whether a value stands for a missing one: None, NaN, and NA and NaT of pandas."""
    if value is None:
        return True
    if isinstance(value, float | Decimal):
        return value != value  # noqa: PLR0124  # NaN
    package, name = _type_of(value)
    if package == "numpy" and not getattr(value, "ndim", 0):
        return bool(value != value)  # noqa: PLR0124  # NaN, or NaT
    return (package, name) in _GAPS


def is_numpy(value: object) -> bool:
    """Return whether a value is an array or a scalar of numpy."""
    return _type_of(value)[0] == "numpy"


def from_numpy(value: Any) -> Any:
    """Return an array of numpy as a list, and a scalar as its Python value; None if there is none.

    `datetime64` has no offset from UTC, and its Python value may be a number of nanoseconds.
    """
    if getattr(value, "ndim", 0):
        return list(value)
    if value.dtype.kind == "O":
        return value.item()
    number = _NUMBERS.get(value.dtype.kind)
    return None if number is None else number(value)


def _type_of(value: object) -> tuple[str, str]:
    kind = type(value)
    return kind.__module__.partition(".")[0], kind.__name__
