"""Preconditions of record updates that compare values in another way."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ..mutant import Kind, patch
from ..service import records

preconditions = Kind("preconditions")


CONTAINMENT = "`expectedData` is a JSON containment precondition"


original = records.contains


def update(name: str, contains: Callable[[Any, Any], bool]) -> None:
    """Register a mutant with another containment, at every depth."""
    preconditions.add(name, "records_update", CONTAINMENT, lambda: patch(records, "contains", contains))


def texts_equal(normal: Callable[[str], Any]) -> Callable[[Any, Any], bool]:
    """Return a containment that compares normal forms of strings."""

    def contains(have: Any, want: Any) -> bool:
        if isinstance(have, str) and isinstance(want, str):
            return bool(normal(have) == normal(want))
        return original(have, want)

    return contains


def or_else(extra: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a containment that holds in additional cases."""
    return lambda have, want: original(have, want) or extra(have, want)


def missing_equals(*values: Any) -> Callable[[Any, Any], bool]:
    """Return a containment for which a missing member has a value."""

    def contains(have: Any, want: Any) -> bool:
        if isinstance(have, dict) and isinstance(want, dict):
            want = {key: part for key, part in want.items() if key in have or not is_one_of(part, values)}
        return original(have, want)

    return contains


def is_one_of(value: Any, values: tuple[Any, ...]) -> bool:
    """Return whether a value is one of some values, with its type."""
    return any(type(value) is type(other) and value == other for other in values)


def instant(text: str) -> Any:
    """Return the instant of a timestamp, or the text if it is none."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return text
    return read.timestamp() if read.tzinfo else text


def is_number(value: Any) -> bool:
    """Return whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def plain_letters(text: str) -> str:
    """Return a text without accents."""
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


update("expected texts are compared without case", texts_equal(str.casefold))


update("expected texts are compared without blanks around them", texts_equal(str.strip))


update("expected texts are compared without accents", texts_equal(plain_letters))


update(
    "expected texts are compared after compatibility normalisation",
    texts_equal(lambda text: unicodedata.normalize("NFKC", text)),
)


update("expected texts are compared by their first 255 characters", texts_equal(lambda text: text[:255]))


update("expected timestamps are compared as instants", texts_equal(instant))


def both_texts(have: Any, want: Any) -> bool:
    """Return whether both values are strings."""
    return isinstance(have, str) and isinstance(want, str)


update("an expected text may be a prefix", or_else(lambda have, want: both_texts(have, want) and have.startswith(want)))


update("an expected text may be a part", or_else(lambda have, want: both_texts(have, want) and want in have))


update(
    "an expected text true is a boolean",
    or_else(lambda have, want: isinstance(have, bool) and want == str(have).lower()),
)


update(
    "expected fractions are cut off",
    or_else(lambda have, want: is_number(have) and is_number(want) and int(have) == int(want)),
)


update(
    "expected numbers are compared with a tolerance",
    or_else(lambda have, want: is_number(have) and is_number(want) and abs(have - want) < 0.01),
)


update("falsy values are all equal", or_else(lambda have, want: not have and not want))


update("a missing member is null", missing_equals(None))


update("a missing member is false", missing_equals(False))


update("a missing member is an empty text", missing_equals(""))


update("a missing member is zero", missing_equals(0))


update("a missing member is an empty object or array", missing_equals({}, []))


def lists(have: Any, want: Any) -> bool:
    """Return whether both values are arrays."""
    return isinstance(have, list) and isinstance(want, list)


update(
    "one common element makes an array contained",
    or_else(lambda have, want: lists(have, want) and any(part in have for part in want)),
)


update("arrays are compared by their length", or_else(lambda have, want: lists(have, want) and len(have) == len(want)))


update(
    "arrays are compared by their first element", or_else(lambda have, want: lists(have, want) and have[:1] == want[:1])
)


update("arrays are never compared", or_else(lambda have, want: isinstance(want, list)))


update(
    "objects in arrays are not compared",
    or_else(
        lambda have, want: lists(have, want) and len(have) == len(want) and all(isinstance(part, dict) for part in want)
    ),
)
