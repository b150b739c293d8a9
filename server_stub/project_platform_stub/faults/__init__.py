"""Faults between a client and the service.

Each function returns a `Fault` to plan for an operation. A fault with `applied=False` replaces the request, so the world
does not change; a fault with `applied=True` changes or drops the response of a request that was carried out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from project_platform_stub.http.messages import Cut, Response
from project_platform_stub.http.timestamps import retry_after_header

__all__ = [
    "Fault",
    "apply_late",
    "drop_after_apply",
    "empty",
    "flaky",
    "garbage_json",
    "hang",
    "html_502",
    "latency",
    "reset",
    "reset_mid_body",
    "status",
    "truncated",
]

HANG = 30.0  # Seconds; longer than any client should wait, and short enough for a forgotten test to finish.
MAX_SECONDS = 3600.0

RetryAfterForm = Literal["seconds", "milliseconds", "date"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that one request meets. Create it with the functions of `project_platform_stub.faults`.

    Attributes:
        name: Name of the function that created it.
        applied: Whether the request is carried out before the fault replaces its response.
        status: Status of the response; None for the service's own.
        body: Body of the response; None for the service's own.
        headers: Additional headers.
        retry_after: Seconds of the `Retry-After` header.
        retry_after_form: Form of the `Retry-After` header.
        delay: Seconds before the response starts.
        cut: How the connection ends early. A cut with `after` of -1 sends half of the body.
        late: Seconds after which the request is carried out, although its client got a failure.
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
            if seconds is not None and not 0 <= seconds <= MAX_SECONDS:  # also refuses NaN
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
    message: str = "This response was planned.",
    body: str | bytes | Mapping[str, Any] | None = None,
    content_type: str = "application/json",
    retry_after: float | None = None,
    retry_after_form: RetryAfterForm = "seconds",
    applied: bool = False,
) -> Fault:
    """Return a fault that responds with a status.

    Args:
        code: The status.
        message: `message` of the error body.
        body: Response body in place of the error body: a mapping is sent as JSON, a string or bytes unchanged.
        content_type: `Content-Type` of the response.
        retry_after: Seconds of the `Retry-After` header; whole seconds unless the form is `milliseconds`.
        retry_after_form: `seconds`, `milliseconds` (`Retry-After-Ms`, as Azure and OpenAI send it), or `date`, by the
            world's clock.
        applied: Whether the request is carried out first.

    Raises:
        ValueError: The status is not from 200 to 599, `retry_after` has a fraction in another form than `milliseconds`, or an
            argument cannot be sent.
    """
    if retry_after_form not in get_args(RetryAfterForm):
        raise ValueError(f"retry_after_form is {retry_after_form!r}; it must be one of {get_args(RetryAfterForm)}")
    if not isinstance(body, str | bytes | Mapping | None):
        raise ValueError(f"body is of type {type(body).__name__}; it must be a mapping, a string or bytes")  # noqa: TRY004  # as for the others
    if not content_type.isprintable():
        raise ValueError(f"content_type is {content_type!r}; it must be printable")
    if retry_after is not None and retry_after_form != "milliseconds" and retry_after != math.floor(retry_after):
        raise ValueError(f"retry_after is {retry_after}; use whole seconds, or retry_after_form='milliseconds'")
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
    """Return a fault that carries the request out at once and delays its response."""
    return Fault("latency", applied=True, delay=seconds)


def reset(*, applied: bool = False) -> Fault:
    """Return a fault that resets the connection (RST) without a response."""
    return Fault("reset", applied, cut=Cut("reset"))


def empty(*, applied: bool = False) -> Fault:
    """Return a fault that closes the connection (FIN) without a response."""
    return Fault("empty", applied, cut=Cut("close"))


def drop_after_apply() -> Fault:
    """Return a fault that carries the request out and closes the connection without a response."""
    return Fault("drop_after_apply", applied=True, cut=Cut("close"))


def truncated(after: int | None = None) -> Fault:
    """Return a fault that closes the connection in the middle of the response body.

    Args:
        after: Bytes of the body that are sent; half of it if not given.
    """
    return Fault("truncated", applied=True, cut=Cut("close", _bytes_of(after)))


def reset_mid_body(after: int | None = None) -> Fault:
    """Return a fault that resets the connection in the middle of the response body.

    Args:
        after: Bytes of the body that are sent; half of it if not given.
    """
    return Fault("reset_mid_body", applied=True, cut=Cut("reset", _bytes_of(after)))


def _bytes_of(after: int | None) -> int:
    if after is not None and (type(after) is not int or after < 0):
        raise ValueError(f"after is {after}; it must be a number of bytes, 0 or more")
    return -1 if after is None else after


def hang(seconds: float = HANG, *, applied: bool = False) -> Fault:
    """Return a fault that sends nothing for `seconds` and then closes the connection."""
    return Fault("hang", applied, delay=seconds, cut=Cut("close"))


def apply_late(seconds: float = 1.0, *, hangs: float | None = None) -> Fault:
    """Return a fault that carries the request out after its client has seen a failure.

    Args:
        seconds: Seconds after which the request is carried out; `world.faults.land()` carries it out at once.
        hangs: Seconds without a response before the connection is closed; it is reset at once if not given.
    """
    return Fault("apply_late", delay=hangs or 0.0, cut=Cut("reset" if hangs is None else "close"), late=seconds)


def garbage_json() -> Fault:
    """Return a fault that carries the request out and responds with its status and a body that is not JSON."""
    return Fault(
        "garbage_json", applied=True, body=b'{"record": {"id": "rec_', headers={"Content-Type": "application/json"}
    )


def html_502(*, applied: bool = False) -> Fault:
    """Return a fault that responds with a 502 and an HTML page, as a proxy does when the service does not respond."""
    page = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
    return Fault("html_502", applied, status=502, body=page, headers={"Content-Type": "text/html"})


def flaky(times: int, fault: Fault | None = None) -> list[Fault]:
    """Return a list that repeats a fault, a 503 if not given, for `FaultPlans.plan`."""
    if type(times) is not int or times < 1:
        raise ValueError(f"times is {times}; it must be 1 or more")
    return [fault or status(503)] * times


def apply_fault(fault: Fault, response: Response | None, now: datetime) -> Response:
    """Return the response that the client gets; `response` is None if the request was not carried out."""
    original = response or Response(0, {}, b"")
    status = fault.status or original.status
    body = original.body if fault.body is None else fault.body
    headers = {**(original.headers if fault.body is None else {}), **fault.headers}
    if fault.retry_after is not None:
        headers |= retry_after_header(fault.retry_after_form, fault.retry_after, now)
    cut = fault.cut
    if cut is not None and cut.after is not None:
        cut = Cut(cut.how, len(body) // 2 if cut.after < 0 else min(cut.after, len(body)))
    return Response(status, headers, body, fault.delay, cut)
