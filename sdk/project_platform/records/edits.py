"""Applies the edits of a value to stored data: what was written of the value before and after, and what the store has.

None in an object is the absence of its key; in an array it keeps its position. The elements of an array have no names, so they are
matched by the objects of the value, and where these are new by what the class reads of them.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from pydantic import RootModel

from ..errors import UsageError
from ..json_values import exact_json
from ..json_values.exact_json import ExactFloat, is_array, is_object
from ..json_values.merge import same

_Home: TypeAlias = tuple[object, ...]
_Homes: TypeAlias = tuple[_Home, _Home]

_MISSING: Final = object()
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


class Unordered(list[Any]):
    """The array of a set, in the order of the texts of its elements."""

    def __init__(self, elements: Sequence[Any]) -> None:
        super().__init__(sorted(elements, key=_text))


class ObjectArray(list[Any]):
    """The array of a list of objects.

    Attributes:
        objects: The objects, one for each element.
    """

    objects: Sequence[object] = ()

    @classmethod
    def of(cls, elements: Sequence[Any], objects: Sequence[object]) -> ObjectArray:
        """Return the array of objects that are written as these elements."""
        array = cls(elements)
        array.objects = objects
        return array


class ObjectMap(dict[str, Any]):
    """The object of a dict of objects, or of an object that has objects in its fields.

    Attributes:
        objects: The objects, by their keys.
        is_dict: Whether it is that of a dict, whose keys are free.
    """

    objects: Mapping[str, object] = {}
    is_dict: bool = False

    @classmethod
    def of(cls, members: Mapping[str, Any], objects: Mapping[str, object], *, is_dict: bool) -> ObjectMap:
        """Return the object that is written with these members."""
        written = cls(members)
        written.objects, written.is_dict = objects, is_dict
        return written

    def with_members(self, members: Mapping[str, Any]) -> ObjectMap:
        """Return the same with other members."""
        return self.of(members, self.objects, is_dict=self.is_dict)


def without_none(value: Any) -> Any:
    """Return JSON without the members of objects that are None."""
    if is_object(value):
        members = {key: without_none(member) for key, member in value.items() if member is not None}
        return value.with_members(members) if isinstance(value, ObjectMap) else members
    if is_array(value):
        items = [without_none(item) for item in value]
        if isinstance(value, ObjectArray):
            return ObjectArray.of(items, value.objects)
        return Unordered(items) if isinstance(value, Unordered) else items
    return value


def with_nulls(data: Any, wanted: object, found: object) -> Any:
    """Return JSON with the members that are None in what was wanted, if the class finds none without them, as in a dict."""
    if is_object(data) and is_object(wanted) and is_object(found):
        gone = {key for key, member in found.items() if member is None and key not in wanted}
        members = {key: with_nulls(member, wanted.get(key), found.get(key)) for key, member in data.items()}
        nulls = {key: None for key, member in wanted.items() if member is None and key not in found}
        return {key: member for key, member in members.items() if key not in gone} | nulls
    if is_array(data) and is_array(wanted) and is_array(found):
        return [with_nulls(*parts) for parts in zip(data, wanted, found, strict=True)]
    return data


@dataclass(frozen=True, slots=True)
class Written:
    """A value as JSON. None in nested objects is still there.

    Attributes:
        data: All members that are not None.
        given: The part without the defaults of models that were not set, of which only the keys matter; `data` itself if the store
            has all keys.
    """

    data: dict[str, Any]
    given: dict[str, Any]


def equal_texts(one: object, other: object) -> bool:
    """Return whether two values have the same representation, which tells 1 from True."""
    return repr(one) == repr(other)


def edited(
    stored: Mapping[str, Any],
    before: Written,
    after: Written,
    equal: Callable[[Any, Any], bool] = equal_texts,
    *,
    keep_none: bool = False,
) -> dict[str, Any]:
    """Return stored data with the edits of a value. A member that was not edited is the same object as before.

    Args:
        stored: The data as they are stored.
        before: The value when it was read.
        after: The value now.
        equal: Returns whether a member is as before. If it says no, the slow way decides.
        keep_none: Whether None in nested objects is a null, since no class says that it is the absence of a field.

    Raises:
        UsageError: An edit of an array would lose keys that the class does not have.
    """
    was, now = before.data, after.data
    had, has = _objects_of(was), _objects_of(now)
    moved = {key for key in {**had, **has} if had.get(key) is not has.get(key) or not _same_objects(was[key], now[key])}
    changed = [
        key
        for key in {**was, **now}
        if not equal(was.get(key), now.get(key))
        or key in moved
        or (before.given is not after.given and before.given.get(key) != after.given.get(key))
    ]
    one, other = (_part(each, changed) for each in (was, now))
    if not keep_none:
        one, other = without_none(one), without_none(other)
    _check_moved(stored, one, other)
    return _edited_object(stored, one, other, (before.given, after.given)) if changed else dict(stored)


def _part(written: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    members = {key: written[key] for key in keys if key in written}
    return written.with_members(members) if isinstance(written, ObjectMap) else members


def _edited_object(
    stored: Mapping[str, Any],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    given: tuple[Any, Any],
    path: str = "",
) -> dict[str, Any]:
    out = dict(stored)
    had: Mapping[str, Any] = given[0] if is_object(given[0]) else {}
    has: Mapping[str, Any] = given[1] if is_object(given[1]) else {}
    sources = _sources(before, after)
    for key in before.keys() - after.keys():
        out.pop(key, None)
    for key, now in after.items():
        source = sources.get(key, key)
        was, old = (
            (_MISSING, _MISSING) if source is None else (before.get(source, _MISSING), stored.get(source, _MISSING))
        )
        if was is _MISSING or source != key or (is_object(now) and is_object(old)) or not same(was, now):
            out[key] = _edited_value(
                old, was, now, (had.get(key if source is None else source), has.get(key)), f"{path}{key}"
            )
        elif old is _MISSING and key in has and key not in had:  # a default that was set by name
            out[key] = now
    return out


def _sources(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, str | None]:
    """Return the earlier key of each object; None for a new one in the place of one that has another key now."""
    if not isinstance(before, ObjectMap) or not isinstance(after, ObjectMap):
        return {}
    had = before.objects
    keys = {id(had[key]): key for key in before if key in had}
    places = {
        key: key if had.get(key) is one else keys.get(id(one)) for key, one in after.objects.items() if key in after
    }
    moved = {source for key, source in places.items() if source != key}
    return {key: source if source is not None else None if key in moved else key for key, source in places.items()}


def _edited_value(old: Any, was: Any, now: Any, given: tuple[Any, Any], path: str) -> Any:
    if is_object(now) and is_object(was) and is_object(old):
        return _edited_object(old, was, now, given, f"{path}.")
    if is_array(now) and is_array(was) and is_array(old):
        return _edited_array(old, was, now, path)
    return _as_stored(old, was, now)


def _edited_array(stored: Sequence[Any], before: Sequence[Any], after: Sequence[Any], path: str) -> list[Any]:
    if same(stored, before):  # the class reads all of it as it is stored, so there is nothing to lose
        return list(after)
    if isinstance(before, Unordered) or isinstance(after, Unordered):
        return _edited_set(stored, before, after)
    if len(stored) != len(before):
        if any(hides(item, _MISSING) for item in stored):
            raise _ambiguous(path)
        return list(after)
    return _Elements(stored, before, after, path).edited()


def _edited_set(stored: Sequence[Any], before: Sequence[Any], after: Sequence[Any]) -> list[Any]:
    wanted, held = {_text(item) for item in after}, [_text(item) for item in stored]
    if not {_text(item) for item in before} <= set(held):  # stored in another form
        return list(after)
    known = set(held)
    kept = [item for item, text in zip(stored, held, strict=True) if text in wanted]
    return kept + [item for item in after if _text(item) not in known]


class _Elements:
    """The elements of an array before and after an edit: those that stayed or moved, and those that were changed."""

    def __init__(self, stored: Sequence[Any], before: Sequence[Any], after: Sequence[Any], path: str) -> None:
        self._stored, self._before, self._after, self._path = stored, before, after, path
        had, has = ([id(one) for one in getattr(side, "objects", ())] for side in (before, after))
        known = {one: place for place, one in enumerate(had)}
        # For each element its place before the edit; None for one that is new, or a changed one whose object is new.
        self._places: list[int | None] = [known.pop(one, None) for one in has] or [None] * len(after)
        self._has_objects = any(place is not None for place in self._places)
        self._match_texts()
        self._lost = set(range(len(before))).difference(place for place in self._places if place is not None)

    def _match_texts(self) -> None:
        """Match the new objects with elements that had the same text; of several with one text, all have to stay or to be equal."""
        places: dict[str, deque[int]] = {}
        for place in sorted({*range(len(self._before))}.difference(self._places)):
            places.setdefault(_text(self._before[place]), deque()).append(place)
        twins = {text: [*queue] for text, queue in places.items()}
        for index, item in enumerate(self._after):
            if self._places[index] is None and (queue := places.get(_text(item))):
                self._places[index] = queue.popleft()
        for text, left in places.items():
            first, *others = (self._stored[place] for place in twins[text])
            if 0 < len(left) < len(twins[text]) and not all(same(first, other) for other in others):
                raise _ambiguous(self._path)

    def edited(self) -> list[Any]:
        """Return the array with the edits."""
        edits: dict[int, int] = {}
        index = place = 0
        for end, anchor in [*_in_order(self._places), (len(self._after), len(self._before))]:
            new = [index for index in range(index, end) if self._places[index] is None]
            lost = [place for place in range(place, anchor) if place in self._lost]
            if new and lost and not self._is_replaced(new, lost):
                self._check_gone(lost)
            if len(new) == len(lost):
                edits |= zip(new, lost, strict=True)
            index, place = end + 1, anchor + 1
        unmatched = {index for index, known in enumerate(self._places) if known is None}
        if unmatched - edits.keys() or (unmatched and not self._has_objects):
            self._check_gone(self._lost.difference(edits.values()))
        return [self._element(index, edits.get(index)) for index in range(len(self._after))]

    def _is_replaced(self, new: list[int], lost: list[int]) -> bool:
        """Return whether one element was replaced by one that is an edit of it, as far as is known: another could be edited in place."""
        objects = getattr(self._after, "objects", ())
        return len(new) == len(lost) == 1 and (not objects or _is_frozen(objects[new[0]]))

    def _check_gone(self, lost: Iterable[int]) -> None:
        """Check that elements may be dropped, of which another one may be an edit."""
        if any(hides(self._stored[place], self._before[place]) for place in lost):
            raise _ambiguous(self._path)

    def _element(self, index: int, edited: int | None) -> Any:
        now, place = self._after[index], self._places[index]
        if place is None:
            place = edited
        if place is None:
            return now
        if _text(self._before[place]) == _text(now):
            return self._stored[place]
        return _edited_value(self._stored[place], self._before[place], now, (None, None), self._path)


def _is_frozen(value: Any) -> bool:
    kind = cast("Any", type(value))
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    return bool(frozen or getattr(kind, "model_config", {}).get("frozen"))


def _check_moved(stored: Mapping[str, Any], before: dict[str, Any], after: dict[str, Any]) -> None:
    """Check that no object was moved out of its array, its dict or its object that would lose unknown keys, or get those of another one."""
    has: dict[int, set[_Home]] = {}
    takes: set[int] = set()  # objects that are where one with unknown keys is stored
    for one, homes, old, now in _objects(after, stored):
        has.setdefault(one, set()).update(homes)
        if is_object(old) and hides(old, now):
            takes.add(one)
    for key in before:
        for one, (named, within), old, was in _objects(_part(before, [key]), stored):
            # A name is that of another list or dict now, unless the one that the object was in is gone.
            home = within if within and within[0] in has else named
            if one in has and home not in has[one] and (one in takes or hides(old, was)):
                raise _ambiguous(key)


def have_moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether an object has another name than before."""
    now = {*_named(after)}
    present = {one for one, _ in now}
    return any(one in present and (one, place) not in now for one, place in _named(before))


