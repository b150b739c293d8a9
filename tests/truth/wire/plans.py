"""The faults: what the server does with one connection, and with one request.

A plan is drawn from the random generator of the run. Its rules are those of the specification: a response that refuses a
request (4xx) is sent only if the request was not applied and will not be.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

REFUSALS: Final = (400, 403, 404, 422)
FAILURES: Final = (408, 500, 502, 503, 504)
ENDINGS: Final = ("close", "reset", "stall", "garbage")
TLS_ENDINGS: Final = (*ENDINGS, "drop", "alert", "garbage record")

WELL_FORMED: Final = (
    "chunked",
    "chunk extensions",
    "trailers",
    "until close",
    "HTTP/1.0",
    "HTTP/1.0 until close",
    "gzip",
    "deflate",
    "100 first",
    "103 first",
    "long head",
    "many fields",
)
MALFORMED: Final = (
    "length too short",  # the rest of the body is surplus
    "length too long",
    "two lengths",
    "length and chunked",
    "garbage in a chunk",
    "chunk size too long",
    "broken gzip",
    "truncated gzip",
    "flood of 1xx",
    "no version",
    "bad field",
    "body is not JSON",
)
# Only a client that waits before its next request can notice what follows in a separate segment.
SURPLUS_AT_ONCE: Final = ("same segment", "own record")
SURPLUS: Final = (*SURPLUS_AT_ONCE, "own segment", "late")
CONNECTION_FAULTS: Final = ("closed at once", "reset at once")
TLS_FAULTS: Final = (
    "handshake closed",
    "handshake reset",
    "handshake answered by garbage",
    "handshake answered by an alert",
    "handshake stalled",
    "wrong certificate",
)


@dataclass
class Plan:
    """The treatment of one request; the default is a response without a fault.

    Attributes:
        name: Name of the fault in the counts.
        stop: The part of the request after which the server stops reading: "head", "body", or "" for none.
        early: Whether the server answers 413 where it stops.
        apply: When the request is carried out: "now", "late" (when the run ends) or "never".
        status: The status of the response, if it is not that of the service.
        retry_after: Whether a response that is not that of the service has `Retry-After: 0`.
        answers: Whether there is a response at all.
        framing: How the response is framed.
        pace: "whole", "pieces" or "drip".
        cut: The part of the response that is sent, from 0 to 1; None for all of it.
        ending: How the connection ends after a stop, a cut, or in place of a response.
        after: What follows a response: "", "close", "announce close", "announce close and stay", or a kind of surplus.
        another: Whether another client writes to the record before the request is carried out.
    """

    name: str = "none"
    stop: str = ""
    early: bool = False
    apply: str = "now"
    status: int | None = None
    retry_after: bool = False
    answers: bool = True
    framing: str = "length"
    pace: str = "whole"
    cut: float | None = None
    ending: str = "close"
    after: str = ""
    another: bool = False


def plan_request(rng: random.Random, bad: float, *, tls: bool, surplus: tuple[str, ...]) -> Plan:
    """Return the plan of a request.

    Args:
        rng: The random generator of the request.
        bad: The probability of a fault.
        tls: Whether the connection has TLS.
        surplus: The kinds of surplus bytes that may follow a response. None if the transport cannot notice them.
    """
    plan = Plan(another=rng.random() < bad * 0.1)
    if rng.random() >= bad:
        return plan
    fault = rng.choices(list(FAULTS), list(FAULTS.values()))[0]
    endings = TLS_ENDINGS if tls else ENDINGS
    plan.ending = rng.choices(endings, [1 if "stall" in ending else 4 for ending in endings])[0]
    fault(plan, rng, surplus)
    plan.name = fault.__name__.strip("_").replace("_", " ")
    if rng.random() < 0.2:  # a second fault, of the response
        rng.choice((_well_formed, _paced, _closed, _surplus))(plan, rng, surplus)
    return plan


def plan_connection(rng: random.Random, bad: float, *, tls: bool) -> str:
    """Return the fault of a new connection; empty for none."""
    if rng.random() >= bad * 0.15:
        return ""
    faults = (*CONNECTION_FAULTS, *TLS_FAULTS) if tls else CONNECTION_FAULTS
    return rng.choices(faults, [1 if "stalled" in fault else 3 for fault in faults])[0]


def _stopped(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.apply, plan.answers, plan.stop = "never", False, rng.choice(("head", "body"))


def _refused_early(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.apply, plan.status, plan.stop, plan.early = "never", 413, "body", True
    plan.ending = rng.choice(("close", "reset"))


def _lost(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.apply, plan.answers = rng.choice(("now", "now", "late", "never")), False


def _cut(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.cut = rng.random()
    plan.framing = rng.choice(("length", "chunked", "gzip", "until close"))
    if rng.random() < 0.2:
        plan.apply, plan.status = "never", rng.choice((401, 403, 429, 503))


def _failed(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.apply, plan.status = rng.choice(("now", "now", "late", "never")), rng.choice(FAILURES)
    plan.retry_after = rng.random() < 0.3


def _limited(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.apply, plan.status, plan.retry_after = "never", 429, rng.random() < 0.5


def _refused(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.apply, plan.status = "never", rng.choice((*REFUSALS, 401, 401))


def _redirected(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.apply, plan.status = "never", rng.choice((307, 308))


def _well_formed(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.framing = rng.choice(WELL_FORMED)


def _malformed(plan: Plan, rng: random.Random, kinds) -> None:
    plan.framing = rng.choice(MALFORMED if kinds else MALFORMED[1:])


def _paced(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.pace = rng.choice(("pieces", "drip"))


def _closed(plan: Plan, rng: random.Random, _kinds) -> None:
    plan.after = rng.choice(("close", "announce close", "announce close and stay"))


def _surplus(plan: Plan, rng: random.Random, kinds) -> None:
    plan.after = rng.choice(kinds) if kinds else ""


FAULTS: Final[dict[Callable[..., None], int]] = {
    _stopped: 10,
    _refused_early: 4,
    _lost: 20,
    _cut: 14,
    _failed: 10,
    _limited: 4,
    _refused: 5,
    _redirected: 3,
    _well_formed: 8,
    _malformed: 12,
    _paced: 4,
    _closed: 6,
    _surplus: 14,
}
