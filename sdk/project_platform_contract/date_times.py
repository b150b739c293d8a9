"""Date-times in the forms of ISO 8601; the specification does not say which of them a service writes."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_DATE_TIME = re.compile(r"([\dW-]+)T(\d.*)", re.ASCII | re.IGNORECASE)
_ORDINAL = re.compile(r"(\d{4})-?(\d{3})", re.ASCII)
_END_OF_DAY = re.compile(r"24(?=(:?00(:?00([.,]0+)?)?)?([Z+-]|$))", re.ASCII | re.IGNORECASE)


def date_time(value: object) -> datetime | None:
    """Return the date-time that a value is; None if it is none.

    A date-time has a date and a time, in the basic or the extended format. Seconds, fractions of them and the offset may be
    missing; without an offset, the result has none either.
    """
    parts = _DATE_TIME.fullmatch(value) if isinstance(value, str) else None
    if parts is None:
        return None
    date, time = parts.groups()
    try:
        if ordinal := _ORDINAL.fullmatch(date):
            date = datetime.strptime("".join(ordinal.groups()), "%Y%j").date().isoformat()  # noqa: DTZ007  # only its date
        days = timedelta(days=1) if _END_OF_DAY.match(time) else timedelta()
        return datetime.fromisoformat(f"{date}T{_END_OF_DAY.sub('00', time, count=1) if days else time}") + days
    except (ValueError, OverflowError):
        return None


def is_date_time(value: object) -> bool:
    """Return whether a value is an ISO 8601 date-time."""
    return date_time(value) is not None