def _objects_of(written: Any) -> Mapping[Any, Any]:
    """Return the objects in what is written of an object or an array, by their keys or their positions."""
    if isinstance(written, ObjectMap):
        return written.objects
    return dict(enumerate(written.objects)) if isinstance(written, ObjectArray) else {}


def _same_objects(before: Any, after: Any) -> bool:
    """Return whether two values have the same objects at the same places."""
    had, has = _objects_of(before), _objects_of(after)
    return had.keys() == has.keys() and all(
        one is has[at] and _same_objects(before[at], after[at]) for at, one in had.items()
    )


def _named(written: Any, place: _Home = ()) -> Iterator[tuple[int, _Home]]:
    """Yield each object, with the names that lead to it; the elements of an array have one name."""
    for key, one in _objects_of(written).items():
        below = (*place, "[]" if is_array(written) else key)
        yield id(one), below
        yield from _named(written[key], below)


def _objects(written: Any, stored: Any, homes: _Homes = ((), ())) -> Iterator[tuple[int, _Homes, Any, Any]]:
    """Yield each object, where it is, what is stored of it, and what is written of it.

    Args:
        written: What is written of a value.
        stored: What is stored of it.
        homes: Where the value is: by names from the object of a class that it is in, since a list or a dict may be replaced; and by
            the object that it is in, since that may get another name.
    """
    objects = _objects_of(written)
    if is_array(written):
        in_step = is_array(stored) and len(stored) == len(written)
        parts = [(place, part, stored[place] if in_step else stored) for place, part in enumerate(written)]
    elif is_object(written):
        known: Mapping[str, Any] = stored if is_object(stored) else {}
        parts = [(key, part, known.get(key, _MISSING)) for key, part in written.items()]
    else:
        return
    for name, part, old in parts:
        step = "[]" if is_array(written) else name
        named, within = (*homes[0], step), (*homes[1], step)
        if name in objects:
            one = objects[name]
            yield id(one), homes, old, part
            within = (id(one),)
            is_container = is_object(one) or is_array(one) or isinstance(one, deque | RootModel)
            named = named if is_container else within
        yield from _objects(part, old, (named, within))


