"""Refusals of requests that fit the contract: each is a rule that a schema cannot say, or that it leaves open.

Schemathesis takes what fits the schemas for valid. The specification types a timestamp as a string, says nothing of what
a template's name may be, and so on; what the stub refuses beyond the schemas is listed here, by what it answers.
"""

from __future__ import annotations

import re
from typing import Final

EXPLAINED: Final = {
    r"(body\.(start|end)|query\.time(Min|Max)): is not an ISO 8601 timestamp": "timestamps are typed as plain strings",
    r"(body\.(start|end)|query\.time(Min|Max)): is out of range": "a moment before the year 1 or after 9999 is none",
    r"body\.timeZone: is not an IANA time zone": "the zone is typed as a plain string",
    r"body\.end: must be after the start": "no schema compares two fields",
    r"query\.timeMax: must be after": "no schema compares two parameters",
    r"body\.durationMinutes: must be more than 0": "the length is typed as any integer",
    r"body\.menuMonth: is not a month": "the month is typed as a plain string",
    r"body\.itemIds\[\d+\]: is not a menu item": "the specification knows no 404 of the label export",
    r"body\.typeSlug: is not an object type": "the specification knows no 404 of creating a record",
    r"query\..*: is not a field to filter by": "the names of the filters are not shown",
    r"body\.name: must not be blank": "a sub-project that has no name could not be told from others",
    r"body\.accountId: is not an account of the page network": "an account of another network does exist",
    r"body: is nested more than": "the depth of a body is limited",
    r"body: contains an unpaired surrogate": "no text is what cannot be written as UTF-8",
    r"body: contains a number whose exponent": "an exponent is limited",
}
_PATTERNS: Final = {re.compile(pattern, re.DOTALL): why for pattern, why in EXPLAINED.items()}
_NO_PROJECT = "path.projectId: is not a valid uuid"


def explanation(message: str, *, chained: bool) -> str | None:
    """Return why a request that fits the contract is refused with this message; None if it is not known.

    Args:
        message: What the stub answered.
        chained: Whether something in the request was taken from the answer to another one.
    """
    if chained and message == _NO_PROJECT:
        return "the identifier of something else was taken for that of a project"
    return next((why for pattern, why in _PATTERNS.items() if pattern.match(message)), None)
