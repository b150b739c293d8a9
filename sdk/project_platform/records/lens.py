"""A class as a lens over stored data: how it reads data, and what an edit of its value changes of them.

The stored data is never compared with what the class writes. An edit is the difference between what the class wrote of a value
when it was read, and what it writes of it now; `edits.py` applies it to the stored data. So keys that the class does not have, and
values that it reads in another form, stay as they are.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import repeat
from math import isfinite
from typing import Any, Final, Generic, TypeVar, cast

from pydantic import BaseModel, PydanticUserError, RootModel, TypeAdapter, ValidationError

from ..errors import UsageError
from ..json_values import exact_json
from ..json_values.exact_json import is_array, is_object
from ..json_values.merge import same
from .change import DELETE
from .edits import (
    ObjectArray,
    ObjectMap,
    Unordered,
    Written,
    edited,
    equal_texts,
    have_moved,
    hides,
    hides_in_elements,
    with_nulls,
    without_none,
)

D = TypeVar("D")

_EXTRA: Final = re.compile(r"'extra(?:_fields)?_behavior': 'allow'")
_TYPE: Final = re.compile(r"'type': '([a-z-]+)'")
# Types of pydantic's schemas whose values share no list or dict with the data that they are read from.
# fmt: off
_OWNING: Final = frozenset({
    "bool", "dataclass", "dataclass-args", "dataclass-field", "date", "datetime", "decimal", "default", "dict", "enum", "float",
    "frozenset", "int", "list", "literal", "model", "model-field", "model-fields", "none", "nullable", "set", "str", "time",
    "timedelta", "tuple", "typed-dict", "typed-dict-field", "union", "uuid",
})
# fmt: on
# `dict[str, Any]` is written as untyped data are: pydantic writes a `Decimal` as text, and rounds a number to a float.
_JSON_OBJECT: Final = {"type": "dict", "keys_schema": {"type": "str"}, "values_schema": {"type": "any"}}
_MASK: Final = "**********"  # of a secret of pydantic
_ABSENT: Final = "\0absent"  # no text of a service has the character NUL


class Lens(Generic[D]):
    """Reads and writes the data of records of a class.

    Args:
        data_type: The class.
        strict: Whether it converts no values; None for what the class says.
        reserved: Keys of the data that the class does not read, as those of operation tokens.

    Raises:
        UsageError: The class cannot be used for data.
    """

    def __init__(
        self, data_type: type[D] | TypeAdapter[D], *, strict: bool | None, reserved: Iterable[str] = ()
    ) -> None:
        try:
            self._adapter: TypeAdapter[D] = data_type if isinstance(data_type, TypeAdapter) else TypeAdapter(data_type)
            schema = dict(self._adapter.core_schema)  # builds one that was deferred
        except PydanticUserError as error:
            raise UsageError(
                f"{data_type!r} cannot be used for data: {error.message.splitlines()[0].partition('. ')[0]}; give a pydantic model, a "
                "dataclass or a TypedDict, with fields of types that pydantic knows"
            ) from None
        self.kind: type[D] | None = None if isinstance(data_type, TypeAdapter) else data_type
        self.name: str = getattr(self.kind, "__name__", None) or "the class"
        self._strict = strict
        self._reserved = frozenset(reserved)
        self._is_json = schema == _JSON_OBJECT
        self._reads_json = False
        parts = repr(schema)
        types = set(_TYPE.findall(parts))
        self._copies = _EXTRA.search(parts) is not None or not types <= _OWNING
        # Where a member is always of one type, 1 never becomes True.
        plain = types <= _OWNING - {"literal", "union"} and not self._copies
        self._equal: Callable[[Any, Any], bool] = same if self._is_json else _equal_or_texts if plain else equal_texts
        self._takes_long_as_text = "decimal" in types and "union" not in types and not self._copies
        if "decimal" in types:
            self._equal = _with_digits(self._equal)
        self._has_models = "'model-field'" in parts  # whose values know which fields were set
        self._names = _names(self.kind) if isinstance(self.kind, type) and not _is_open(self.kind) else None
        self._has_unwritable = self._copies or "datetime" in types
        models = sum(parts.count(f"'type': '{kind}'") for kind in ("model", "dataclass", "typed-dict"))
        self._has_objects = models > (schema["type"] != "dict") or "definition-ref" in types
        self._may_have_more = "dataclass" in types or ("typed-dict" in types and self._has_objects)
        self._may_lose = self._has_objects or "any" in types or self._names is None
        self._has_secrets = "pydantic.types.Secret" in parts
        self._has_other_forms = (
            self._copies or not types.isdisjoint({"set", "frozenset", "decimal"}) or "set_schema" in parts
        )

    def read(self, data: Mapping[str, Any]) -> D:
        """Return data as a value of the class, which shares no list or dict with them.

        Raises:
            ValidationError: They do not fit.
        """
        return self._validated(exact_json.copy(data) if self._copies else data)

    def _validated(self, data: Mapping[str, Any]) -> D:
        if self._reserved:
            data = {key: value for key, value in data.items() if key not in self._reserved}
        if not self._reads_json:
            try:
                return cast("D", self._adapter.validator.validate_python(data, strict=self._strict))
            except ValidationError:
                # A strict class takes a date-time from text only if it reads JSON.
                value = self._validated_json(data)
                self._reads_json = True
                return value
        return self._validated_json(data)

    def _validated_json(self, data: Mapping[str, Any]) -> D:
        if self._takes_long_as_text:  # of a number in JSON, pydantic gives a `Decimal` the digits of a float
            with contextlib.suppress(ValidationError):
                return self._adapter.validate_json(exact_json.dumps(_long_as_text(data)), strict=self._strict)
        return self._adapter.validate_json(exact_json.dumps(data), strict=self._strict)

    def write(self, value: D, stored: Mapping[str, Any], before: Written | None = None) -> Written:
        """Return a value as JSON. Which defaults were set matters only where the stored data lacks them.

        Args:
            value: The value.
            stored: The data that it was read from.
            before: The value as it was written then, if it may have been edited since.
        """
        data = self._json(value)
        lacks = _lacks(stored, data) if before is None else before.given is not before.data
        return Written(data, self._json(value, set_only=True) if self._has_models and lacks else data)

    def new(self, value: D) -> dict[str, Any]:
        """Return the data of a new record: all fields, defaults included, so that guards can name them.

        Raises:
            UsageError: It is no value of the class, has a time without an offset from UTC, or the class could not read it back.
        """
        written = self._json(value)
        data: dict[str, Any] = written if self._is_json else without_none(written)
        self._check_secrets(data)
        self._check_values(value, {}, data, {})
        data |= self._read_back(value, data, written)
        self._check_attributes(value, written, written)
        return data

    def edits(self, stored: Mapping[str, Any], before: Written, value: D) -> dict[str, Any]:
        """Return the members of the stored data that an edit of the value changes, `DELETE` for those that it deletes.

        Args:
            stored: The data that the value was read from.
            before: The value as it was written then.
            value: The edited value.

        Raises:
            UsageError: The edit cannot be stored: it is no value of the class, has a time without an offset from UTC, the class
                could not read it back, or keys that it does not have would be lost.
        """
        after = self.write(value, stored, before)
        self._check_attributes(value, after.data, stored)
        self._check_secrets(after.data)
        data = edited(stored, before, after, self._equal, keep_none=self._is_json)
        touched = [key for key in {**stored, **data} if stored.get(key, _ABSENT) is not data.get(key, _ABSENT)]
        if not self._is_json:
            self._check_values(value, stored, {key: after.data.get(key) for key in touched}, before.data)
        gone = before.data.keys() - after.data.keys() - stored.keys()  # a default, or stored under another alias
        if (touched or gone or self._may_lose) and not self._is_json:
            data |= self._read_back(value, data, after.data, [*touched, *gone])
        return {key: data.get(key, DELETE) for key in touched}

    def continued(self, stored: Mapping[str, Any], saved: Mapping[str, Any], read: Written, value: D) -> D | None:
        """Return stored data as a value with the edits of `value` since it was saved, or None if there are none.

        Args:
            stored: The data.
            saved: The data that the save stored.
            read: The value as it was written when it was read.
            value: The value, which was saved and may have been edited since.

        Raises:
            UsageError: Another writer changed what was edited, or it is in an array or a dict whose elements have keys that the class
                does not have.
            ValidationError: The data do not fit.
        """
        before = self.write(self.read(saved), saved)
        for key in before.data.keys() - saved.keys():  # a default, which may be another one at each reading
            before.data[key] = read.data.get(key)
        now = self.write(value, saved, before)
        data = edited(saved, before, now, self._equal, keep_none=self._is_json)
        touched = [key for key in {**saved, **data} if not same(saved.get(key, _ABSENT), data.get(key, _ABSENT))]
        if not touched:
            return None
        hidden = any(hides(saved.get(key), before.data.get(key)) for key in touched)
        # What was just read has no object of the value, so keys could not go along.
        if hidden and have_moved(read.data, now.data):
            raise UsageError(f"objects of {', '.join(touched)} changed places")
        if lists := [key for key in touched if hides_in_elements(saved.get(key), before.data.get(key))]:
            raise UsageError(f"{', '.join(lists)} has elements with keys that {self.name} does not have")
        if theirs := [key for key in touched if not same(saved.get(key), stored.get(key))]:
            raise UsageError(f"another writer changed {', '.join(theirs)}")
        found = self._json(self.read(data))
        data |= {key: with_nulls(data[key], now.data.get(key), found.get(key)) for key in touched if key in data}
        rest = {key: member for key, member in stored.items() if key not in touched}
        return self.read(rest | {key: data[key] for key in touched if key in data})

    def _json(self, value: D, *, set_only: bool = False) -> dict[str, Any]:
        self._check_kind(value)
        plain = exact_json.plain
        written: Any = plain(cast("Any", value), "data") if self._is_json else self._dumped(value, set_only=set_only)
        if not isinstance(written, dict):
            raise UsageError(
                f"{self.name} is written as a {type(written).__name__}, and the data of a record is an object"
            )
        members = {key: member for key, member in cast("dict[str, Any]", written).items() if member is not None}
        return written.with_members(members) if isinstance(written, ObjectMap) else members

    def _check_kind(self, value: object) -> None:
        """Check that a value is of the class, and has no field that the class does not have: it would not be stored."""
        kind, names = self.kind, self._names
        given = type(value)
        if given is kind or kind is None or names is None:
            return
        typed_dict = issubclass(kind, dict)
        if not issubclass(given, dict if typed_dict else kind):
            if given.__qualname__ == kind.__qualname__:  # such as of a cell of a notebook that was run again
                raise UsageError(
                    f"data is of another class {self.name}, whose definition was run again; make deals again with project.records.of, "
                    "read the record with it, such as by deals.wrap(record.raw), and edit that"
                )
            raise UsageError(
                f"data is of type {given.__name__}; give {self.name}(...), which has the defaults of the class"
            )
        has: Iterable[str] = cast("Iterable[str]", value) if typed_dict else _names(given) or ()
        self._refuse_unknown(set(has) - names)

    def _check_attributes(self, value: D, written: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
        """Check that a value and its parts have no attribute or key, such as a misspelt one, that is neither written nor stored."""
        if not self._may_have_more or (not self._has_objects and getattr(value, "__dict__", {}).keys() == self._names):
            return
        if any(_unwritten(written if self._has_objects else {}, value, _ABSENT)):
            with contextlib.suppress(ValidationError):  # which the check of what is written names
                read = self._validated(written)  # `__post_init__` may set attributes
                unknown = {*_unwritten(written, value, read)}
                # A dataclass may take further members of what is stored.
                self._refuse_unknown(unknown.difference(_unwritten(written, self._validated(stored), read)))

    def _refuse_unknown(self, names: set[str]) -> None:
        if names:
            raise UsageError(
                f"data has {', '.join(sorted(names))}, which {self.name} does not have and would not store"
            )

    def _dump(self, value: D, **options: Any) -> Any:
        # A round trip leaves computed fields out; a wrong value is refused when it is read back.
        return self._adapter.serializer.to_python(value, by_alias=True, round_trip=True, warnings=False, **options)

    def _dumped_by_own_types(self, value: D) -> Any:
        """Return a value with all fields of its classes, where these are subclasses of the declared ones."""
        try:
            return self._dump(value, serialize_as_any=True)
        except TypeError:  # pydantic before 2.14 needs the serializers of classes whose build is deferred
            _build_classes(value)
            return self._dump(value, serialize_as_any=True)

    def _dumped(self, value: D, *, set_only: bool) -> Any:
        try:
            written = self._dump(value, mode="json", exclude_unset=set_only)
            if self._has_other_forms:
                _take_forms(written, self._dump(value, exclude_unset=set_only))
            if self._has_objects and not set_only:
                written = _with_objects(written, value)
        except (TypeError, ValueError) as error:  # such as a set of models, whose JSON has no order to compare
            raise UsageError(f"{self.name} cannot be written as JSON: {error}") from error
        return written

    def _check_secrets(self, written: Mapping[str, Any]) -> None:
        """Check that no secret is written masked, as pydantic does it: the mask would be stored, and no edit of it be seen."""
        if self._has_secrets and _MASK in _texts(written):
            raise UsageError(
                f"{self.name} writes a secret as {_MASK}, which would be stored; give its field a serializer, such as "
                'Annotated[SecretStr, PlainSerializer(SecretStr.get_secret_value, when_used="json")]; nothing was sent'
            )

    def _check_values(
        self, value: D, stored: Mapping[str, Any], written: Mapping[str, Any], before: Mapping[str, Any]
    ) -> None:
        """Check that each datetime of what is written has an offset from UTC, and that no number is NaN or infinite.

        Pydantic writes such a number as null, which would delete what is stored. A time that was stored without an offset may stay
        so, and a default may be such a number: it is not stored.
        """
        if not self._has_unwritable:
            return
        texts = {*_texts(written)} - {*_texts(before)}
        numbers: list[tuple[str, object]] = []
        for path, part in _leaves(self._dump(value)):
            if not isinstance(part, datetime.datetime):
                numbers.append((path, part))
            elif part.utcoffset() is None and part.isoformat() in texts:
                raise UsageError(
                    f"{self.name}{path} has no offset from UTC, so its hour is ambiguous; give a datetime with tzinfo"
                )
        defaults = {path for path, _ in _leaves(self._dump(self.read(stored)))} if numbers and stored else set[str]()
        for path, part in numbers:
            if path not in defaults:
                raise UsageError(
                    f"{self.name}{path} is {part}, which is not a number of JSON; give a number, or None if the field may be None"
                )

    def _read_back(
        self, value: D, data: Mapping[str, Any], wanted: Mapping[str, Any], keys: Iterable[str] | None = None
    ) -> dict[str, Any]:
        """Check that the class reads from data what it was to write, and return the members to which that adds a null."""
        try:
            read = self._validated(data)
        except ValidationError as error:
            raise UsageError(
                f"{self.name} could not read its own data back: {'; '.join(problems(error))}; give values of the types of the fields, and "
                "a field that may be None a default: null is not stored"
            ) from None
        found = self._json(read)
        nulls: dict[str, Any] = {}
        for key in {**wanted, **found} if keys is None else keys:
            if key in data and not same(wanted.get(key), found.get(key)):
                nulls[key] = with_nulls(data[key], wanted.get(key), found.get(key))
            stored, read_back = (without_none(side.get(key)) for side in (wanted, found))
            if not (same(stored, read_back) or equal_texts(stored, read_back)):  # NaN is not equal to itself
                why = (
                    "None cannot be stored, since null deletes the key, and the class has another default or another name for it"
                    if stored is None or repr(stored) != repr(wanted[key])
                    else "the class reads another value from it than it writes; check its type, and the aliases and serializers of the class"
                )
                raise UsageError(f"{self.name}.{key} does not survive being stored: {why}; nothing was sent")
        if self._may_lose:
            kept, given = map(self._dumped_by_own_types, (read, value))
            for key, member in given.items():
                if member is not None and (key not in kept or not _keeps(kept[key], member)):
                    raise UsageError(
                        f"{self.name}.{key} does not survive being stored: its value is of a subclass of what the field is declared as, "
                        "whose further fields would be lost; declare the subclass; nothing was sent"
                    )
        return nulls


def _long_as_text(value: Any) -> Any:
    """Return JSON in which each number that a float does not hold is text."""
    if is_object(value):
        return {key: _long_as_text(member) for key, member in value.items()}
    if is_array(value):
        return [_long_as_text(element) for element in value]
    is_long = isinstance(value, exact_json.ExactFloat) and Decimal(value.text) != Decimal(repr(float(value)))
    return value.text if is_long else value


def _build_classes(value: object) -> None:
    if isinstance(value, BaseModel):
        type(value).model_rebuild()
    parts: Any = getattr(value, "__dict__", value)
    for part in parts.values() if is_object(parts) else parts if is_array(parts) else ():
        _build_classes(part)


def _keeps(read: object, given: object) -> bool:
    """Return whether objects have all keys with which they were given. None is the absence of a key."""
    if is_object(given):
        known: Mapping[str, object] = read if is_object(read) else given
        members = [(key if key in known else str(key), member) for key, member in given.items() if member is not None]
        return all(key in known and _keeps(known[key], member) for key, member in members)
    if isinstance(read, list | tuple) and isinstance(given, list | tuple):
        return all(map(_keeps, cast("Sequence[Any]", read), cast("Sequence[Any]", given)))
    return True


def _is_open(kind: Any) -> bool:
    """Return whether a class takes further members."""
    config = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", {})
    return config.get("extra") == "allow"


def _names(kind: Any) -> frozenset[str] | None:
    """Return the names of the fields of a model, a dataclass or a `TypedDict`; None for what else has data."""
    members = ("model_fields", "__dataclass_fields__", *(["__annotations__"] if hasattr(kind, "__total__") else []))
    return next((frozenset(getattr(kind, member)) for member in members if hasattr(kind, member)), None)


def problems(error: ValidationError) -> tuple[str, ...]:
    """Return each place that does not fit, and how, without the value."""
    details = error.errors(include_input=False, include_url=False, include_context=False)
    return tuple(f"{'.'.join(map(str, detail['loc'])) or 'data'} ({detail['type']})" for detail in details)


def _with_digits(equal: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a function that also compares the digits of numbers, which floats do not tell."""
    return lambda one, other: equal(one, other) and _digits(one) == _digits(other)


