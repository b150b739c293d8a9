"""What YAML and JSON documents have in common: places, limits, numbers, and how a value is refused."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeAlias

Place: TypeAlias = "tuple[str | int, ...]"

MAX_DEPTH: Final = 100  # Levels, as in the body of a request.
MAX_VALUES: Final = 1_000_000  # Aliases included: a few lines of aliases can stand for billions of values.
TOO_DEEP: Final = f"is nested more than {MAX_DEPTH} levels deep"
_MAX_DIGITS: Final = 1000  # Of an int, because Python is slow at reading long ones; a longer integer is a Decimal.


class SyntaxProblem(Exception):  # noqa: N818  # one problem of a document among others, which a DocumentError lists
    """A text is not a document.

    Attributes:
        text: The problem, without its place.
        place: Its place, as far as it is known.
        line: Its line, counted from 1; None if only the place is known.
    """

    def __init__(self, text: str, place: Place = (), line: int | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.place = place
        self.line = line


@dataclass(frozen=True, slots=True)
class Flaw:
    """Stands for a value that a document may not hold, until `check_value` refuses it with its place."""

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
    """Refuse flaws, text that cannot be encoded, and more levels or values than the limits, repeated ones included.

    Raises:
        SyntaxProblem: The value is refused.
    """
    sizes: dict[int, tuple[int, int]] = {}  # of lists and objects by their `id`, because aliases repeat them

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
                raise SyntaxProblem(TOO_DEEP if depth > MAX_DEPTH else f"holds more than {MAX_VALUES} values", place)
            for name in value if isinstance(value, dict) else ():
                _check_text(name, place)
            sizes[id(value)] = size, depth
        return sizes[id(value)]

    measure(root, ())


def _check_text(text: str, place: Place) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SyntaxProblem("holds half of a surrogate pair, which is not text", place) from None
