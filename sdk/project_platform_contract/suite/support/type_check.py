"""Checks JSON values against the types that the specification states.

A kind is a word (`string`, `integer`, `boolean`, `object`, `uuid`, `date-time`, `any`), a list with the kind of its items,
or a mapping of field names to kinds. The specification does not say which fields are required or nullable, so a field may
be missing or null.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from project_platform_contract.date_times import is_date_time

Kind: TypeAlias = "str | list[Kind] | Mapping[str, Kind]"
Fields: TypeAlias = Mapping[str, Kind]

_UUID = re.compile(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", re.ASCII | re.IGNORECASE)


def mismatch(value: Any, kind: Kind, place: str = "") -> str | None:
    """Return a description of the first value that is not of its kind; None if there is none.

    Args:
        value: A JSON value.
        kind: The expected kind.
        place: Path of the value, such as `agents[0].name`.
    """
    if isinstance(kind, str):
        return None if _is(value, kind) else f"{place or 'top level'} is {value!r}, not of the kind {kind}"
    if isinstance(kind, list):
        if not isinstance(value, list):
            return f"{place or 'top level'} is {value!r}, not a list"
        return next(filter(None, (mismatch(item, kind[0], f"{place}[{n}]") for n, item in enumerate(value))), None)
    if not isinstance(value, dict):
        return f"{place or 'top level'} is {value!r}, not an object"
    present = ((name, field) for name, field in kind.items() if value.get(name) is not None)
    return next(
        filter(None, (mismatch(value[name], field, f"{place}.{name}".lstrip(".")) for name, field in present)), None
    )


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer of JSON, in which 8.0 is the same number as 8."""
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "any":
            return True
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return is_integer(value)
        case "object":
            return isinstance(value, dict)
        case "uuid":
            return isinstance(value, str) and _UUID.fullmatch(value) is not None
        case "date-time":
            return is_date_time(value)
        case _:
            raise ValueError(f"{kind!r} is not a kind")
