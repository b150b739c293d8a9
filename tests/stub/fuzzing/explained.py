"""Rules of the stub that the schemas of the contract do not express, by the message of the refusal.

Schemathesis regards every request that fits the schemas as valid. The stub refuses some of them: the specification types
a timestamp as a plain string, for example, and does not name the filters of a list.
"""

from __future__ import annotations

import re
from typing import Final

EXPLAINED: Final = {
    r"(body\.(start|end)|query\.time(Min|Max)): is not an ISO 8601 timestamp": "timestamps are typed as plain strings",
    r"(body\.(start|end)|query\.time(Min|Max)): is out of range": "timestamps are limited to the years 1 to 9999",
    r"body\.timeZone: is not an IANA time zone": "the zone is typed as a plain string",
    r"body\.end: must be after the start": "no schema compares two fields",
    r"query\.timeMax: must be after": "no schema compares two parameters",
    r"body\.itemIds\[\d+\]: is not a menu item": "the specification has no 404 for the label export",
    r"body\.typeSlug: is not an object type": "the specification has no 404 for creating a record",
    r"query\..*: is not a field to filter by": "the specification does not name the filters",
    r"body\.accountId: is not an account of the page network": "accounts of other networks exist, but are not accepted",
    r"body: is nested more than": "the depth of a body is limited",
    r"body: contains an unpaired surrogate": "an unpaired surrogate cannot be encoded as UTF-8",
    r"body: contains a number whose exponent": "an exponent is limited",
}
_PATTERNS: Final = {re.compile(pattern, re.DOTALL): why for pattern, why in EXPLAINED.items()}
_NO_PROJECT = "path.projectId: is not a valid uuid"


def explanation(message: str, *, chained: bool) -> str | None:
    """Return the reason for refusing a request that fits the contract; None for an unknown message.

    Args:
        message: The error message of the stub.
        chained: Whether the request has a value from the response to an earlier one.
    """
    if chained and message == _NO_PROJECT:
        return "the identifier of another object was sent as that of a project"
    return next((why for pattern, why in _PATTERNS.items() if pattern.match(message)), None)
