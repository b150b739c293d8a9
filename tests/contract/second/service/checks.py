"""Checks of the members of a body."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .app import OPERATIONS, Call, Refusal

Check = Callable[[Any], bool]

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d(:?\d\d)?)?")


def checked(call: Call, required: tuple[str, ...], strict: bool = False, /, **members: Check) -> dict[str, Any]:
    """Return the known members of a body.

    Args:
        call: The call with the body.
        required: Names of members that must be present.
        strict: Whether a member with another name is refused; otherwise it is ignored.
        members: A check for each known member. Null is a value like any other, so only a check can admit it.
    """
    status = OPERATIONS[call.operation].bad_request
    body = call.body
    for name in required:
        if name not in body:
            raise Refusal(status, f"{name} is missing.", "invalid")
    for name in body:
        if name in members:
            if not members[name](body[name]):
                raise Refusal(status, f"{name} is invalid.", "invalid")
        elif strict:
            raise Refusal(status, f"{name} is unknown.", "invalid")
    return {name: value for name, value in body.items() if name in members}


def text(least: int = 0, most: int | None = None) -> Check:
    """Return a check for strings with a number of characters."""
    return lambda value: isinstance(value, str) and least <= len(value) and (most is None or len(value) <= most)


def array(item: Check, most: int | None = None) -> Check:
    return lambda value: isinstance(value, list) and (most is None or len(value) <= most) and all(map(item, value))


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def mapping(value: Any) -> bool:
    return isinstance(value, dict)


def anything(value: Any) -> bool:
    return True


def minutes(value: Any) -> bool:
    """Return whether a value is a positive whole number of minutes, of at most a year."""
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and value == int(value) and 0 < value <= 527040
    )


def uuid(value: Any) -> bool:
    try:
        return isinstance(value, str) and str(UUID(value)) == value.lower()
    except ValueError:
        return False


def email(value: Any) -> bool:
    return isinstance(value, str) and _EMAIL.fullmatch(value) is not None


def zone(value: Any) -> bool:
    try:
        return isinstance(value, str) and value != "" and ZoneInfo(value) is not None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False


def timestamp(value: Any) -> bool:
    if not isinstance(value, str) or not _TIMESTAMP.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value.upper())
    except ValueError:
        return False
    return True
