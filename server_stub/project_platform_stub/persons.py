"""Persons: which of them a record's data identifies.

Assumed, because the specification says "identity in data" and no more: identity is `email`, compared without regard to
case and surrounding blanks, and then `phone`, compared by its digits. A person is a record of the type `person`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .contents import Project

PERSON = "person"


def carries_identity(data: Mapping[str, Any]) -> bool:
    """Return whether data has something by which a person can be known."""
    return bool(_email(data) or _phone(data))


def person_of(project: Project, data: Mapping[str, Any]) -> str | None:
    """Return the identifier of the person that data identifies; the address decides before the telephone number."""
    persons = [record for record in project.records.values() if record["typeSlug"] == PERSON]
    for identity in (_email, _phone):
        wanted = identity(data)
        for person in persons:
            if wanted and identity(person["data"]) == wanted:
                found: str = person["id"]
                return found
    return None


def _email(data: Mapping[str, Any]) -> str:
    value = data.get("email")
    return value.strip().lower() if isinstance(value, str) else ""


def _phone(data: Mapping[str, Any]) -> str:
    value = data.get("phone")
    return "".join(filter(str.isdecimal, value)) if isinstance(value, str) else ""
