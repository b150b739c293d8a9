"""JSON whose numbers keep their digits, and a writer that refuses what is not JSON.

A service stores `0.1234567890123456789`. Read as a float and sent back as a precondition, it would be another number, and
the precondition always stale. So `loads` returns floats that keep their text, and `dumps` writes that text.
"""

from __future__ import annotations

import datetime
import enum
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from operator import attrgetter
from typing import Any, Final, Self, TypeGuard, cast
from uuid import UUID

from pydantic import BaseModel

from ..errors import UsageError
from .foreign import from_numpy, is_gap, is_numpy

_quote = json.encoder.encode_basestring


class ExactFloat(float):
    """A float that is written as it was read. Arithmetic with it gives plain floats."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """Return the number that a string represents."""
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __str__(self) -> str:  # a `Decimal` field of pydantic reads it
        return self.text

    def __reduce__(self) -> tuple[type[ExactFloat], tuple[str]]:
        return ExactFloat, (self.text,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


# The check for an abstract class takes four times as long as that for an exact type, and nearly every value is of these.
_NO_OBJECTS: Final = frozenset({str, int, float, bool, type(None), list, tuple, Decimal, ExactFloat})


def is_object(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether a value represents a JSON object."""
    return isinstance(value, dict) or (type(value) not in _NO_OBJECTS and isinstance(value, Mapping))


def is_array(value: object) -> TypeGuard[Sequence[Any]]:
    """Return whether a value represents a JSON array."""
    return isinstance(value, list | tuple)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


# `json.loads` creates a decoder for each text.
_decode: Final = json.JSONDecoder(parse_float=ExactFloat, parse_constant=_refuse).decode


def loads(text: bytes | str) -> Any:
    """Return the value of a JSON text; a number with a point or an exponent is an `ExactFloat`."""
    if not isinstance(text, str):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    try:
        return _decode(text)
    except RecursionError:  # on Python 3.11 it depends on the depth of the stack, which is 0 in a thread
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as thread:
            return thread.submit(_decode, text).result()


def loads_unique(text: bytes | str) -> Any:
    """Same as `loads`, but a name that an object has twice is a `ValueError`: all but the last value would be lost."""
    json.loads(text, object_pairs_hook=_refuse_repeated)
    return loads(text)


def _refuse_repeated(members: list[tuple[str, Any]]) -> None:
    if twice := [name for name, count in Counter(name for name, _ in members).items() if count > 1]:
        raise ValueError(f"an object has {twice[0]!r} more than once")


