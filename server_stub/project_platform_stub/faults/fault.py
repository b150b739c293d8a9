"""Faults: the ways in which a call can go wrong between a client and the service.

Each function returns a `Fault`, to be planned for an operation. Faults before the service does anything (`applied` is
False) leave the world as it was; the others happen to the answer of a request that was carried out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from project_platform_stub.http.messages import Cut

HANG = 30.0  # Seconds; longer than any client should wait, and short enough for a forgotten test to end.
MAX_SECONDS = 3600.0

RetryAfterForm = Literal["seconds", "milliseconds", "date"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong; the functions of `project_platform_stub.faults.fault` make it.

    Attributes:
        name: What it is called.
        applied: Whether the request is carried out before the fault happens to its answer.
        status: Status that is answered instead; None for the service's own.
        body: Body that is answered instead; None for the service's own.
        headers: Headers beside the usual ones.
        retry_after: Seconds after which to come again, as `Retry-After` says.
        retry_after_form: How it says so.
        delay: Seconds until anything is sent.
        cut: How the connection ends early. A cut with `after` of -1 sends half of the body.
        late: Seconds after which the request is carried out, when its client has long been told something else.
    """

    name: str
    applied: bool = False
    status: int | None = None
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    retry_after: float | None = None
    retry_after_form: RetryAfterForm = "seconds"
    delay: float = 0.0
    cut: Cut | None = None
    late: float | None = None

    def __post_init__(self) -> None:
        for name in ("delay", "late", "retry_after"):
            seconds = getattr(self, name)
            if seconds is not None and not 0 <= seconds <= MAX_SECONDS:  # NaN is none of these either
                raise ValueError(f"{name} is {seconds}; it must be from 0 to {MAX_SECONDS:g} seconds")
        if self.status is not None and not 200 <= self.status <= 599:  # noqa: PLR2004  # the range of final statuses
            raise ValueError(f"status is {self.status}; it must be from 200 to 599")

    def __str__(self) -> str:
        words = [self.name]
        if self.status is not None:
            words.append(str(self.status))
        if self.retry_after is not None:
            words.append(f"Retry-After {self.retry_after:g} s")
        if self.applied and self.name in {"status", "html_502", "reset", "empty", "hang"}:
            words.append("after it was applied")
        if self.late is not None:
            words.append(f"by {self.late:g} s")
        return " ".join(words)


def status(
    code: int,
    *,
    message: str = "This answer was planned.",
    body: str | bytes | Mapping[str, Any] | None = None,
    content_type: str = "application/json",
    retry_after: float | None = None,
    retry_after_form: RetryAfterForm = "seconds",
    applied: bool = False,
) -> Fault:
    """Return a fault that answers with a status.

    Args:
        code: The status.
        message: Message of the error body.
        body: Body to answer instead: JSON, or text or bytes as they are.
        content_type: Content type of the answer.
        retry_after: Seconds after which to come again. Whole seconds as `Retry-After: 2`, others need another form.
        retry_after_form: `seconds`, `milliseconds` (`Retry-After-Ms`, as Azure and OpenAI send it), or `date`, by the
            world's clock.
        applied: Whether the request is carried out first.

    Raises:
        ValueError: The status is not from 200 to 599, or the seconds are not whole in the form `seconds`.
    """
    if retry_after is not None and retry_after_form != "milliseconds" and retry_after != math.floor(retry_after):
        raise ValueError(f"retry_after is {retry_after}; only the form 'milliseconds' can say parts of a second")
    if body is None:
        body = {"message": message, "code": "planned_fault"}
    if isinstance(body, Mapping):
        body = json.dumps(body)
    return Fault(
        "status",
        applied,
        status=code,
        body=body.encode() if isinstance(body, str) else body,
        headers={"Content-Type": content_type},
        retry_after=retry_after,
        retry_after_form=retry_after_form,
    )


def latency(seconds: float) -> Fault:
    """Return a fault that carries the request out at once and answers so many seconds later."""
    return Fault("latency", applied=True, delay=seconds)


def reset(*, applied: bool = False) -> Fault:
    """Return a fault that resets the connection (RST) before any answer."""
    return Fault("reset", applied, cut=Cut("reset"))


def empty(*, applied: bool = False) -> Fault:
    """Return a fault that closes the connection (FIN) before any answer."""
    return Fault("empty", applied, cut=Cut("close"))


def drop_after_apply() -> Fault:
    """Return a fault that carries the request out and closes the connection instead of answering."""
    return Fault("drop_after_apply", applied=True, cut=Cut("close"))


def truncated(after: int | None = None) -> Fault:
    """Return a fault that closes the connection in the middle of the answer's body.

    Args:
        after: Bytes of the body that arrive; half of it if not given.
    """
    return Fault("truncated", applied=True, cut=Cut("close", -1 if after is None else after))


def reset_mid_body(after: int | None = None) -> Fault:
    """Return a fault that resets the connection in the middle of the answer's body.

    Args:
        after: Bytes of the body that arrive; half of it if not given.
    """
    return Fault("reset_mid_body", applied=True, cut=Cut("reset", -1 if after is None else after))


def hang(seconds: float = HANG, *, applied: bool = False) -> Fault:
    """Return a fault that answers nothing for so many seconds, half a minute if not given, and then closes the connection."""
    return Fault("hang", applied, delay=seconds, cut=Cut("close"))


def apply_late(seconds: float = 1.0, *, hangs: float | None = None) -> Fault:
    """Return a fault that carries the request out when its client has given up.

    Args:
        seconds: Seconds after which the request is carried out. `world.faults.land()` does so at once.
        hangs: Seconds for which the client is left waiting; if not given its connection is reset at once.
    """
    return Fault("apply_late", delay=hangs or 0.0, cut=Cut("reset" if hangs is None else "close"), late=seconds)


def garbage_json() -> Fault:
    """Return a fault that carries the request out and answers with the service's status and a body that is no JSON."""
    return Fault(
        "garbage_json", applied=True, body=b'{"record": {"id": "rec_', headers={"Content-Type": "application/json"}
    )


def html_502(*, applied: bool = False) -> Fault:
    """Return a fault that answers with a 502 and a page, as a proxy does that gets no answer from the service."""
    page = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
    return Fault("html_502", applied, status=502, body=page, headers={"Content-Type": "text/html"})


def flaky(times: int, fault: Fault | None = None) -> list[Fault]:
    """Return a list with a fault so many times over, to be planned as it is; the fault is a 503 if not given."""
    return [fault or status(503)] * times
