"""Values and the kinds that the specification states for them.

A kind is a word (`string`, `integer`, `boolean`, `object`, `uuid`, `date-time`, `any`), a list of one kind, or an object of
kinds by field. Which fields are always there, and which may be null, is not shown: a field that is missing or null fits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

Kind: TypeAlias = "str | list[Kind] | Mapping[str, Kind]"
Fields: TypeAlias = Mapping[str, Kind]

_UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def mismatch(value: Any, kind: Kind, place: str = "") -> str | None:
    """Return the first place at which a value is not of its kind, and what is there; None if it fits.

    Args:
        value: JSON.
        kind: What it should be.
        place: Where it is.
    """
    if isinstance(kind, str):
        return None if _is(value, kind) else f"{place or 'top level'} is {value!r}, no {kind}"
    if isinstance(kind, list):
        if not isinstance(value, list):
            return f"{place or 'top level'} is {value!r}, no list"
        return next(filter(None, (mismatch(each, kind[0], f"{place}[{n}]") for n, each in enumerate(value))), None)
    if not isinstance(value, dict):
        return f"{place or 'top level'} is {value!r}, no object"
    given = ((name, field) for name, field in kind.items() if value.get(name) is not None)
    return next(
        filter(None, (mismatch(value[name], field, f"{place}.{name}".lstrip(".")) for name, field in given)), None
    )


def is_date_time(value: Any) -> bool:
    """Return whether a value is an ISO 8601 date-time."""
    if not isinstance(value, str) or "T" not in value.upper():
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "any":
            return True
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "object":
            return isinstance(value, dict)
        case "uuid":
            return isinstance(value, str) and _UUID.fullmatch(value) is not None
        case "date-time":
            return is_date_time(value)
        case _:
            raise ValueError(f"{kind!r} is no kind")
