"""From the last outcome of a call to the error that is raised."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import urlsplit

from ..errors import (
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ConnectionLostError,
    DecodingError,
    NotFoundError,
    OutcomeUnknownError,
    PermissionDeniedError,
    PlatformError,
    RateLimitError,
    ResponseTooLargeError,
    ServerError,
    StatusError,
    TimeoutError,
    TransportError,
    UnknownAfterConnectionLostError,
    UnknownAfterServerError,
    UnknownAfterTimeoutError,
    UnprocessableEntityError,
)
from ..json_values.exact_json import is_object
from .fate import Fate, Outcome, applied, fate, unclear
from .operation import MAX_ERROR_BYTES, AttemptRecord, Call, Effect, Request, Response
from .redaction import Redactor
from .retry import retry_after

BY_STATUS: Final[dict[int, type[StatusError]]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableEntityError,
    429: RateLimitError,
}

# The subclasses for a write that may have been applied.
_UNKNOWN: Final[dict[type[PlatformError], type[PlatformError]]] = {
    TimeoutError: UnknownAfterTimeoutError,
    ConnectionLostError: UnknownAfterConnectionLostError,
    ServerError: UnknownAfterServerError,
}


def error_of(
    call: Call[Any],
    request: Request,
    outcome: Outcome,
    attempts: tuple[AttemptRecord, ...],
    *,
    doubt: bool,
    now: float,
) -> PlatformError:
    """Return the error that a call ends with.

    Args:
        call: The call.
        request: The request of the last attempt.
        outcome: The outcome of the last attempt.
        attempts: The record of each attempt.
        doubt: Whether any attempt was lost.
        now: Seconds since the epoch, to read a `Retry-After` that is a date.
    """
    operation = call.operation
    redactor = Redactor(request.headers)
    attempts = redactor.attempts(attempts)
    became = applied(fate(outcome), operation.effect, doubt=doubt)
    context: dict[str, Any] = {"operation_id": operation.id, "attempts": attempts, "applied": became}
    if isinstance(outcome, TransportError):
        kind: type[PlatformError] = type(outcome)
        message = redactor.text(str(outcome.args[0]))
    elif outcome.successful:
        context |= {
            "status": outcome.status,
            "body": b"" if operation.credential else redactor.body(outcome.body),
        }
        why_unclear = None if operation.effect == "read" else unclear(outcome, operation.accept)
        if why_unclear is not None:
            message = redactor.text(f"the response {outcome.status} was cut off, and {why_unclear}")
            return OutcomeUnknownError(message, operation_id=operation.id, attempts=attempts, applied="unknown")
        if outcome.too_large:
            return _too_large(operation.effect, request.max_response_bytes, **context)
        why = ": its body did not end within the time limit" if outcome.timed_out else ""
        return DecodingError(
            f"the response {outcome.status} was cut off after {len(outcome.body)} bytes{why}", **context
        )
    else:
        kind = status_error_class(outcome.status, operation.conflict)
        said, code = read_error_body(outcome.body)
        message = redactor.text(said or _described(request, outcome))
        context |= {
            "status": outcome.status,
            "code": redactor.text(code),
            "request_id": redactor.text(outcome.headers.get("x-request-id")),
            "retry_after": retry_after(outcome.headers, now),
            "headers": redactor.headers(outcome.headers),
        }
    if became != "unknown":
        return _caused(kind(message, **context), outcome)
    if kind in _UNKNOWN:
        return _caused(_UNKNOWN[kind](message, **context), outcome)
    # The last attempt may be clear and an earlier one not: the error of the last one alone would be misread.
    reason = f"an earlier attempt was lost, and the last one ended with {kind.__name__} ({message})"
    if fate(outcome) is Fate.LOST:
        ended = " ".join(filter(None, (kind.__name__, str(context.get("status", "")))))
        reason = f"the last response does not say whether it was applied: {ended} ({message})"
    unknown = OutcomeUnknownError(
        reason,
        operation_id=operation.id,
        attempts=attempts,
        applied=became,
    )
    unknown.__cause__ = _caused(kind(message, **context), outcome)
    return unknown


def _caused(error: PlatformError, outcome: Outcome) -> PlatformError:
    """Return the error with the exception that an event hook or a transport of the user raised as its cause."""
    if isinstance(outcome, TransportError):
        error.__cause__ = outcome.__cause__
    return error


def _too_large(effect: Effect, limit: int | None, *, status: int, **context: Any) -> ResponseTooLargeError:
    bound = "the memory that is left" if limit is None else f"max_response_bytes, {limit}"
    advice = "give the client a larger limit" if effect == "read" else "the write was applied, so do not send it again"
    message = f"the response {status} is larger than {bound}; {advice}"
    return ResponseTooLargeError(message, max_response_bytes=limit, status=status, **context)


def status_error_class(status: int, conflict: type[ConflictError] | None = None) -> type[StatusError]:
    """Return the class of the error that a status stands for.

    Args:
        status: The status.
        conflict: Meaning of a 409 of the operation; None for a plain `ConflictError`.
    """
    if status == 409 and conflict is not None:  # noqa: PLR2004  # RFC 9110, section 15.5.10
        return conflict
    if status >= 500:  # noqa: PLR2004  # RFC 9110, section 15.6
        return ServerError
    return BY_STATUS.get(status, StatusError)


def read_error_body(body: bytes) -> tuple[str | None, str | None]:
    """Return the message and the code of an error body, each None if missing, as in the HTML of a proxy."""
    if len(body) > MAX_ERROR_BYTES:  # of a transport of the user
        return None, None
    try:
        content: object = json.loads(body)
    except (ValueError, RecursionError):
        return None, None
    if not is_object(content):
        return None, None
    message, code = content.get("message"), content.get("code")
    return (
        message if isinstance(message, str) and message else None,
        code if isinstance(code, str) and code else None,
    )


def _described(request: Request, response: Response) -> str:
    """Return a message for a response whose body has none."""
    location = response.headers.get("location")
    if location is not None and 300 <= response.status < 400:  # noqa: PLR2004  # RFC 9110, section 15.4
        why = "a write is never redirected" if request.method != "GET" else "the token is for the base URL only"
        return (
            f"the service redirects {request.method} to {_redacted_target(location)}, which is not followed: {why}; correct "
            "base_url"
        )
    kind = response.headers.get("content-type", "no content type").partition(";")[0]
    cut = "" if response.complete else ", cut off"
    return f"the response has no error message ({kind}, {len(response.body)} bytes{cut})"


def _redacted_target(location: str) -> str:
    """Return the target of a redirect without its query, user name and password, which may be secret."""
    try:
        target = urlsplit(location)
    except ValueError:
        return "a location that is not a URL"
    host = target.netloc.rpartition("@")[2]
    return f"{target.scheme}://{host}" if host else target.path
