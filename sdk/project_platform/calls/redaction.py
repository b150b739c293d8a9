"""Removes the values of request headers from an error, since a service may repeat them in its response."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final, overload
from urllib.parse import quote

from ..masking import REDACTED
from .headers import SHOWN, Headers
from .operation import AttemptRecord

# Shorter values are parts of ordinary words. No credential is that short: see NIST SP 800-63B, section 5.1.1.1.
_SHORTEST: Final = 8  # characters
# The beginning of a long value identifies it: a service may have cut it off.
_CUT_OFF: Final = 16  # characters
_REST: Final = r"[\w.~+/=%\\-]*"
_SEPARATORS: Final = re.compile(r"[\s,;=]+")


class Redactor:
    """Replaces the values that a request carried in its headers: the token, cookies and other fields of the user.

    The values of harmless fields (`SHOWN`) are left, and so are values shorter than eight characters.

    Args:
        headers: The header fields of the request.
    """

    def __init__(self, headers: Mapping[str, str]) -> None:
        forms = {
            form
            for name, value in headers.items()
            if name.lower() not in SHOWN
            # A service repeats the credential without the scheme, or a cookie without its name.
            for part in (value, *_SEPARATORS.split(value))
            if len(part) >= _SHORTEST
            for form in (part, quote(part, safe=""), json.dumps(part)[1:-1], part.replace("/", r"\/"))
        }
        # Longest first, because one may be a prefix of another.
        pattern = "|".join(map(_pattern, sorted(forms, key=len, reverse=True))) or r"(?!)"
        self._known = re.compile(pattern, re.IGNORECASE)
        self._known_bytes = re.compile(pattern.encode("utf-8", "replace"))

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Redactor:
        """Return a redactor for header fields, which is created once for all requests of a client."""
        if not isinstance(headers, Headers):
            return cls(headers)
        if headers.redactor is None:
            headers.redactor = cls(headers)
        redactor: Redactor = headers.redactor
        return redactor

    @overload
    def text(self, text: str) -> str: ...

    @overload
    def text(self, text: str | None) -> str | None: ...

    def text(self, text: str | None) -> str | None:
        """Return a string without the values, and None for None."""
        return None if text is None else self._known.sub(REDACTED, text)

    def body(self, body: bytes) -> bytes:
        """Return a body without the values, which header fields restrict to ASCII."""
        return self._known_bytes.sub(REDACTED.encode(), body)

    def headers(self, headers: Headers) -> Headers:
        """Return header fields without the values."""
        return Headers({name: self.text(value) for name, value in headers.items()})

    def attempts(self, attempts: tuple[AttemptRecord, ...]) -> tuple[AttemptRecord, ...]:
        """Return records of attempts without the values."""
        return tuple(
            record._replace(request_id=self.text(record.request_id), error=self.text(record.error))
            for record in attempts
        )


def _pattern(form: str) -> str:
    """Return a pattern for a value, or for more than half of it."""
    return re.escape(form) if len(form) < 2 * _CUT_OFF else re.escape(form[: len(form) // 2]) + _REST
