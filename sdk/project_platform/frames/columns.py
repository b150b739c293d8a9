"""The columns of a table, from the annotations of a model, so that an empty list has them as well.

| Annotation | Column |
|---|---|
| text, UUID, dates, times of day, durations, enumerations | text |
| int, float, bool | 64-bit integer, double, boolean; each with gaps |
| date-time | microseconds, UTC |
| a list, a model | list, struct |
| free-form JSON, unions, sets | text with JSON |
| fields that the contract does not know | one column `extra` with JSON, if any row has one; those of nested models under their path |
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import functools
import json
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, cast
from uuid import UUID

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from ..errors import UsageError
from ..json_values import exact_json
from ..masking import SECRET, is_secret, without_secrets

TIMESTAMP: Final = "timestamp"
"""The mark of a text field that is a timestamp: `x-sdk: {timestamp: true}` in the contract."""

Kind: TypeAlias = Literal["text", "integer", "number", "boolean", "time", "list", "struct"]
Convert: TypeAlias = Callable[[Any], Any]

_KINDS: Final[dict[object, Kind]] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "boolean",
    datetime.datetime: "time",
}
_EXTRA: Final = "extra"


@dataclass(frozen=True, slots=True)
class Column:
    """A column, or a part of a nested one.

    Attributes:
        name: Its name; that of the item of a list is `item`.
        kind: Type of its values.
        convert: Returns what the column holds of a value; None if it holds the value itself.
        children: The columns of a struct, or the one of a list.
    """

    name: str
    kind: Kind
    convert: Convert | None = None
    children: tuple[Column, ...] = ()


class Table:
    """The columns of a list, and their values.

    Args:
        rows: The items of the list: models, or instances of a dataclass.
        kind: Their class.
        times: Whether timestamps that the contract has as text are converted.
    """

    def __init__(self, rows: Sequence[Any], kind: type, *, times: bool) -> None:
        self._rows = rows
        self._are_models = issubclass(kind, BaseModel)
        self.columns: tuple[Column, ...] = columns_of(kind, times=times)
        if any(True for row in rows for _ in _unknown(row)):
            self.columns += (Column(_EXTRA, "text", _extra),)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[tuple[Column, Sequence[Any]]]:
        """Iterate over the columns, each with its values, which are made when it is reached."""
        for column in self.columns:
            yield column, self._values(column)

    def _values(self, column: Column) -> Sequence[Any]:
        name, convert = column.name, column.convert
        if convert is _extra:
            values = self._rows
        elif not self._are_models:
            values = [getattr(row, name) for row in self._rows]
        else:  # a field that is expected may be missing, and `getattr` would take long to say so
            values = [row.__dict__.get(name) for row in self._rows]
        return values if convert is None else [convert(value) for value in values]


@functools.lru_cache(maxsize=256)
def columns_of(kind: type, *, times: bool) -> tuple[Column, ...]:
    """Return the columns of a model or a dataclass, without its secret fields."""
    return tuple(
        _column(name, annotation, is_time=times and TIMESTAMP in marks, times=times)
        for name, annotation, marks in _fields(kind)
        if SECRET not in marks
    )


def _fields(kind: type[Any]) -> list[tuple[str, Any, Sequence[Any]]]:
    if issubclass(kind, BaseModel):
        return [(name, field.annotation, field.metadata) for name, field in kind.model_fields.items()]
    hints = typing.get_type_hints(kind)
    return [(field.name, hints[field.name], ()) for field in dataclasses.fields(kind)]


def _bare(annotation: Any) -> Any:
    """Return an annotation without None and marks; `Any` for several types, unless they are an open enumeration."""
    while True:
        origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
        if origin is typing.Annotated:
            annotation = arguments[0]
        elif origin in {typing.Union, types.UnionType}:
            kinds = [argument for argument in arguments if argument is not type(None)]
            if len(kinds) > 1 and not all(kind is str or typing.get_origin(kind) is Literal for kind in kinds):
                return Any
            annotation = kinds[0]
        else:
            return annotation


def _column(name: str, annotation: Any, *, is_time: bool, times: bool) -> Column:
    kind = _bare(annotation)
    if is_time:
        return Column(name, "time", _moment)
    if (simple := _KINDS.get(kind)) is not None:
        return Column(name, simple)
    if typing.get_origin(kind) is Literal:
        return Column(name, "text")
    if kind in {UUID, datetime.date, datetime.time, datetime.timedelta}:
        return Column(name, "text", _jsonable)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return Column(name, "text", _value)
    if _is_list(kind):
        item = _column("item", typing.get_args(kind)[0], is_time=False, times=times)
        return Column(name, "list", _each(item.convert), (item,))
    if isinstance(kind, type) and issubclass(kind, BaseModel) and not _is_recursive(kind):
        children = columns_of(kind, times=times)
        return Column(name, "struct", _members(children), children)
    return Column(name, "text", _json)


def _is_recursive(kind: type[BaseModel]) -> bool:
    """Return whether a class has objects of itself, at any depth: their columns would have no end."""
    return "'definition-ref'" in repr(kind.__pydantic_core_schema__)


def _is_list(kind: Any) -> bool:
    """Return whether an annotation is of an array whose elements are all of one type."""
    arguments = [argument for argument in typing.get_args(kind) if argument is not ...]
    return typing.get_origin(kind) in {list, tuple} and len(arguments) == 1


def _each(convert: Convert | None) -> Convert | None:
    if convert is None:
        return None
    return lambda values: None if values is None else [convert(value) for value in values]


def _members(children: tuple[Column, ...]) -> Convert:
    pairs = [(child.name, child.convert) for child in children]

    def convert(value: Any) -> dict[str, Any] | None:
        if value is None:
            return None
        held = value.__dict__
        return {name: change(held.get(name)) if change else held.get(name) for name, change in pairs}

    return convert


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _value(value: Any) -> str | None:
    return _text(value.value if isinstance(value, enum.Enum) else value)


def _json(value: Any) -> str | None:
    if value is None:
        return None
    shown = without_secrets(value)
    try:
        return exact_json.dumps(shown).decode()
    except UsageError:  # what a service should not have sent, such as a lone surrogate
        return json.dumps(shown, default=_jsonable)


def _jsonable(value: object) -> Any:
    """Return a value of the user's class as JSON."""
    return without_secrets(to_jsonable_python(value, fallback=str))


