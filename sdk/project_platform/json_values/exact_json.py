"""JSON whose numbers keep their digits, and a writer that refuses what is not JSON.

A service stores `0.1234567890123456789`. Read as a float and sent back as a precondition, it would be another number, and
the precondition always stale. So `loads` returns floats that keep their text, and `dumps` writes that text.
"""

from __future__ import annotations

import datetime
import enum
import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Self, TypeGuard
from uuid import UUID

from pydantic import BaseModel

from ..errors import UsageError

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

    def __reduce__(self) -> tuple[type[ExactFloat], tuple[str]]:
        return ExactFloat, (self.text,)


def is_object(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether a value represents a JSON object."""
    return isinstance(value, Mapping)


def is_array(value: object) -> TypeGuard[Sequence[Any]]:
    """Return whether a value represents a JSON array."""
    return isinstance(value, list | tuple)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def loads(text: bytes | str) -> Any:
    """Return the value of a JSON text; a number with a point or an exponent is an `ExactFloat`."""
    return json.loads(text, parse_float=ExactFloat, parse_constant=_refuse)


def dumps(value: Any, name: str = "body") -> bytes:
    """Return a value as JSON in UTF-8.

    Besides the types of JSON, it accepts tuples, `Decimal`, `UUID`, dates and datetimes (as ISO 8601), enumerations (as
    their value) and pydantic models.

    Args:
        value: The value.
        name: Name of the value in error messages.

    Raises:
        UsageError: A part of the value is not JSON; the message has its path.
    """
    try:
        return _dump(value, name).encode()
    except RecursionError:
        raise UsageError(f"{name} is nested too deeply, or contains itself; it cannot be sent as JSON") from None


def _dump(value: Any, at: str) -> str:
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return _text(value, at)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_object(value):
        return "{" + ",".join(f"{_key(k, at)}:{_dump(v, f'{at}.{k}')}" for k, v in value.items()) + "}"
    if is_array(value):
        return "[" + ",".join(_dump(v, f"{at}[{i}]") for i, v in enumerate(value)) + "]"
    if isinstance(value, enum.Enum):
        return _dump(value.value, at)
    if isinstance(value, int):
        return _integer(value, at)
    if isinstance(value, float | Decimal):
        return _number(value, at)
    if isinstance(value, datetime.date):  # a datetime is a date as well
        return f'"{value.isoformat()}"'
    if isinstance(value, UUID):
        return f'"{value}"'
    if isinstance(value, BaseModel):
        return _dump(value.model_dump(by_alias=True, exclude_unset=True), at)
    raise UsageError(
        f"{at} is of type {type(value).__name__}, which is not a type of JSON; give strings, numbers, lists or dicts"
    )


def _text(value: str, at: str) -> str:
    if "\0" in value:
        raise UsageError(f"{at} contains the character NUL, which databases do not store; leave it out")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"{at} contains a lone surrogate, which UTF-8 cannot carry; check how the text was decoded"
        ) from None
    return _quote(value)


def _key(key: object, at: str) -> str:
    if not isinstance(key, str):
        raise UsageError(
            f"{at} has the key {key!r}, which is of type {type(key).__name__}; the keys of a JSON object must be strings"
        )
    return _text(key, f"the key {key!r} of {at}")


def _integer(value: int, at: str) -> str:
    try:
        return int.__repr__(value)
    except ValueError:
        raise UsageError(
            f"{at} has more digits than Python can convert to text (sys.set_int_max_str_digits); send it as text"
        ) from None


def _number(value: float | Decimal, at: str) -> str:
    if isinstance(value, ExactFloat):
        return value.text
    if not (value.is_finite() if isinstance(value, Decimal) else math.isfinite(value)):
        raise UsageError(f"{at} is {value}, which is not a number of JSON; send null or leave it out")
    return str(value) if isinstance(value, Decimal) else float.__repr__(value)
