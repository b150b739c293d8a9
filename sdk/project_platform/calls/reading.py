"""From the bytes of a JSON body to a model: the one reader of all operations, and where a body does not fit.

pydantic's parser is fast and refuses what other clients read: escapes of lone surrogates, a byte order mark, and more than 200
levels. A body that it refuses is repaired, and read by `exact_json.loads` if it is still refused, before it is called unreadable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from ..json_values import exact_json
from .model import problems

M = TypeVar("M", bound=BaseModel)

_SHOWN: Final = 3  # places in a message
# Bytes of memory that a value takes, with its model; measured, since neither parser has a limit.
_CONTAINER: Final = 512
_SCALAR: Final = 64
_NAME: Final = 128
_SHARE: Final = 4  # bytes of memory for each byte that a body may have
_MIN_BUDGET: Final = 32 * 1024 * 1024  # bytes, whatever the limit: that is for bodies
_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[{,:]', re.DOTALL)
# What follows a backslash: a pair of surrogates, a lone one, or another character; and a surrogate that is not escaped.
_ODD: Final = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|u([dD][89a-fA-F]..)|.)|(\xed[\xa0-\xbf].)", re.DOTALL)
_REPLACEMENTS: Final = {1: b"fffd", 2: b"\xef\xbf\xbd"}

_QUOTE, _COLON, _BRACKETS = b'"'[0], b":"[0], b"[{"


class TooManyValuesError(ValueError):
    """Decoding a body would take much more memory than the body."""


def reader_of(envelope: type[M], *, exact: bool) -> Callable[[bytes], M]:
    """Return a function that reads a body; with `exact`, numbers in free-form JSON keep their digits.

    It raises ValueError or RecursionError, of which `misfit` returns a description.
    """

    def read_exactly(body: bytes) -> M:
        value = exact_json.loads(body)
        try:
            return envelope.model_validate(value)
        except ValidationError as error:
            places = [detail["loc"] for detail in problems(error) if detail["type"] == "string_unicode"]
            if not places:
                raise
        # A model has no attribute of such a name. The values may be sent back, so they stay.
        for place in places:
            part = value
            for step in place:
                part = part[step]
            _rename(part)
        return envelope.model_validate(value)

    def read(body: bytes) -> M:
        try:
            return envelope.model_validate_json(body)
        except ValidationError as error:
            if not _is_not_json(error):
                raise
        repaired = _repaired(body)
        try:
            return envelope.model_validate_json(repaired)
        except ValidationError as error:
            if not _is_not_json(error):
                raise
        return envelope.model_validate(exact_json.loads(bytes(repaired)))

    return read_exactly if exact else read


def check_values(body: bytes, max_bytes: int | None) -> None:
    """Check that decoding a body takes at most 32 MiB, or four times as many bytes as a body may have if that is more.

    Eight megabytes of `{},{},...` would take over a minute and 1.6 GiB.

    Raises:
        TooManyValuesError: It may take more.
    """
    if max_bytes is None or len(body) * _CONTAINER <= (budget := max(max_bytes * _SHARE, _MIN_BUDGET)):
        return
    values, names = body.count(b","), body.count(b":")
    if (body.count(b"[") + body.count(b"{")) * _CONTAINER + values * _SCALAR + names * _NAME <= budget:
        return
    for token in _TOKEN.finditer(body):  # which tells what is inside of a text
        start = body[token.start()]
        if start != _QUOTE:
            budget -= _CONTAINER if start in _BRACKETS else _NAME if start == _COLON else _SCALAR
            if budget < 0:
                raise TooManyValuesError


def misfit(error: Exception) -> str:
    """Return why a body was not read, and where, without quoting it."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON: {error.msg.removesuffix(' at')} at line {error.lineno} column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"it is not JSON: the byte at {error.start} is not UTF-8"
    if not isinstance(error, ValidationError):
        return f"it is not JSON: {error}"
    details = problems(error)
    places = [f"{'.'.join(map(str, detail['loc'])) or 'body'} ({detail['type']})" for detail in details[:_SHOWN]]
    return ", ".join(places) + (f" and {len(details) - _SHOWN} more" if len(details) > _SHOWN else "")


def _is_not_json(error: ValidationError) -> bool:
    return any(detail["type"] == "json_invalid" for detail in problems(error))


def _repaired(body: bytes) -> bytearray:
    """Return a body in UTF-8, without a byte order mark, and with U+FFFD for each lone surrogate: no file and no terminal takes one.

    It is repaired in place, since the values of a text take up to four times its memory.
    """
    encoding = json.detect_encoding(body)
    if encoding == "utf-8-sig":
        repaired = bytearray(body[3:])
    elif encoding == "utf-8":
        repaired = bytearray(body)
    else:
        repaired = bytearray(body.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass"))
    for odd in _ODD.finditer(repaired):
        for number, replacement in _REPLACEMENTS.items():
            if odd[number]:
                repaired[odd.start(number) : odd.end(number)] = replacement
    return repaired


def _rename(part: Any) -> None:
    members: dict[str, Any] = {}
    names = [*part]
    names.reverse()
    while names:  # one by one, so that the names before and after do not take memory at the same time
        name = names.pop()
        members[_text(name)] = part.pop(name)
    part.update(members)


def _text(text: str) -> str:
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
