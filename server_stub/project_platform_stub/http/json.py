"""Reads and writes JSON bodies strictly and without loss of digits.

A number with a fraction or an exponent becomes a `Decimal`, so that `0.1234567890123456789` is stored and returned
unchanged; only the notation of an exponent may change (`1e2` to `1E+2`). The last of duplicate keys wins, as in
PostgreSQL's jsonb.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring as quoted
from typing import Any

from .errors import bad_request

MAX_DEPTH = 100  # Levels; the specification states no limit. Far below the limits of parser and validator.
MAX_INT_DIGITS = 4300  # Python does not convert a longer string to an int (sys.get_int_max_str_digits).


def read_json(body: bytes) -> Any:
    """Return the JSON value of a request body, or raise a 400."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise bad_request("body", f"is not UTF-8 at byte {error.start}") from None
    try:
        value = parse_json(text)
    except json.JSONDecodeError as error:
        raise bad_request("body", f"is not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise bad_request("body", f"is nested more than {MAX_DEPTH} levels deep") from None
    _check(value)
    return value


def parse_json(text: str) -> Any:
    """Return the value of a JSON text without the checks of `read_json`; numbers keep all digits."""
    return _DECODER.decode(text)


def write_json(value: Any) -> bytes:
    """Return a JSON value as compact UTF-8; a Decimal keeps all digits."""
    try:
        return _ENCODER.encode(value).encode()
    except TypeError:  # The value contains a Decimal, which needs the slower encoder.
        return _encode_with_decimals(value).encode()


def json_type(value: Any) -> str:
    """Return the JSON name of a value's type."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float() | Decimal():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _encode_with_decimals(value: Any) -> str:
    match value:
        case Decimal():
            if not value.is_finite():
                raise ValueError(f"{value} is not a JSON value")
            return str(value)
        case dict():
            members = (f"{quoted(key)}:{_encode_with_decimals(member)}" for key, member in value.items())
            return "{" + ",".join(members) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_encode_with_decimals, value)) + "]"
        case _:
            return _ENCODER.encode(value)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise bad_request("body", "contains a number whose exponent is out of range") from None


def _integer(text: str) -> int | Decimal:
    return Decimal(text) if text == "-0" or len(text) > MAX_INT_DIGITS else int(text)


def _no_constant(text: str) -> Any:
    raise bad_request("body", f"is not JSON: {text} is not a JSON value")


# Created once: `json.loads` and `json.dumps` with arguments create one for each call.
_DECODER = json.JSONDecoder(parse_float=_decimal, parse_int=_integer, parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _check(value: Any) -> None:
    """Raise a 400 for JSON that a database could not store: deep nesting, and unpaired surrogates."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item)
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
            elif isinstance(item, str) and not _is_text(item):
                raise bad_request("body", "contains an unpaired surrogate, which is not Unicode text")
        if not inner:
            return
        level = inner
    raise bad_request("body", f"is nested more than {MAX_DEPTH} levels deep")


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
