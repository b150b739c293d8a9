"""The faults: what the server does with one connection, and with one request.

A plan is drawn from the random generator of the run. Its rules are those of the specification: a response that refuses a
request (4xx) is sent only if the request was not applied and will not be.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

REFUSALS: Final = (400, 403, 404, 422)
FAILURES: Final = (408, 500, 502, 503, 504)
LANDINGS: Final = ("now", "now", "late", "never")
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
    "handshake met by garbage",
    "handshake met by an alert",
    "handshake stalled",
    "wrong certificate",
)


@dataclass
class Plan:
    """The treatment of one request; the default is a response without a fault.

    Attributes:
        name: Name of the fault in the counts.
        stop: The part of the request after which the server stops reading: "head", "body", or "" for none.
        early: Whether the server responds with 413 where it stops.
        apply: When the request is carried out: "now", "late" (when the run ends) or "never".
        status: The status of the response, if it is not that of the service.
        retry_after: Whether a response that is not that of the service has `Retry-After: 0`.
        responds: Whether there is a response at all.
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
    responds: bool = True
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
    endings = TLS_ENDINGS if tls else ENDINGS
    plan.ending = rng.choices(endings, [1 if "stall" in ending else 4 for ending in endings])[0]
    plan.name = rng.choices(list(FAULTS), [weight for weight, _ in FAULTS.values()])[0]
    faults = [plan.name] if rng.random() >= 0.2 else [plan.name, rng.choice(SECOND)]
    for fault in faults:
        plan = replace(plan, **FAULTS[fault][1](rng, surplus))
    return plan


def plan_connection(rng: random.Random, bad: float, *, tls: bool) -> str:
    """Return the fault of a new connection; empty for none."""
    if rng.random() >= bad * 0.15:
        return ""
    faults = (*CONNECTION_FAULTS, *TLS_FAULTS) if tls else CONNECTION_FAULTS
    return rng.choices(faults, [1 if "stalled" in fault else 3 for fault in faults])[0]


def _cut(rng: random.Random, _kinds: tuple[str, ...]) -> dict[str, Any]:
    cut = {"cut": rng.random(), "framing": rng.choice(("length", "chunked", "gzip", "until close"))}
    if rng.random() < 0.2:
        cut |= {"apply": "never", "status": rng.choice((401, 403, 429, 503))}
    return cut


FAULTS: Final[dict[str, tuple[int, Callable[[random.Random, tuple[str, ...]], dict[str, Any]]]]] = {
    "stopped": (10, lambda rng, _: {"apply": "never", "responds": False, "stop": rng.choice(("head", "body"))}),
    "refused early": (
        4,
        lambda rng, _: {
            "apply": "never",
            "status": 413,
            "stop": "body",
            "early": True,
            "ending": rng.choice(("close", "reset")),
        },
    ),
    "lost": (20, lambda rng, _: {"apply": rng.choice(LANDINGS), "responds": False}),
    "cut": (14, _cut),
    "failed": (
        10,
        lambda rng, _: {
            "apply": rng.choice(LANDINGS),
            "status": rng.choice(FAILURES),
            "retry_after": rng.random() < 0.3,
        },
    ),
    "limited": (4, lambda rng, _: {"apply": "never", "status": 429, "retry_after": rng.random() < 0.5}),
    "refused": (5, lambda rng, _: {"apply": "never", "status": rng.choice((*REFUSALS, 401, 401))}),
    "redirected": (3, lambda rng, _: {"apply": "never", "status": rng.choice((307, 308))}),
    "well formed": (8, lambda rng, _: {"framing": rng.choice(WELL_FORMED)}),
    "malformed": (12, lambda rng, kinds: {"framing": rng.choice(MALFORMED if kinds else MALFORMED[1:])}),
    "paced": (4, lambda rng, _: {"pace": rng.choice(("pieces", "drip"))}),
    "closed": (6, lambda rng, _: {"after": rng.choice(("close", "announce close", "announce close and stay"))}),
    "surplus": (14, lambda rng, kinds: {"after": rng.choice(kinds) if kinds else ""}),
}
"""The faults of a request: how often each is drawn, and what it changes in a plan, given the kinds of surplus bytes."""
SECOND: Final = ("well formed", "paced", "closed", "surplus")
