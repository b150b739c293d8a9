"""Outcomes of attempts, and settings that repeat without waiting, for tests that feed a flow."""

from __future__ import annotations

import dataclasses

from project_platform import ConnectionLostError, NotSentError, Response, RetryPolicy
from project_platform.calls.headers import Headers

DONE = Response(200, body=b"done")
BUSY = Response(503, Headers({"retry-after": "0"}))
BUSY_FOR_NOW = Response(503)
CUT = Response(200, body=b"half", complete=False)
LOST = ConnectionLostError("the connection broke")
NOT_SENT = NotSentError("no connection")


def refusal(status: int, **headers: str) -> Response:
    """Return a response of the service that carries an error body."""
    return Response(status, Headers(headers), b'{"message": "said the service"}')


def at_once(settings, **policy):
    return dataclasses.replace(settings, retry=RetryPolicy(initial_delay=0.0, **policy))