def _extra(row: Any) -> str | None:
    return _json(dict(_unknown(row)) or None)


def _unknown(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the members of a row that the contract does not know, with their paths, such as `mcp_servers.0.color`."""
    if isinstance(value, BaseModel):
        for name, member in (value.model_extra or {}).items():
            if not is_secret(name, member):
                yield f"{path}{name}", member
    elif isinstance(value, list | tuple):
        for number, item in enumerate(cast("Sequence[Any]", value)):
            yield from _unknown(item, f"{path}{number}.")
        return
    for name in _fields_with_models(cast("Any", value).__class__):
        # As in `Table._values`: `getattr` is slow for a field that is missing. A dataclass has all of its fields.
        member = value.__dict__.get(name) if isinstance(value, BaseModel) else getattr(value, name)
        yield from _unknown(member, f"{path}{name}.")


@functools.lru_cache(maxsize=256)
def _fields_with_models(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of the fields that hold models, without secret fields; none for a value that has no fields."""
    if not (issubclass(kind, BaseModel) or dataclasses.is_dataclass(kind)):
        return ()
    return tuple(name for name, annotation, marks in _fields(kind) if SECRET not in marks and _holds_models(annotation))


def _holds_models(annotation: Any) -> bool:
    kind = _bare(annotation)
    if _is_list(kind):
        return _holds_models(typing.get_args(kind)[0])
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _moment(value: Any) -> datetime.datetime | None:
    """Return a timestamp of the contract's text; None for a date, a time without an offset, and other text."""
    try:
        moment = datetime.datetime.fromisoformat(cast("str", value))
    except (TypeError, ValueError):
        return None
    return None if moment.tzinfo is None else moment
