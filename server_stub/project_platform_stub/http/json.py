"""JSON as it goes over the wire: every number keeps its digits, and nothing that is not JSON gets in.

A number with a fraction or an exponent becomes a `Decimal`, so that `0.1234567890123456789` is stored and answered as it
came; only an exponent may be written another way (`1e2` as `1E+2`). Of duplicate keys the last wins, as in PostgreSQL's jsonb.
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring as quoted
from typing import Any

from .errors import bad_request

MAX_DEPTH = 100  # Levels; the specification shows no limit. Far from where parser and validator give up.
MAX_INT_DIGITS = 4300  # Python turns no longer text into an int (sys.get_int_max_str_digits).


def read_json(body: bytes) -> Any:
    """Return the JSON value of a request body, or refuse it with a 400 that says why."""
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
    """Return the value of a JSON text that is known to be good; every number keeps its digits."""
    return _DECODER.decode(text)


def write_json(value: Any) -> bytes:
    """Return a JSON value as compact UTF-8; a Decimal goes out with all its digits."""
    try:
        return _ENCODER.encode(value).encode()
    except TypeError:  # There is a Decimal inside, which only the slower way can write.
        return _written(value).encode()


def json_type(value: Any) -> str:
    """Return what JSON calls the type of a value."""
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


def _written(value: Any) -> str:
    match value:
        case Decimal():
            if not value.is_finite():
                raise ValueError(f"{value} is no JSON value")
            return str(value)
        case dict():
            return "{" + ",".join(f"{quoted(key)}:{_written(member)}" for key, member in value.items()) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_written, value)) + "]"
        case _:
            return _ENCODER.encode(value)


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise bad_request("body", "holds a number whose exponent is out of range") from None


def _integer(text: str) -> int | Decimal:
    return Decimal(text) if text == "-0" or len(text) > MAX_INT_DIGITS else int(text)


def _no_constant(text: str) -> Any:
    raise bad_request("body", f"is not JSON: {text} is no JSON value")


# Made once: `json.loads` and `json.dumps` with arguments make one for each call.
_DECODER = json.JSONDecoder(parse_float=_decimal, parse_int=_integer, parse_constant=_no_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _check(value: Any) -> None:
    """Refuse what JSON allows and no store could keep: too deep a nesting, and half of a surrogate pair."""
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
                raise bad_request("body", "holds half of a surrogate pair, which is no text")
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
