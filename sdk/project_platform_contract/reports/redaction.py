"""Removes credentials from everything that a report shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

HIDDEN: Final = "[hidden]"
_SHORTEST = 6  # Characters; hiding shorter strings would hide much of the report.
_JWT: Final = re.compile(r"eyJ[\w-]{5,}(?:\.[\w-]*){1,2}")
_NAMES: Final = r"(?:\w*_?token|jwt|secret|password|authorization)"
_NAME: Final = re.compile(_NAMES, re.IGNORECASE)
# A member with such a name, in JSON, in JSON inside a JSON string, or in a Python repr.
_MEMBER: Final = re.compile(rf"""(\\*["']{_NAMES}\\*["']\s*[:=]\s*(\\*["']))(?:(?!\2).)+""", re.IGNORECASE)
# A variable of the environment, in a command, is none, and neither is the word in a message.
_BEARER: Final = re.compile(r"(\bbearer\s+)(?!\$\{\w+\}|(?:tokens?|credentials?)\b)[^\s\"'<]+", re.IGNORECASE)


class Redactor:
    """Hides known credentials, and everything that looks like one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {
            form
            for secret in secrets
            if len(secret) >= _SHORTEST
            for form in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1])
        }
        # Longest first, because one may be a prefix of another.
        self._known = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))) or r"(?!)")

    def __call__(self, text: str) -> str:
        """Return a text with its credentials replaced by `HIDDEN`."""
        text = self._known.sub(HIDDEN, text)
        text = _JWT.sub(HIDDEN, text)
        text = _MEMBER.sub(rf"\1{HIDDEN}", text)
        return _BEARER.sub(rf"\1{HIDDEN}", text)

    def json(self, value: Any) -> str:
        """Return a value as JSON, with the credentials in its texts replaced. A credential in JSON text may be part of its syntax."""
        return json.dumps(self._value(value), ensure_ascii=False)

    def _value(self, value: Any, name: str = "") -> Any:
        match value:
            case str():
                return HIDDEN if value and _NAME.fullmatch(name) else self(value)
            case dict():
                return {self(key): self._value(member, key) for key, member in value.items()}
            case list() | tuple():
                return [self._value(item) for item in value]
            case _:
                return value
