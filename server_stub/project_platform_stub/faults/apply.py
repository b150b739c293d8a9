"""The application of a fault to a response."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import format_datetime

from project_platform_stub.http.messages import Cut, Response

from .fault import Fault


def apply_fault(fault: Fault, response: Response | None, now: datetime) -> Response:
    """Return the response that the client gets.

    Args:
        fault: The fault that the request meets.
        response: The response of the service; None if the request was not carried out.
        now: The time by the world's clock.
    """
    original = response or Response(0, {}, b"")
    status = fault.status or original.status
    body = original.body if fault.body is None else fault.body
    headers = {**(original.headers if fault.body is None else {}), **fault.headers, **_retry_after(fault, now)}
    cut = fault.cut
    if cut is not None and cut.after is not None:
        cut = Cut(cut.how, len(body) // 2 if cut.after < 0 else min(cut.after, len(body)))
    return Response(status, headers, body, fault.delay, cut)


def _retry_after(fault: Fault, now: datetime) -> dict[str, str]:
    seconds = fault.retry_after
    if seconds is None:
        return {}
    if fault.retry_after_form == "milliseconds":
        return {"Retry-After-Ms": f"{seconds * 1000:.0f}"}
    if fault.retry_after_form == "date":
        # RFC 9110 section 10.2.3: an HTTP date has whole seconds; rounding up never shortens the wait.
        at = now + timedelta(seconds=seconds)
        whole = at.replace(microsecond=0) + timedelta(seconds=bool(at.microsecond))
        return {"Retry-After": format_datetime(whole, usegmt=True)}
    return {"Retry-After": f"{seconds:.0f}"}