def copy(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of an object of `loads`, in half the time that `copy.deepcopy` takes."""
    return {key: _copy(member) for key, member in value.items()}


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(member) for key, member in cast("dict[str, Any]", value).items()}
    if is_array(value):
        return [_copy(element) for element in value]
    return value


def plain(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what `loads` returns of the JSON text of an object. An object of the types of JSON is only copied.

    Args:
        value: The object.
        name: Name of the object in error messages.

    Raises:
        UsageError: A part of the object is not JSON; the message has its path.
    """
    try:
        plain: dict[str, Any] = _COPIERS[type(value)](value)
    except (KeyError, ValueError, RecursionError):  # `dumps` writes what is of another type, or says why it cannot
        plain = loads(dumps(value, name))
    return plain


def _plain_object(value: dict[Any, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = {}
    for key, member in value.items():
        if type(key) is not str:
            raise ValueError(key)
        if "\0" in key or not key.isascii():
            _check_text(key)
        copied[key] = _COPIERS[type(member)](member)
    return copied


def _plain_array(value: Sequence[Any]) -> list[Any]:
    return [_COPIERS[type(element)](element) for element in value]


def _plain_text(value: str) -> str:
    if "\0" in value or not value.isascii():
        _check_text(value)
    return value


def _plain_integer(value: int) -> int:
    _integer(value)
    return value


def _plain_float(value: float) -> ExactFloat:
    return ExactFloat(_float(value))


def _same(value: Any) -> Any:
    return value


def dumps(value: Any, name: str = "body") -> bytes:
    """Return a value as JSON in UTF-8.

    Besides the types of JSON, it accepts tuples, `Decimal`, `UUID`, dates and datetimes with tzinfo (as ISO 8601),
    enumerations (as their value), pydantic models and dataclasses with all of their fields, and numbers and arrays of numpy.

    Args:
        value: The value.
        name: Name of the value in error messages.

    Raises:
        UsageError: A part of the value is not JSON; the message has its path.
    """
    try:
        return _WRITERS[type(value)](value).encode()
    except ValueError as error:
        raise UsageError(_refusal(error, value).message(name)) from None
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply, or contains itself; it cannot be sent as JSON") from None


class _NotJsonError(ValueError):
    """A part of a value is not JSON. Its path is collected from the inside out, so that writing needs none."""

    def __init__(self, problem: str, subject: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.subject = subject
        self.steps: list[str] = []

    def message(self, name: str) -> str:
        return f"{self.subject}{name}{''.join(reversed(self.steps))} {self.problem}"


_NOT_A_NUMBER: Final = "which is not a number of JSON; leave it out, or send null, which deletes the key in an update"
_TOO_MANY_DIGITS: Final = (
    "has more digits than Python can convert to text (sys.set_int_max_str_digits); send it as text"
)


def _refusal(error: ValueError, value: Any, step: str = "") -> _NotJsonError:
    """Return why a value is not JSON, with the step that leads to it."""
    refusal = _NotJsonError(_TOO_MANY_DIGITS) if type(value) is int else error
    if not isinstance(refusal, _NotJsonError):  # an error of a mapping or a model of the user
        raise error
    refusal.steps.append(step)
    return refusal


def _object(value: Mapping[Any, Any]) -> str:
    members: list[str] = []
    for key, member in value.items():
        written = _key(key)
        try:
            members.append(f"{written}:{_WRITERS[type(member)](member)}")
        except ValueError as error:
            raise _refusal(error, member, f".{key}") from None
    return "{" + ",".join(members) + "}"


def _array(value: Sequence[Any]) -> str:
    elements: list[str] = []
    for element in value:
        try:
            elements.append(_WRITERS[type(element)](element))
        except ValueError as error:
            raise _refusal(error, element, f"[{len(elements)}]") from None
    return "[" + ",".join(elements) + "]"


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise _NotJsonError(
            f"has the key {key!r}, which is of type {type(key).__name__}; the keys of a JSON object must be strings"
        )
    try:
        return _text(key)
    except _NotJsonError as refusal:
        refusal.subject = f"the key {key!r} of "
        raise


def _text(value: str) -> str:
    if "\0" in value or not value.isascii():
        _check_text(value)
    return _quote(value)


def _check_text(value: str) -> None:
    if "\0" in value:
        raise _NotJsonError("contains the character NUL, which databases do not store; leave it out")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _NotJsonError(
            "contains a lone surrogate, which UTF-8 cannot carry; check how the text was decoded"
        ) from None


def _integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:
        raise _NotJsonError(_TOO_MANY_DIGITS) from None


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise _NotJsonError(f"is {value}, {_NOT_A_NUMBER}")
    return float.__repr__(value)


def _decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise _NotJsonError(f"is {value}, {_NOT_A_NUMBER}")
    return str(value)


def _moment(value: datetime.datetime) -> str:
    if value.utcoffset() is None:
        raise _NotJsonError("has no offset from UTC, so its hour is ambiguous; give a datetime with tzinfo")
    return f'"{value.isoformat()}"'


def _other(value: Any) -> str:
    """Return a value of a type that `_WRITERS` does not list, such as a subclass, as JSON."""
    if isinstance(value, enum.Enum):
        if value.value is ...:
            raise _NotJsonError(f"is {value!r}, which stands for what is not given; leave its key out")
        return _other(value.value)
    if (members := getattr(value, "_sent_members", None)) is not None and isinstance(value, BaseModel):
        return _object(members())  # of the SDK: a field that the service did not send is not sent to it
    if isinstance(value, BaseModel):
        return _other(value.model_dump(by_alias=True))
    if (serializer := getattr(value, "__pydantic_serializer__", None)) is not None:  # of a dataclass of pydantic
        return _other(serializer.to_python(value, by_alias=True))
    if is_dataclass(value):
        return _object({field.name: getattr(value, field.name) for field in fields(value)})
    if is_gap(value):
        raise _NotJsonError(
            f"is {value}, a gap of a table; leave it out, since null deletes, or say what becomes of gaps with "
            "`frames.rows(..., missing=...)`"
        )
    if is_numpy(value) and (plain := from_numpy(value)) is not None:
        return _WRITERS[type(plain)](plain)
    for kind, write in _KINDS:
        if isinstance(value, kind):
            return write(value)
    raise _NotJsonError(
        f"is of type {type(value).__name__}, which is not a type of JSON; give strings, numbers, lists or dicts"
    )


_COPIERS: Final[dict[type, Callable[[Any], Any]]] = {
    dict: _plain_object,
    list: _plain_array,
    tuple: _plain_array,
    str: _plain_text,
    int: _plain_integer,
    float: _plain_float,
    ExactFloat: _same,
    bool: _same,
    type(None): _same,
}


class _Writers(dict[type, Callable[[Any], str]]):
    def __missing__(self, kind: type) -> Callable[[Any], str]:
        return _other


_KINDS: Final[tuple[tuple[type, Callable[[Any], str]], ...]] = (
    (str, _text),
    (type(None), lambda _: "null"),
    (bool, lambda value: "true" if value else "false"),  # before int, of which it is a subclass
    (Mapping, _object),
    (list, _array),
    (tuple, _array),
    (int, _integer),
    (ExactFloat, attrgetter("text")),
    (float, _float),
    (Decimal, _decimal),
    (datetime.datetime, _moment),  # before date, of which it is a subclass
    (datetime.date, lambda value: f'"{value.isoformat()}"'),
    (UUID, lambda value: f'"{value}"'),
)

# By the exact type, since a chain of `isinstance` takes longer than the writing.
_WRITERS: Final = _Writers({**dict(_KINDS), dict: _object, int: repr})
