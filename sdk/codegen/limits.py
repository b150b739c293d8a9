"""The limits of a schema in words: `1 to 200 characters`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_BOUNDS: Final = (
    ("minLength", "maxLength", "character"),
    ("minItems", "maxItems", "item"),
    ("minimum", "maximum", ""),
)


def bounds(schema: Mapping[str, Any]) -> Iterator[tuple[list[int], str]]:
    """Yield the numbers of each pair of limits, and the words for them."""
    for least, most, unit in _BOUNDS:
        numbers = [schema[name] for name in (least, most) if name in schema]
        if not numbers:
            continue
        units = f" {unit}{'' if numbers[-1] == 1 else 's'}" if unit else ""
        word = "" if len(numbers) > 1 else "at least " if least in schema else "at most "
        yield numbers, f"{word}{' to '.join(map(str, numbers))}{units}"
