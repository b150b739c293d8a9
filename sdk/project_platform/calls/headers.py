"""Header fields: case-insensitive, and redacted in representations unless known to be harmless."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

# All other values are redacted in errors and representations: a header may contain a credential or personal data.
SHOWN: Final = frozenset(
    {
        "allow",
        "content-encoding",
        "content-length",
        "content-type",
        "date",
        "retry-after",
        "retry-after-ms",
        "x-request-id",
    }
)
REDACTED: Final = "[redacted]"


class Secret(str):
    """A string whose representation is redacted: a token, or a header value that contains one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(REDACTED)


class Headers(Mapping[str, str]):
    """Header fields; a repeated field is joined with commas (RFC 9110, section 5.3)."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, str] | None = None) -> None:
        self._fields = {name.lower(): value for name, value in fields.items()} if fields else {}

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

    def redacted(self) -> Headers:
        """Return the same fields with each value redacted that is not known to be harmless."""
        return Headers({name: value if name in SHOWN else REDACTED for name, value in self._fields.items()})

    def __repr__(self) -> str:
        return f"Headers({self.redacted()._fields})"
