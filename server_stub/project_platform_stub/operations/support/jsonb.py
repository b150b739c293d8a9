"""JSON documents as in PostgreSQL's `jsonb`: containment (`@>`), the meaning of `expectedData`, and the merge of changes.

The SDK has its own implementation of both, on purpose: SDK and stub are independent judges of each other, and tests compare
the two. Do not share code between them, or copy from one to the other.

Source of containment: PostgreSQL documentation, 8.14.3 "jsonb Containment and Existence". The specification says only "JSON
containment" and "partial merge"; the profile chooses which. Values are those of `http.messages.read_json`: a number is an
`int` or a `Decimal`, so comparison is exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Literal, TypeAlias

from project_platform_stub.profile import Profile
from project_platform_stub.world.domain import Json

Arrays: TypeAlias = Literal["subset", "prefix", "equal"]
MAX_STEPS = 3_000_000  # A few seconds; without a limit, comparing two bodies of 1 MiB could take hours.


class TooManyStepsError(Exception):
    """The comparison of two values exceeds the step limit."""


def contains(value: Any, part: Any, arrays: Arrays = "subset") -> bool:
    """Return whether `value @> part`.

    An object contains an object if it contains each of its members, an array contains an array if it contains each of
    its elements regardless of order and count, and a scalar contains an equal scalar. At the top level only, an array
    contains a scalar that is one of its elements.

    Args:
        value: The value.
        part: The value that may be contained in it.
        arrays: How an array contains another one: as above, with the elements of the other as its first ones in order
            (`prefix`), or in addition only if both have the same number of elements (`equal`).

    Raises:
        TooManyStepsError: Long arrays contain objects that have to be compared pairwise.
    """
    comparison = _Comparison(arrays)
    if isinstance(value, list) and not isinstance(part, dict | list):
        return any(comparison.inside(element, part) for element in value)
    return comparison.inside(value, part)


class _Comparison:
    """One comparison, with a limited number of steps."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._left = MAX_STEPS

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
        if self._arrays != "subset":
            fits = len(parts) == len(values) if self._arrays == "equal" else len(parts) <= len(values)
            return fits and all(self.inside(value, part) for value, part in zip(values, parts, strict=False))
        # Equal elements are found by a set lookup first. That covers nearly all calls; comparing two long arrays pairwise
        # would take minutes.
        frozen = {self._frozen(value) for value in values}
        left = [part for part in parts if self._frozen(part) not in frozen]
        if not all(isinstance(part, dict | list) for part in left):
            return False
        containers = [value for value in values if isinstance(value, dict | list)]
        having = self._by_scalar_member(containers) if left else {}
        return all(
            any(self.inside(value, part) for value in self._candidates(part, having, containers)) for part in left
        )

    def _by_scalar_member(self, containers: list[Any]) -> dict[Hashable, list[Any]]:
        """Return the objects that have a member, for each key and scalar."""
        having: dict[Hashable, list[Any]] = {}
        for value in containers:
            if isinstance(value, dict):
                self._step(len(value))
                for key, member in value.items():
                    if not isinstance(member, dict | list):
                        having.setdefault((key, self._frozen(member)), []).append(value)
        return having

    def _candidates(self, part: Any, having: dict[Hashable, list[Any]], containers: list[Any]) -> list[Any]:
        """Return the values that can contain an object or array: of the lists of its scalar members, the shortest."""
        if not isinstance(part, dict):
            return containers
        self._step(len(part))
        lists = [
            having.get((key, self._frozen(member)), [])
            for key, member in part.items()
            if not isinstance(member, dict | list)
        ]
        return min(lists, key=len, default=containers)

    def _frozen(self, value: Any) -> Hashable:
        """Return a hashable form of a JSON value; two forms are equal if and only if the values are equal JSON."""
        match value:
            case dict():
                self._step(len(value))
                return frozenset((key, self._frozen(member)) for key, member in value.items())
            case list():
                self._step(len(value))
                return tuple(map(self._frozen, value))
            case _:
                # In Python True == 1, in JSON not. Strings are compared by code points, without normalization.
                return isinstance(value, bool), value

    def _step(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise TooManyStepsError


def merged_data(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Profile) -> Json:
    """Return a record's data with changes merged in; a key whose new value is null is deleted."""
    if profile.merge == "deep":
        return _deep(document, changes)
    if profile.nested_nulls == "strip":
        changes = {key: None if value is None else _stripped(value) for key, value in changes.items()}
    return merged(document, changes)


def _deep(document: Any, changes: Mapping[str, Any]) -> Json:
    """Return a document with a merge patch applied (RFC 7396 section 2)."""
    result = dict(document) if isinstance(document, Mapping) else {}
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _deep(result.get(key), value) if isinstance(value, Mapping) else value
    return result


def _stripped(value: Any) -> Any:
    """Return a value without the null members of its objects, like PostgreSQL's `jsonb_strip_nulls`."""
    match value:
        case dict():
            return {key: _stripped(member) for key, member in value.items() if member is not None}
        case list():
            return [_stripped(member) for member in value]
        case _:
            return value


def merged(document: Mapping[str, Any], changes: Mapping[str, Any]) -> Json:
    """Return a document with changes merged in, one level deep; a key whose new value is null is deleted."""
    return {key: value for key, value in {**document, **changes}.items() if key not in changes or value is not None}
