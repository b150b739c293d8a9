"""Finds the person that a record's data identifies.

Assumed, because the specification says only "identity in data": the identity is `email`, compared case-insensitively and
without surrounding blanks, and then `phone`, compared by its digits. A person is a record of the type `person`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from project_platform_stub.world.domain import Json

PERSON = "person"


def carries_identity(data: Mapping[str, Any]) -> bool:
    """Return whether data has an email address or a phone number."""
    return bool(_email(data) or _phone(data))


class Persons:
    """An index of persons by email address and phone number; the first of several persons with the same one wins."""

    def __init__(self, records: Iterable[Json]) -> None:
        self._known: dict[tuple[Callable[[Mapping[str, Any]], str], str], str] = {}
        for record in records:
            self.add(record)

    def add(self, record: Json) -> None:
        """Add a record, if it is a person."""
        if record["typeSlug"] == PERSON:
            for identity in (_email, _phone):
                self._known.setdefault((identity, identity(record["data"])), record["id"])

    def find(self, data: Mapping[str, Any]) -> str | None:
        """Return the identifier of the person that data identifies; the email address takes precedence over the phone number."""
        found = (self._known.get((identity, value)) for identity in (_email, _phone) if (value := identity(data)))
        return next((person for person in found if person is not None), None)


def _email(data: Mapping[str, Any]) -> str:
    value = data.get("email")
    return value.strip().lower() if isinstance(value, str) else ""


def _phone(data: Mapping[str, Any]) -> str:
    value = data.get("phone")
    return "".join(filter(str.isdecimal, value)) if isinstance(value, str) else ""