def _in_order(places: Sequence[int | None]) -> list[tuple[int, int]]:
    """Return the index and the place of most elements whose places increase: a longest increasing subsequence."""
    ends: list[int] = []  # the smallest place at which a subsequence of each length ends
    chain: list[tuple[int, int, int]] = []  # index, place and length of the subsequence that ends there
    for index, place in enumerate(places):
        if place is not None:
            length = bisect_left(ends, place)
            ends[length : length + 1] = [place]
            chain.append((index, place, length))
    wanted, found = len(ends) - 1, list[tuple[int, int]]()
    for index, place, length in reversed(chain):
        if length == wanted and (not found or place < found[-1][1]):
            found.append((index, place))
            wanted -= 1
    return found[::-1]


def hides(stored: Any, read: Any) -> bool:
    """Return whether stored data has keys that the class does not read."""
    if is_object(stored):
        known: Mapping[str, Any] = read if is_object(read) else {}
        return any(key not in known or hides(stored[key], known[key]) for key in stored if stored[key] is not None)
    if is_array(stored):
        in_step = is_array(read) and len(read) == len(stored)
        return any(map(hides, stored, read if in_step else [_MISSING] * len(stored)))
    return False


def hides_in_elements(stored: Any, read: Any) -> bool:
    """Return whether elements of arrays, or the objects of a dict, have keys that the class does not read."""
    if isinstance(read, ObjectMap) and read.is_dict:
        return hides(stored, read)
    if is_object(stored):
        known: Mapping[str, Any] = read if is_object(read) else {}
        return any(hides_in_elements(member, known.get(key)) for key, member in stored.items())
    return is_array(stored) and hides(stored, read)


def _ambiguous(path: str) -> UsageError:
    return UsageError(
        f"{path}: its elements have keys that the class does not have, and the edit does not say which elements stayed, so "
        "those keys would be lost; edit the elements in place, save what is removed and what is added one after the other, or give the class of "
        "the elements these keys"
    )


def _as_stored(old: Any, was: Any, now: Any) -> Any:
    """Return a new value in the form of the stored one, where the class reads that in another form."""
    if _is_number(old) and isinstance(was, str) and isinstance(now, str) and (found := _NUMBER.fullmatch(now)):
        return ExactFloat(now) if found[1] or found[2] else int(now)
    if isinstance(old, str) and _is_number(was) and _is_number(now):
        return exact_json.dumps(now).decode()
    return now


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
