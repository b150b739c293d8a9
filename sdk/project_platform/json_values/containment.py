"""JSON containment as in PostgreSQL's `jsonb @>`: the meaning of `expectedData`, and when a guard fences.

The stub server has its own implementation of containment, on purpose: SDK and stub are independent judges of each other,
and tests compare the two. Do not share code between them, or copy from one to the other.

Source: PostgreSQL documentation, 8.14.3 "jsonb Containment and Existence". The specification says "JSON containment"
and no more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from .exact_json import ExactFloat, is_array, is_object


def contains(value: Any, part: Any) -> bool:
    """Return whether a JSON value contains another: `value @> part`.

    An object contains another if each of its members contains that member of the other. An array contains another if each
    element of the other is contained in one of its elements, regardless of order and count. A scalar contains its equal.
    At the top level only, an array also contains a scalar that is one of its elements.
    """
    if is_array(value) and not is_object(part) and not is_array(part):
        return any(_inside(element, part) for element in value)
    return _inside(value, part)


def equal_scalars(one: Any, other: Any) -> bool:
    """Return whether two values that are neither objects nor arrays are equal: 1 is 1.0, and true is not 1."""
    return _scalar(one) == _scalar(other)


def fences(patch: Mapping[str, Any], guard: Mapping[str, Any]) -> bool:
    """Return whether a guard is false once the patch has been merged, however the service merges.

    If so, a second delivery of the same guarded update cannot be applied.

    Args:
        patch: The `data` of an update; a top-level null deletes its key.
        guard: Its `expectedData`.
    """
    return any(key in patch and (patch[key] is None or _excludes(patch[key], part)) for key, part in guard.items())


def _excludes(new: Any, part: Any) -> bool:
    """Return whether the value that results from merging in `new` cannot contain `part`."""
    if is_object(new) and is_object(part):
        # One service stores a nested null, another deletes its key: both exclude only a value that is not null.
        return any(
            key in new and (value is not None if new[key] is None else _excludes(new[key], value))
            for key, value in part.items()
        )
    return not _inside(new, part)


def _inside(value: Any, part: Any) -> bool:
    return _Comparison().inside(value, part)


_FEW: Final = 8  # elements that are compared with each of the other array: an index takes longer


class _Comparison:
    """One comparison of two values, in about linear time.

    Comparing each element of an array with each of another takes hours for arrays of a few thousand objects. So values get
    a number: those with the same number contain each other, and nearly all elements are found by a lookup. The elements
    that are left are looked up by the paths in them, as in an index of the class `jsonb_path_ops`, and only what has all of
    these paths is compared.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        # Objects and arrays by `id`, with the value itself: a mapping may create its members as they are read.
        self._numbered: dict[int, tuple[Any, int]] = {}

    def inside(self, value: Any, part: Any) -> bool:
        if is_object(part):
            return is_object(value) and all(key in value and self.inside(value[key], part[key]) for key in part)
        if is_array(part):
            return is_array(value) and self._all_inside(value, part)
        return not is_object(value) and not is_array(value) and equal_scalars(value, part)

    def _all_inside(self, values: Sequence[Any], parts: Sequence[Any]) -> bool:
        known = {self._number(value): value for value in values}
        left = {number: part for part in parts if (number := self._number(part)) not in known}
        if not all(is_object(part) or is_array(part) for part in left.values()):
            return False  # a scalar is contained in its equal only
        if not left:
            return True
        elements = [value for value in known.values() if is_object(value) or is_array(value)]
        if len(left) <= _FEW:
            return all(any(self.inside(value, part) for value in elements) for part in left.values())
        having: dict[int, set[int]] = {}
        for position, element in enumerate(elements):
            for path in self._paths(element):
                having.setdefault(path, set()).add(position)
        return all(
            any(self.inside(elements[position], part) for position in _having_all(having, self._paths(part)))
            for part in left.values()
        )

    def _number(self, value: Any) -> int:
        """Return the number of a value; values with the same number contain each other."""
        if type(value) is str:
            return self._interned(("string", value))
        if id(value) in self._numbered:
            return self._numbered[id(value)][1]
        if is_object(value):
            members = [(key, self._number(member)) for key, member in value.items()]
            number = self._interned(("object", frozenset(members)))
        elif is_array(value):
            # A set: neither the order of elements nor their count matters.
            number = self._interned(("array", frozenset(map(self._number, value))))
        else:
            return self._interned(_scalar(value))
        self._numbered[id(value)] = value, number
        return number

    def _paths(self, value: Any) -> set[int]:
        """Return the numbers of the paths in a value. A value that contains another has all of its paths."""
        paths: set[int] = set()
        self._add_paths(value, 0, paths)
        return paths

    def _add_paths(self, value: Any, parent: int, paths: set[int]) -> None:
        if is_object(value):
            paths.add(self._interned((parent, "object")))
            for key, member in value.items():
                self._add_paths(member, self._interned((parent, "member", key)), paths)
        elif is_array(value):
            below = self._interned((parent, "array"))
            paths.add(below)
            for element in value:
                self._add_paths(element, below, paths)
        else:
            paths.add(self._interned((parent, *_scalar(value))))

    def _interned(self, value: Hashable) -> int:
        # From 1: 0 is the parent of the outermost paths.
        return self._numbers.setdefault(value, len(self._numbers) + 1)


def _having_all(having: Mapping[int, set[int]], paths: Iterable[int]) -> set[int]:
    """Return the positions of the elements that have all of these paths."""
    # The smallest first: no intersection is larger.
    first, *others = sorted((having.get(path, set()) for path in paths), key=len)
    return first.intersection(*others)


def _scalar(value: Any) -> tuple[str, Any]:
    # A boolean is an int to Python, and not to JSON; a float is compared by the text that goes over the wire.
    if isinstance(value, str):
        return ("string", str(value))
    if value is None or isinstance(value, bool):
        return ("null" if value is None else "boolean", value)
    if isinstance(value, ExactFloat):
        return ("number", Decimal(value.text))
    if isinstance(value, float):
        return ("number", Decimal(repr(value)))
    if isinstance(value, int | Decimal):
        return ("number", value)
    return ("string", str(value))