def _digits(value: object) -> list[Decimal]:
    """Return the numbers in a value that keep their digits."""
    if isinstance(value, exact_json.ExactFloat):
        return [Decimal(value.text)]
    members = value.values() if is_object(value) else value if is_array(value) else ()
    return [digits for member in members for digits in _digits(member)]


def _equal_or_texts(one: object, other: object) -> bool:
    return one == other or equal_texts(one, other)  # NaN is not equal to itself


def _lacks(stored: object, written: object) -> bool:
    """Return whether an object, or one inside it, has a key that the stored one does not have."""
    if not is_object(written) or not is_object(stored):
        return False
    for key, member in written.items():
        if key not in stored or (is_object(member) and _lacks(stored[key], member)):
            return True
    return False


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for member in value.values() if is_object(value) else value if is_array(value) else ():
        yield from _texts(member)


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the datetimes in a value, and the numbers that are NaN or infinite, with their paths."""
    if isinstance(value, datetime.datetime) or (isinstance(value, float | Decimal) and not isfinite(value)):
        yield path, value
    elif is_object(value):
        for key, member in value.items():
            yield from _leaves(member, f"{path}.{key}")
    elif isinstance(value, list | tuple | set | frozenset):
        for number, member in enumerate(cast("Iterable[Any]", value)):
            yield from _leaves(member, f"{path}[{number}]")


def _with_objects(written: Any, value: object) -> Any:
    """Return a value as it is written, in which each array and each object has the objects that are in it."""
    if isinstance(value, RootModel):
        return _with_objects(written, cast("Any", value).root)
    if is_object(written):
        parts = _parts(value, written)
        members = {key: _with_objects(part, parts.get(key)) for key, part in written.items()}
        objects = {key: parts[key] for key, part in members.items() if key in parts and _has_identity(part)}
        return ObjectMap.of(members, objects, is_dict=is_object(value)) if objects else members
    if (
        is_array(written)
        and isinstance(value, list | tuple | deque)
        and len(written) == len(objects := cast("Any", value))
    ):
        elements = [*map(_with_objects, written, objects)]
        return ObjectArray.of(elements, objects=tuple(objects)) if any(map(_has_identity, elements)) else elements
    return written


def _has_identity(written: Any) -> bool:
    """Return whether a part of what is written is that of an object, or of a list with objects."""
    return is_object(written) or isinstance(written, ObjectArray)


def _unwritten(written: Any, value: Any, read: Any, path: str = "") -> Iterator[str]:
    """Yield the attributes of dataclasses, and the keys of dicts, that a value has, and neither its written form nor what is read from it.

    What is read is absent if it is not known; then its class may have set some of the attributes.
    """
    if isinstance(cast("object", value), RootModel):
        value, read = value.root, getattr(read, "root", read)
    if is_object(written):
        kind = cast("Any", type(value))
        if dataclasses.is_dataclass(kind):
            fields = kind.__dataclass_fields__
            own: set[str] = getattr(value, "__dict__", {}).keys() - getattr(kind, "__pydantic_fields__", fields).keys()
            if own and (read is _ABSENT or dataclasses.is_dataclass(read)):
                own -= getattr(read, "__dict__", {}).keys()
                own -= {name for name in own if name[0] == "_" or (hasattr(kind, name) and name not in fields)}
                yield from (f"{path}{name}" for name in own)
        elif is_object(value) and len(written) < sum(member is not None for member in value.values()):
            yield from (f"{path}{key}" for key in value if key not in written and value[key] is not None)
        nested = [key for key, part in written.items() if isinstance(part, dict | list)]
        if not nested:
            return
        parts, others = _parts(value, written), _parts(read, written)
        for key in filter(parts.__contains__, nested):
            again = _ABSENT if read is _ABSENT else others.get(key)
            yield from _unwritten(written[key], parts[key], again, f"{path}{key}.")
    elif is_array(written) and isinstance(cast("object", value), list | tuple | deque):
        again = repeat(read) if read is _ABSENT else read
        for one, other, third in zip(written, value, again, strict=False):
            if isinstance(one, dict | list):
                yield from _unwritten(one, other, third, f"{path[:-1]}[].")


def _parts(value: object, written: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parts of a value by the names with which they are written."""
    parts = value if is_object(value) else dict(_fields(value))
    if written.keys() <= parts.keys() or len(parts) != len(written):
        return parts
    # A key that is a number is written as text, and an alias of a dataclass is known to pydantic alone; the order is the same.
    return dict(zip(written, parts.values(), strict=True))


def _fields(value: object) -> Iterator[tuple[str, Any]]:
    kind = cast("Any", type(value))
    own = {field.name: field for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else {}
    for name, field in (getattr(kind, "__pydantic_fields__", None) or own).items():
        yield getattr(field, "serialization_alias", None) or name, getattr(value, name, None)
    yield from (getattr(value, "__pydantic_extra__", None) or {}).items()


def _take_forms(written: Any, value: object) -> None:
    """Order the arrays of sets by their texts, in place, since a set has no order; and write a `Decimal` as the number that it is."""
    pairs: Iterable[tuple[Any, object]] = ()
    container: Any = written
    if is_object(written) and is_object(value):
        pairs = zip(written, value.values(), strict=False)
    elif is_array(written) and (is_array(value) or isinstance(value, deque)):
        pairs = enumerate(cast("Iterable[object]", value))
    for at, other in pairs:
        if isinstance(other, set | frozenset):
            container[at] = Unordered(container[at])
        elif isinstance(other, Decimal) and container[at] == str(other):
            container[at] = exact_json.loads(container[at])
        else:
            _take_forms(container[at], other)
