"""Explains a failed comparison of JSON values by the members that differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

_SHOWN: Final = 20  # Maximum number of differences.
_AROUND: Final = 40  # Characters of a long string before and after the first difference.


def explain(op: str, left: Any, right: Any) -> list[str] | None:
    """Return a line for each member that differs, for pytest's hook; None if pytest explains the comparison.

    Args:
        op: The operator.
        left: The value on its left, in this suite the actual one.
        right: The value on its right.
    """
    if op != "==" or not isinstance(left, (dict, list)) or not isinstance(right, (dict, list)):
        return None
    lines = list(islice(differences(left, right), _SHOWN + 1))
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = ["and more"]
    return lines or None


def differences(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each member in which two JSON values differ, with its path."""
    if isinstance(left, dict) and isinstance(right, dict):
        for name in dict.fromkeys([*left, *right]):
            at = f"{path}.{name}" if path else str(name)
            if name not in left:
                yield f"{at} is missing; expected {_shown(right[name])}"
            elif name not in right:
                yield f"{at} is {_shown(left[name])}; expected no such member"
            else:
                yield from differences(left[name], right[name], at)
    elif isinstance(left, list) and isinstance(right, list):
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            yield from differences(one, other, f"{path}[{index}]")
        if len(left) != len(right):
            more = f"[{min(len(left), len(right))}]"
            found = f"; it has {_shown(left[len(right)])}" if len(left) > len(right) else ""
            expected = f"; expected {_shown(right[len(left)])}" if len(left) < len(right) else ""
            yield f"{path or 'the list'} has {len(left)} items; expected {len(right)}. At {more}{found}{expected}"
    elif left != right:
        if isinstance(left, str) and isinstance(right, str):
            left, right = _around_difference(left, right)
        yield f"{path or 'the value'} is {_shown(left)}; expected {_shown(right)}"


def _around_difference(left: str, right: str) -> tuple[str, str]:
    """Return the parts of two long strings around their first difference."""
    if max(len(left), len(right)) <= 2 * _AROUND:
        return left, right
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    begin, end = max(at - _AROUND, 0), at + _AROUND
    before = "..." if begin else ""
    return tuple(f"{before}{text[begin:end]}{'...' if end < len(text) else ''}" for text in (left, right))  # type: ignore[return-value]  # two


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 4 * _AROUND else f"{text[: 4 * _AROUND]}..."
