"""Shared parts of the YAML and JSON parsers: places, limits, numbers, and refused values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeAlias

Place: TypeAlias = "tuple[str | int, ...]"

MAX_DEPTH: Final = 100  # Levels, as in the body of a request.
MAX_VALUES: Final = 1_000_000  # Aliases included: a few lines of aliases can stand for billions of values.
TOO_DEEP: Final = f"is nested more than {MAX_DEPTH} levels deep"
_MAX_DIGITS: Final = (
    1000  # Digits of an int; a longer integer becomes a Decimal, because Python converts long ints slowly.
)


class SyntaxProblem(Exception):  # noqa: N818  # a problem, which a DocumentError lists
    """A document has a syntax error.

    Attributes:
        place: Its place; empty for the document.
        line: Its line, counted from 1; None if it is found by the place.
    """

    def __init__(self, text: str, place: Place = (), line: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.place = place
        self.line = line


@dataclass(frozen=True, slots=True)
class Flaw:
    """Placeholder for an invalid value, which `check_value` refuses with its place."""

    text: str


def number(text: str) -> int | Decimal | Flaw:
    """Return a JSON number with all its digits."""
    if len(text) <= _MAX_DIGITS and text.removeprefix("-").isdigit():
        return int(text)
    try:
        return Decimal(text)
    except InvalidOperation:
        return Flaw("is a number whose exponent is out of range")


def check_value(root: Any) -> None:
    """Refuse flaws, strings that cannot be encoded, and values over the limits of levels and values.

    Values that aliases repeat are counted every time.

    Raises:
        SyntaxProblem: The value is refused.
    """
    sizes: dict[int, tuple[int, int]] = {}  # of lists and objects by their `id`, because aliases refer to the same ones

    def measure(value: Any, place: Place) -> tuple[int, int]:
        if isinstance(value, Flaw):
            raise SyntaxProblem(value.text, place)
        if isinstance(value, str):
            _check_text(value, place)
        if not isinstance(value, (dict, list)):
            return 1, 0
        if id(value) not in sizes:
            members = value.items() if isinstance(value, dict) else enumerate(value)
            inside = [measure(member, (*place, name)) for name, member in members]
            size, depth = sum([size for size, _ in inside], 1), max([depth for _, depth in inside], default=0) + 1
            if depth > MAX_DEPTH or size > MAX_VALUES:
                raise SyntaxProblem(TOO_DEEP if depth > MAX_DEPTH else f"contains more than {MAX_VALUES} values", place)
            for name in value if isinstance(value, dict) else ():
                _check_text(name, place)
            sizes[id(value)] = size, depth
        return sizes[id(value)]

    measure(root, ())


def _check_text(text: str, place: Place) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SyntaxProblem("contains an unpaired surrogate, which is not Unicode text", place) from None


def parse_json(text: str) -> Any:
    """Return the value of a JSON document.

    Raises:
        SyntaxProblem: The document is not valid JSON.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=number, parse_float=number, parse_constant=_constant
        )
        check_value(value)
    except json.JSONDecodeError as error:
        raise SyntaxProblem(f"is not JSON: {error.msg}", line=error.lineno) from None
    except RecursionError:
        raise SyntaxProblem(TOO_DEEP) from None
    return value


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for name, member in members:
        value[name] = Flaw("is defined twice") if name in value else member
    return value


def _constant(text: str) -> Flaw:
    return Flaw(f"is not JSON: {text} is not a JSON value")
