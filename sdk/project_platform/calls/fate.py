"""The fate of a write: what the end of one attempt says about it.

| end of an attempt | fate |
|---|---|
| no connection, or the request could not be sent at all | not sent |
| a 4xx that refuses the request; a redirect that keeps the method | not applied |
| 2xx, also with an unreadable body (unless it has signs that nothing was applied: `unclear`) | applied |
| 2xx with such signs and an incomplete body, which cannot be checked against the contract | lost |
| a broken connection, a timeout, 408, 5xx, cancellation, anything else | lost |

After a lost attempt the call is in doubt, whatever follows: a later refusal says nothing about an earlier attempt that
may have been applied.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from ..errors import NotSentError, TransportError
from .operation import Applied, Delivery, Effect, Response

Outcome: TypeAlias = Response | TransportError
"""The end of an attempt: a response, or the reason there is none."""

# The client errors of the IANA registry except 408, which does not say how much of the request was processed; and the two
# redirects that keep the method (RFC 9110, sections 15.4.8, 15.4.9 and 15.5).
REFUSED: Final = frozenset({307, 308, *range(400, 418), *range(421, 427), 428, 429, 431, 451}) - {408}

_MARKUP: Final = re.compile(rb"\s*<")
_UNSUCCESSFUL: Final = re.compile(rb'"success"\s*:\s*(?:false|0|"(?:false|no|off|f|n|0)")', re.IGNORECASE)


class Fate(enum.Enum):
    """The fate of a write after one attempt."""

    NOT_SENT = "not sent"
    NOT_APPLIED = "not applied"
    APPLIED = "applied"
    LOST = "lost"

    @property
    def delivery(self) -> Delivery:
        """The fate as the record of an attempt has it."""
        return self._value_  # `value` takes four times as long


def fate(outcome: Outcome, accept: str | None = None) -> Fate:
    """Return what the outcome of one attempt says about the write, whose request accepts these media types."""
    if isinstance(outcome, TransportError):
        return Fate.NOT_SENT if isinstance(outcome, NotSentError) else Fate.LOST
    if outcome.successful:
        is_clear = outcome.complete or accept is None or unclear(outcome, accept) is None
        return Fate.APPLIED if is_clear else Fate.LOST
    return Fate.NOT_APPLIED if outcome.status in REFUSED else Fate.LOST


def unclear(response: Response, accept: str) -> str | None:
    """Return in words why a 2xx may not say that its write was applied: it may be of another server, or says `success: false`; otherwise None.

    The fate of its write is known only if the body fits nevertheless.
    """
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not kind and _MARKUP.match(response.body):
        kind = "markup"
    if kind and kind not in accept.split(", "):
        return f"it is {kind}, as if from a proxy or another site; if base_url is wrong, correct it and send it again"
    return "it says success: false" if _UNSUCCESSFUL.search(response.body) else None


def shortfalls(value: object) -> list[str]:
    """Return what failed of a write that was applied only in part, as the report of a template has it."""
    result = getattr(value, "template_apply", None)
    failures: Sequence[object] = getattr(getattr(result, "report", None), "failures", None) or ()
    failed: list[str] = []
    for one in failures:
        entity, name, error, code = (getattr(one, member, None) for member in ("entity", "name", "error", "code"))
        failed.append(f"{entity} {name} was not applied: {error or code}")
    status = getattr(result, "status", "applied")
    return failed or ([f"the status is {status}: {getattr(result, 'error', None)}"] if status != "applied" else [])


def applied(last: Fate, effect: Effect, *, doubt: bool = False) -> Applied:
    """Return whether a write was applied.

    Args:
        last: Fate of the last attempt.
        effect: The effect of the operation; one that only reads has nothing to apply.
        doubt: Whether any attempt of the call was lost.
    """
    if last is Fate.APPLIED:
        return "yes"
    if effect == "read":
        return "no"
    return "unknown" if doubt or last is Fate.LOST else "no"
