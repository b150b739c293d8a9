"""The judge: compares what the SDK reported about a call with what the server knows.

The claims are those of the promise, in `docs/writes.md`. Every claim is checked at the end of the run, when all delayed
requests have been carried out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from project_platform import (
    ConflictError,
    DecodingError,
    OutcomeUnknownError,
    PlatformError,
    TransportError,
    UsageError,
)

from .actions import Action
from .service import Ledger

VERDICTS: Final = ("yes", "no", "in effect", "unknown")
SLOW: Final = 8.0  # seconds; the deadline of the trials is 3
_NONCE: Final = re.compile(r"nonce:([^;]*);")


@dataclass
class Outcome:
    """The end of a call.

    Attributes:
        action: The call.
        result: What it returned.
        error: What it raised.
        landed: How often it had been applied by then.
        seconds: How long it took.
        hidden: Whether a transport of the user has sent it twice, so that the first response never reached the SDK. Then
            neither a refusal nor the number of writes is held against the SDK.
    """

    action: Action
    result: Any = None
    error: BaseException | None = None
    landed: int = 0
    seconds: float = 0.0
    hidden: bool = False


@dataclass
class Verdict:
    """The report of the SDK about a call, and the claims of the promise that are broken."""

    kind: str
    applied: str
    wrong: list[str] = field(default_factory=list)


def judge(outcome: Outcome, ledger: Ledger) -> Verdict:
    """Return the verdict about a call, after the end of its run."""
    action, error, applied = outcome.action, outcome.error, reported(outcome)
    landed = ledger.landed[action.nonce]
    claims = {
        f"{error!r} is not an error of the SDK": error is None or isinstance(error, PlatformError),
        f"{error!r} is a refusal to send": not isinstance(error, UsageError),
        f"the call took {outcome.seconds:.1f} s": outcome.seconds < SLOW,
        "the response is that of another call": _is_own(outcome),
        **dict.fromkeys(ledger.leaks, False),
    }
    if action.writes:
        claims |= {
            f"{applied!r} is not a verdict": applied in VERDICTS,
            "yes, and it was not applied": applied != "yes" or outcome.landed > 0,
            "no, and it was applied": applied != "no" or landed == 0 or outcome.hidden,
            "in effect, and the record never met the change": applied != "in effect" or _was_met(action, ledger),
            "a conflict, and it was applied": not isinstance(error, ConflictError) or landed == 0 or outcome.hidden,
            "unknown, and not an error that says so": applied != "unknown" or _says_unknown(error),
            "applied twice": landed < 2 or action.resending == "safe" or outcome.hidden,
            "sent again after it may have arrived": outcome.hidden or not _sent_blindly(action, ledger),
            "other bytes were sent again": len({arrival.body for arrival in ledger.arrivals[action.nonce]}) < 2,
        }
    else:
        # A response that arrived and cannot be read is "yes" for every operation: it was carried out.
        claims[f"a read, and {applied!r}"] = applied == "no" or error is None or isinstance(error, DecodingError)
    return Verdict(action.kind, applied, [claim for claim, true in claims.items() if not true])


def reported(outcome: Outcome) -> str:
    """Return what the SDK reported: a method that returns without a `ChangeResult` reports yes."""
    if outcome.error is not None:
        return getattr(outcome.error, "applied", "nothing")
    return getattr(outcome.result, "applied", "yes")


def _is_own(outcome: Outcome) -> bool:
    """Return whether the result, or the message of the service in an error, is a response to this call."""
    if outcome.error is None:
        try:
            return outcome.action.identify(outcome.result) == outcome.action.nonce
        except (AttributeError, IndexError, TypeError):
            return False
    error: BaseException | None = outcome.error
    while error is not None:
        found = _NONCE.search(str(getattr(error, "message", "")))
        if found and found[1] != outcome.action.nonce[::-1]:
            return False
        error = error.__cause__
    return True


def _says_unknown(error: BaseException | None) -> bool:
    return isinstance(error, OutcomeUnknownError) or (
        isinstance(error, PlatformError) and not isinstance(error, TransportError)
    )


def _was_met(action: Action, ledger: Ledger) -> bool:
    """Return whether the record has ever been in the state that the change produces."""
    if action.change is None:
        return False
    patch = action.change.patch
    return any(all(state.get(key) == value for key, value in patch.items()) for state in ledger.states[action.nonce])


def _sent_blindly(action: Action, ledger: Ledger) -> bool:
    """Return whether a request that may have arrived was sent again, and may be applied twice."""
    arrivals = ledger.arrivals[action.nonce]
    return action.resending == "never" and not all(arrival.permits_resending for arrival in arrivals[:-1])
