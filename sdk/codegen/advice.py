"""The advice of the operation pages and of the error catalogue: the way out of each error, and the calls that are sent again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from project_platform import errors
from project_platform.calls.error_mapping import status_error_class
from project_platform.calls.retry import RETRIED_STATUSES
from project_platform.commands.verdict import SLOT_TAKEN

STATUS_ADVICE: Final = {
    400: "Correct the argument that the message names.",
    401: "Renew the token. The token source was called once more already.",
    403: "Check the project and the permission with `client.auth.check_permission`.",
    404: "Check the identifier and the project.",
    405: "Check `base_url`: a proxy or a path prefix changed the address.",
    408: "The request was too slow. A write may have been applied: see `OutcomeUnknownError`.",
    409: "Decide again on newer data.",
    413: "Send or select less: a shorter period, fewer items.",
    415: "Check proxies: the body that arrived is not JSON.",
    422: "Correct the value that the message names.",
    429: "Lower the rate. The call was sent again after `Retry-After` already.",
    500: "The service failed. A write may have been applied: see `OutcomeUnknownError`.",
    502: "The service, or a provider behind it, failed. A write may have been applied: see `OutcomeUnknownError`.",
    503: "The service is not available. A write may have been applied: see `OutcomeUnknownError`.",
    504: "A proxy gave up waiting. A write may have been applied: see `OutcomeUnknownError`.",
}
CONFLICT_ADVICE: Final = {
    "StalePreconditionError": "Nothing was written. Take a newer record and decide again, or use `modify` of a type.",
    "SlotTakenError": f"{SLOT_TAKEN[0].upper()}{SLOT_TAKEN[1:]}.",
}
_REFUSED_RATE: Final = 429
_LOST_STATUSES: Final = (408, 500)  # This one, and everything from that one on, says nothing about the write.


class Again(NamedTuple):
    """Whether a call is sent again after a lost response, and why, by the effect of the operation."""

    answer: str
    reasons: Mapping[str, str]


AGAIN: Final = {
    "safe": Again(
        "Yes",
        {
            "read": "The operation only reads, so nothing can be applied twice.",
            "write": "The operation sets a state. Twice has the same effect as once; what somebody else set in between is overwritten.",
            "notify": "The operation sets a state. Twice has the same effect as once.",
            "irreversible": "The operation sets a state. Twice has the same effect as once.",
        },
    ),
    "fenced": Again(
        "If the guard fences",
        {
            "write": "With a precondition that is false once the update has been applied, a second copy is refused. Without one, "
            "the update could be applied twice.",
        },
    ),
    "never": Again(
        "No",
        {
            "write": "A second request would create a second object, and the API has no idempotency key.",
            "notify": "A second request could book or notify twice, and the API has no idempotency key.",
            "irreversible": "A second request would create a second object, and no operation removes it.",
        },
    ),
}


class StatusAdvice(NamedTuple):
    """A row of the table of errors: the class, the value of `applied`, and what to do."""

    error: str
    applied: str
    advice: str


def status_advice(operation: Mapping[str, Any], status: int) -> StatusAdvice:
    """Return the meaning of a status for a call of an operation."""
    sdk = operation["x-sdk"]
    conflict = getattr(errors, sdk["conflict"]) if "conflict" in sdk else None
    error = status_error_class(status, conflict).__name__
    advice = CONFLICT_ADVICE.get(error, STATUS_ADVICE.get(status, ""))
    timeout, server = _LOST_STATUSES
    if status == timeout or status >= server:
        if sdk["effect"] == "read":
            return StatusAdvice(error, "no", "The call was sent again already. Try again later.")
        return StatusAdvice("OutcomeUnknownError", "unknown", f"Also a `{error}`. {unknown_advice(operation)}")
    return StatusAdvice(error, "no", advice)


def unknown_advice(operation: Mapping[str, Any]) -> str:
    """Return the advice for a write that may have been applied."""
    sdk = operation["x-sdk"]
    look = f"{sdk['look'][0].upper()}{sdk['look'][1:]}." if "look" in sdk else ""
    if sdk.get("settle") is None:
        return look
    otherwise = f" Where that leaves it unknown: {look[0].lower()}{look[1:]}" if look else ""
    return f"Call `client.settle(error)`.{otherwise}"


def retried_statuses() -> str:
    """Return the statuses after which a safe call is sent again, apart from 429, which is a refusal."""
    *first, last = sorted(RETRIED_STATUSES - {_REFUSED_RATE})
    return f"{', '.join(map(str, first))} or {last}"
