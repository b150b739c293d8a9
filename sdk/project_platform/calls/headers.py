"""Header fields and credentials, which representations do not show.

Header fields are case-insensitive. Their values are redacted in representations unless known to be harmless.
"""

from __future__ import annotations

import re
from collections.abc import ItemsView, Iterable, Iterator, Mapping
from typing import Any, Final, NoReturn, Self, final

from ..masking import REDACTED

# All other values are redacted in errors and representations: a header may contain a credential or personal data.
SHOWN: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "allow",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "retry-after",
        "retry-after-ms",
        "user-agent",
        "x-request-id",
    }
)
_OURS: Final = frozenset({"accept", "authorization", "content-length", "content-type", "host", "transfer-encoding"})
_FIELD_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, section 5.6.2
_FIELD_VALUE: Final = re.compile(r"(?:[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)?")  # RFC 9110, section 5.5
_FRAMING: Final = frozenset({"content-length", "host", "transfer-encoding"})  # which a connection adds
_MAX_REQUESTS: Final = 16  # a client has a token, a body or none, and the media types of the operations


@final
class Secret:
    """A bearer credential: a token, or the session credential of a token endpoint.

    It is not a `str`: slices and operations of a string return plain text, and error reporters slice the locals of a
    frame. It copies as itself and does not pickle.
    """

    __slots__ = ("_authorization", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._authorization = f"Bearer {text}"

    def reveal(self) -> str:
        """Return the credential. Do not assign it to a variable: error reporters show the locals of a frame."""
        return self._text

    def authorization(self) -> str:
        """Return the value of the header `Authorization` (RFC 6750, section 2.1), which is created once."""
        return self._authorization

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a credential does not pickle; give it to the process that needs it in another way")

    def __repr__(self) -> str:
        return REDACTED


class Headers(Mapping[str, str]):
    """Header fields; a repeated field is joined with commas (RFC 9110, section 5.3)."""

    __slots__ = ("_encoded", "_fields", "_lines", "_requests", "redactor")

    def __init__(self, fields: Mapping[str, str] | None = None) -> None:
        self._fields = {name.lower(): value for name, value in fields.items()} if fields else {}
        self._encoded: tuple[tuple[bytes, bytes], ...] | None = None
        self._lines: bytes | None = None
        self._requests: dict[tuple[str, Secret, bool], Headers] = {}
        self.redactor: Any = None  # what `Redactor.of` created for these fields

    @classmethod
    def from_raw(cls, pairs: Iterable[tuple[bytes, bytes]]) -> Headers:
        """Return the fields of a received head, decoded as Latin-1 (RFC 9110, section 5.5)."""
        self = cls()
        fields = self._fields
        for raw_name, raw_value in pairs:
            name = raw_name.decode("latin-1").lower()
            value = raw_value.decode("latin-1")
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
        return self

    def __getitem__(self, name: str) -> str:
        return self._fields[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __or__(self, other: Mapping[str, str]) -> Headers:
        """Return the fields of both; `other` replaces fields by name."""
        merged = Headers(other)
        merged._fields = self._fields | merged._fields
        return merged

    def of_request(self, accept: str, token: Secret, *, json: bool) -> Headers:
        """Return these fields and those of a request, which are created once for all requests with these arguments.

        Args:
            accept: The media types of the response.
            token: The token.
            json: Whether the request has a body, which is JSON.
        """
        key = (accept, token, json)
        fields = self._requests.get(key)
        if fields is None:
            if len(self._requests) >= _MAX_REQUESTS:  # tokens that have expired
                self._requests.clear()
            content = {"content-type": "application/json"} if json else {}
            fields = self | {"accept": accept, "authorization": token.authorization(), **content}
            self._requests[key] = fields
        return fields

    def encoded(self) -> tuple[tuple[bytes, bytes], ...]:
        """Return the fields as HTTP/1.1 sends them, which are encoded once."""
        if self._encoded is None:
            self._encoded = tuple(
                (name.encode("ascii"), value.encode("latin-1")) for name, value in self._fields.items()
            )
        return self._encoded

    def lines(self) -> bytes | None:
        """Return the fields as lines of HTTP/1.1, or None if one cannot be sent. They are checked and joined once."""
        if self._lines is None:
            if not all(
                name not in _FRAMING and _FIELD_NAME.fullmatch(name) and _FIELD_VALUE.fullmatch(value)
                for name, value in self._fields.items()
            ):
                return None
            self._lines = lines_of(self.encoded())
        return self._lines

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, str]]]:
        return type(self), (self._fields,)

    def items(self) -> ItemsView[str, str]:
        """Return the names in lower case, with their values."""
        return self._fields.items()  # faster than the mix-in, and a transport needs them for each request

    def redacted(self) -> Headers:
        """Return the same fields with each value redacted that is not known to be harmless."""
        return Headers({name: value if name in SHOWN else REDACTED for name, value in self._fields.items()})

    def __repr__(self) -> str:
        return f"Headers({self.redacted()._fields})"


def lines_of(fields: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return header fields that were checked as lines of HTTP/1.1."""
    return b"".join(b"%b: %b\r\n" % field for field in fields)


def problem_of_header(name: Any, value: Any) -> str | None:  # callers need not be typed
    """Return why a header field cannot be sent, without its value; None if it can."""
    if not isinstance(name, str) or not isinstance(value, str):
        return f"headers[{name!r}] is of type {type(value).__name__}; names and values must be strings"
    if name.lower() in _OURS:
        return f"headers has {name}, which the SDK sets itself; leave it out, and give a credential as token"
    if not _FIELD_NAME.fullmatch(name):
        return f"headers has the name {name!r}, which is not allowed in HTTP; use letters, digits and hyphens"
    if value != value.strip() or any(c != "\t" and not " " <= c <= "~" for c in value):
        return f"headers[{name!r}] has characters that a header cannot carry; percent-encode them"
    return None
