"""Removes the values of request headers from an error, since a service may repeat them in its response."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, overload

from ..masking import REDACTED
from .headers import SHOWN, Headers
from .operation import AttemptRecord

# Shorter values are parts of ordinary words. No credential is that short: see NIST SP 800-63B, section 5.1.1.1.
_SHORTEST: Final = 8  # characters
# The beginning of a long value identifies it: a service may have cut it off.
_CUT_OFF: Final = 16  # characters
_REST: Final = r"[\w.~+/=%\\&#;-]*"
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
            for form in (value, *_SEPARATORS.split(value))
            if len(form) >= _SHORTEST
        }
        # Longest first, because one may be a prefix of another.
        pattern = "|".join(map(_pattern, sorted(forms, key=len, reverse=True))) or r"(?!)"
        self._known = re.compile(pattern, re.IGNORECASE)
        self._known_bytes = re.compile(pattern.encode("utf-8", "replace"), re.IGNORECASE)

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
        """Return a body without the values, which header fields restrict to ASCII. Nothing remains of a body in UTF-16 or UTF-32 that has one."""
        if b"\0" in body and self._known_bytes.search(body.replace(b"\0", b"")):
            return REDACTED.encode()
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
    """Return a pattern for a value, or for more than half of it, in which each sign may be escaped as in JSON, a URL or HTML."""
    if len(form) < 2 * _CUT_OFF:
        return "".join(map(_character, form))
    return "".join(map(_character, form[: len(form) // 2])) + _REST


def _character(character: str) -> str:
    if character.isalnum():
        return character
    code = ord(character)
    return rf"(?:\\?{re.escape(character)}|%{code:02x}|\\u{code:04x}|&#(?:{code}|x{code:x});)"
