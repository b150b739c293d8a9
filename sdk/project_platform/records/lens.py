"""A class as a lens over stored data: how it reads data, and what an edit of its value changes of them.

The stored data is never compared with what the class writes. An edit is the difference between what the class wrote of a value
when it was read, and what it writes of it now; `edits.py` applies it to the stored data. So keys that the class does not have, and
values that it reads in another form, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from ..errors import UsageError
from ..json_values import exact_json
from ..json_values.exact_json import is_array, is_object
from ..json_values.merge import same
from .edits import Unordered, merged_object, without_none

D = TypeVar("D")

_ABSENT: Final = "\0absent"  # no text of a service has the character NUL


@dataclass(frozen=True, slots=True)
class Written:
    """A value as JSON, without None in objects.

    Attributes:
        data: All of it.
        given: The part without the defaults of models that were not set; the same object if there are none.
    """

    data: dict[str, Any]
    given: dict[str, Any]


class Lens(Generic[D]):
    """Reads and writes the data of records of a class.

    Raises:
        UsageError: The class cannot be used for data.
    """

    def __init__(self, data_type: type[D] | TypeAdapter[D], *, strict: bool | None) -> None:
        try:
            self._adapter: TypeAdapter[D] = data_type if isinstance(data_type, TypeAdapter) else TypeAdapter(data_type)
        except PydanticUserError as error:
            raise UsageError(f"{data_type!r} cannot be used for data: {error}") from None
        self.kind = None if isinstance(data_type, TypeAdapter) else data_type
        self.name = getattr(self.kind, "__name__", None) or "the class"
        self._strict = strict
        self._reads_json = strict is True
        schema = repr(self._adapter.core_schema)
        self._has_models = "'model-field'" in schema  # whose values know which fields were set
        self._has_sets = "set_schema" in schema or "'set'" in schema or "frozenset" in schema

    def read(self, data: Mapping[str, Any]) -> D:
        """Return data as a value of the class, which shares no list or dict with them.

        Raises:
            ValidationError: They do not fit.
        """
        if not self._reads_json:
            try:
                return self._adapter.validate_python(exact_json.copy(data), strict=self._strict)
            except ValidationError:
                # A class that is strict by itself takes a date-time from text only if it reads JSON.
                value = self._adapter.validate_json(exact_json.dumps(data), strict=self._strict)
                self._reads_json = True
                return value
        return self._adapter.validate_json(exact_json.dumps(data), strict=self._strict)

    def write(self, value: D, stored: Mapping[str, Any]) -> Written:
        """Return a value as JSON. Which defaults were set matters only where the stored data lacks them."""
        data = self._json(value)
        if self._has_models and _lacks(stored, data):
            return Written(data, self._json(value, set_only=True))
        return Written(data, data)

    def new(self, value: D) -> dict[str, Any]:
        """Return the data of a new record: all fields, defaults included, so that guards can name them.

        Raises:
            UsageError: The class could not read it back.
        """
        data = self._json(value)
        self._check_read(data, data, data)
        return data

    def edited(self, stored: Mapping[str, Any], before: Written, value: D) -> dict[str, Any]:
        """Return the stored data with the edits of a value, and nothing else.

        Args:
            stored: The data that the value was read from.
            before: The value as it was written then.
            value: The edited value.

        Raises:
            UsageError: The edit cannot be stored: the class could not read it back, or keys that it does not have would be lost.
        """
        after = self.write(value, stored)
        data = merged_object(stored, before.data, after.data, (before.given, after.given))
        touched = [key for key in {**stored, **data} if not same(stored.get(key, _ABSENT), data.get(key, _ABSENT))]
        if touched:
            self._check_read(data, after.data, touched)
        return data

    def _json(self, value: D, *, set_only: bool = False) -> dict[str, Any]:
        options: dict[str, Any] = {
            "by_alias": True,
            "round_trip": True,  # leaves computed fields out
            "exclude_unset": set_only,
            "warnings": False,  # a wrong value is refused when it is read back
        }
        written: Any = self._adapter.dump_python(value, mode="json", **options)
        if self._has_sets:
            _order_sets(written, self._adapter.dump_python(value, **options))
        if not isinstance(written, dict):
            raise UsageError(
                f"{self.name} is written as a {type(written).__name__}, and the data of a record is an object"
            )
        plain: dict[str, Any] = without_none(written)
        return plain

    def _check_read(self, data: Mapping[str, Any], wanted: Mapping[str, Any], keys: Iterable[str]) -> None:
        """Check that the class reads from data what it was to write: nothing is sent that it could not read."""
        try:
            found = self._json(self.read(data))
        except ValidationError as error:
            raise UsageError(f"{self.name} could not read its own data back: {'; '.join(problems(error))}") from None
        for key in keys:
            if not same(found.get(key, _ABSENT), wanted.get(key, _ABSENT)):
                why = (
                    "None cannot be stored, since null deletes the key, and the class has another default for it"
                    if key in found and key not in wanted
                    else "the class reads another value from it than it writes; check its aliases and serializers"
                )
                raise UsageError(f"{self.name}.{key} does not survive being stored: {why}; nothing was sent")


def problems(error: ValidationError) -> tuple[str, ...]:
    """Return each place that does not fit, and how, without the value."""
    details = error.errors(include_input=False, include_url=False, include_context=False)
    return tuple(f"{'.'.join(map(str, detail['loc'])) or 'data'} ({detail['type']})" for detail in details)


def _lacks(stored: object, written: object) -> bool:
    """Return whether an object, or one inside it, has a key that the stored one does not have."""
    if not is_object(written) or not is_object(stored):
        return False
    return any(key not in stored or _lacks(stored[key], member) for key, member in written.items())


def _order_sets(written: Any, value: object) -> None:
    """Order the arrays of sets, in place, by their texts: a set has no order."""
    pairs: Iterable[tuple[Any, object]] = ()
    container: Any = written
    if is_object(written) and is_object(value):
        pairs = zip(written, value.values(), strict=False)
    elif is_array(written) and is_array(value):
        pairs = enumerate(value)
    for at, other in pairs:
        if isinstance(other, set | frozenset):
            container[at] = Unordered(container[at])
        else:
            _order_sets(container[at], other)
