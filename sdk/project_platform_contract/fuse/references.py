"""The identifiers in the body of a write: what it addresses besides the resource of its path."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from .request_inspection import Pairs

RELATIONS: Final = "relations"
"""An object of records whose shape is not shown, so that every string in it counts as an identifier."""

REFERENCES: Final = ("accountId", "calendarId", "externalId", "typeSlug", RELATIONS)
"""Members of request bodies that address something that exists, or may exist."""

_BY_SPELLING: Final = {name.lower(): name for name in REFERENCES}


def references(body: Any) -> Iterator[tuple[str, str]]:
    """Yield the identifiers in a body, each with the name of its member.

    Args:
        body: A JSON body, with objects as `Pairs`. Members of another type than string are no identifiers, since all
            identifiers are strings.
    """
    for name, value in body if isinstance(body, Pairs) else ():
        # Lenient servers accept other spellings of a name.
        member = _BY_SPELLING.get(unicodedata.normalize("NFKC", name).replace("_", "").replace("-", "").lower())
        if member == RELATIONS:
            yield from ((member, text) for text in _strings(value) if not isinstance(value, str))
        elif member is not None and isinstance(value, str) and value:
            yield member, value


def _strings(value: Any) -> Iterator[str]:
    level: list[Any] = [value]
    while level:
        item = level.pop()
        if isinstance(item, Pairs):
            level.extend(member for _, member in item)
        elif isinstance(item, list):
            level.extend(item)
        elif isinstance(item, str) and item:
            yield item
