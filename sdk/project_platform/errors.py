"""Everything the SDK raises.

PlatformError                       operation_id, attempts, applied
├── TransportError                  no answer
│   ├── NotSentError                the request surely did not leave
│   ├── TimeoutError                it may have arrived; also the built-in TimeoutError
│   └── ConnectionLostError         it may have arrived; also a built-in ConnectionError
├── StatusError                     status, message, code, request_id, retry_after, headers (redacted)
│   ├── BadRequestError             400
│   ├── AuthenticationError         401
│   ├── PermissionDeniedError       403
│   ├── NotFoundError               404
│   ├── ConflictError               409
│   │   ├── StalePreconditionError  record update: the guard or the expected status was stale
│   │   └── SlotTakenError          booking: the slot was taken
│   ├── UnprocessableEntityError    422
│   ├── RateLimitError              429
│   └── ServerError                 5xx
├── OutcomeUnknownError             a write that may or may not have been applied; where it ended in a timeout, a lost
│                                   connection or a 5xx it is a TimeoutError, ConnectionLostError or ServerError too
├── UnsuccessfulError               a 2xx whose body says `success: false`
├── DecodingError                   a 2xx whose body does not fit or was cut off; applied is "yes"
├── PaginationStalledError          a page that promises more and brings nothing new
├── MergeMismatchError              a record that is not as its change makes it; the service merges in another way
├── GuardNeverHoldsError            the service refuses a guard that its own record meets
└── UsageError (also a ValueError)  refused before anything was sent
    ├── InexpressibleChangeError    no update says this, or none that means the same however the service merges
    └── WeakGuardError              a guard that does not hold every touched path exactly, where that was asked for
FieldMissingError (an AttributeError) a field of a model that the answer lacked; not a PlatformError, as it ends no call

All of them pickle and copy with everything they carry. None shows a token, a body, or a header that may hold either.
"""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING, Any, Final

from .calls.headers import Headers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._generated.models.object_record import ObjectRecord
    from .calls.operation import Applied, AttemptRecord
    from .records.change import Change
    from .records.conflict import ConflictReport

# A JSON Web Token (RFC 7519) or a bearer credential (RFC 6750) that a service or a library repeats in a message.
_CREDENTIAL: Final = re.compile(r"\beyJ[\w-]+\.[\w-]*\.[\w-]*|(?<=bearer )\S+", re.IGNORECASE)


def _without_credentials(text: str) -> str:
    return _CREDENTIAL.sub("[redacted]", text)


def _rebuild(cls: type[PlatformError], args: tuple[Any, ...], state: dict[str, Any]) -> PlatformError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class PlatformError(Exception):
    """Base of every error of the SDK.

    Attributes:
        operation_id: The operation that was called, such as `records_update`; None outside of a call.
        attempts: What became of each attempt, first to last.
        applied: What became of the write: "yes", "no", "in effect" or "unknown". "no" for an operation that only reads.
            "unknown" is not a failure: look at the state before repeating the call.
    """

    operation_id: str | None
    attempts: tuple[AttemptRecord, ...]
    applied: Applied

    def __init__(
        self,
        message: str,
        *,
        operation_id: str | None = None,
        attempts: tuple[AttemptRecord, ...] = (),
        applied: Applied = "no",
    ) -> None:
        super().__init__(_without_credentials(message))
        self.operation_id = operation_id
        self.attempts = attempts
        self.applied = applied

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        text = str(self.args[0])
        if self.operation_id is None:
            return text
        told = [f"applied: {self.applied}"]
        if len(self.attempts) > 1:
            told.append(f"{len(self.attempts)} attempts")
        return f"{self.operation_id}: {text} ({', '.join(told)})"


class UsageError(PlatformError, ValueError):
    """The call was refused before anything was sent; the message names the argument and the way out."""


class InexpressibleChangeError(UsageError):
    """No update makes this change, or none that means the same however the service merges.

    Attributes:
        key: The path of the value that cannot be written.
    """

    def __init__(self, message: str, *, key: str) -> None:
        super().__init__(message)
        self.key = key


class WeakGuardError(UsageError):
    """The guard does not hold every touched path to its old value exactly, and `strict=True` asked for that.

    Attributes:
        paths: The strength of the guard for each path where it is not exact.
    """

    def __init__(self, message: str, *, paths: Mapping[str, str]) -> None:
        super().__init__(message)
        self.paths: dict[str, str] = dict(paths)


class FieldMissingError(AttributeError):
    """The answer lacked a field that answers are expected to have, or had null there. The call itself was successful.

    It is raised by the access to the field, not by the call, and is no `PlatformError`: a model does not know which call
    it is from, so there is nothing to say in `applied`. Where the field may be missing, use `getattr(record, "data", None)`.

    Attributes:
        model: Name of the model, such as `ObjectRecord`.
        field: Name of the field in Python.
        wire_name: Name of the field in the answer.
    """

    def __init__(self, model: str, field: str, wire_name: str) -> None:
        super().__init__(
            f"{model}.{field} is missing: the answer has no {wire_name!r}, or has null there; "
            f"where that may happen, use getattr(value, {field!r}, None)"
        )
        self.model = model
        self.field = field
        self.wire_name = wire_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model, self.field, self.wire_name)


class TransportError(PlatformError):
    """There was no answer."""


class NotSentError(TransportError):
    """The request surely did not leave: there was no connection to send it on."""


class TimeoutError(TransportError, builtins.TimeoutError):
    """There was no answer in time. The request may have arrived.

    It is the built-in `TimeoutError` as well, and so an `OSError`, whose `errno` and `filename` are None.
    """


class ConnectionLostError(TransportError, ConnectionError):
    """The connection broke before there was an answer. The request may have arrived.

    It is a built-in `ConnectionError` as well, and so an `OSError`, whose `errno` and `filename` are None.
    """


class StatusError(PlatformError):
    """The service answered with an error, or with a redirect that is not followed.

    Attributes:
        status: The HTTP status.
        message: What the service said, or what is known when the body was not an error body.
        code: The service's code for programs, if it gave one; the values are not documented.
        request_id: The service's name for the request (`X-Request-Id`), if it gave one.
        retry_after: Seconds that the service asked to wait, if it did.
        headers: The answer's headers; values that may hold a secret are redacted.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        headers: Headers | None = None,
        operation_id: str | None = None,
        attempts: tuple[AttemptRecord, ...] = (),
        applied: Applied = "no",
    ) -> None:
        super().__init__(message, operation_id=operation_id, attempts=attempts, applied=applied)
        self.status = status
        self.message: str = self.args[0]
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after
        self.headers: Headers = headers.redacted() if headers is not None else Headers()

    def __str__(self) -> str:
        code = f" [{self.code}]" if self.code else ""
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status}{code} {super().__str__()}{request}"


class BadRequestError(StatusError):
    """400: the request does not fit; the message names the field."""


class AuthenticationError(StatusError):
    """401: the token is missing, malformed, expired, or not signed by a key of the service."""


class PermissionDeniedError(StatusError):
    """403: the caller lacks the permission or the kind of identity that the operation needs."""


class NotFoundError(StatusError):
    """404: there is no such thing in the project."""


class ConflictError(StatusError):
    """409: the request conflicts with the state of the service."""


class StalePreconditionError(ConflictError):
    """409 on a record update: the expected data or the expected status was stale; the record is unchanged.

    Attributes:
        change: The `Change` that was refused; None for a plain update.
        report: How the change and those of others meet, where the record was read again; None otherwise.
    """

    change: Change | None = None
    report: ConflictReport | None = None


class SlotTakenError(ConflictError):
    """409 on a booking: the slot was taken; nothing was booked."""


class UnprocessableEntityError(StatusError):
    """422: the request is well formed and cannot be carried out."""


class RateLimitError(StatusError):
    """429: too many requests."""


class ServerError(StatusError):
    """5xx: the service failed. A write may have been applied all the same: see `applied`."""


class OutcomeUnknownError(PlatformError):
    """A write that may or may not have been applied: an answer was lost. Look before you repeat it.

    Where the call ended in a timeout, a lost connection or a 5xx, the error is a `TimeoutError`, a
    `ConnectionLostError` or a `ServerError` as well. It is never a `ConflictError`: a conflict that is met after a lost
    answer may be the doing of the caller's own write. The error that the last attempt ended with is then the cause
    (`__cause__`).

    Attributes:
        change: The `Change` whose fate is open; None for other writes.
        seen: The record as a probe found it after the answer was lost; None if nothing was seen.
    """

    change: Change | None = None
    seen: ObjectRecord | None = None


class UnknownAfterTimeoutError(OutcomeUnknownError, TimeoutError):
    """The answer to a write did not come in time."""


class UnknownAfterConnectionLostError(OutcomeUnknownError, ConnectionLostError):
    """The connection broke before the answer to a write came."""


class UnknownAfterServerError(OutcomeUnknownError, ServerError):
    """The service failed while it dealt with a write."""


class UnsuccessfulError(PlatformError):
    """The service answered 2xx and `success: false`. What it did before it failed is not known.

    Attributes:
        status: The HTTP status, a 2xx.
        message: The `message` or `error` of the body, if it has one.
    """

    def __init__(self, message: str, *, status: int, **context: Any) -> None:
        super().__init__(message, **context)
        self.status = status
        self.message: str = self.args[0]


class DecodingError(PlatformError):
    """The service answered 2xx, and the body does not fit the contract or was cut off. The call was carried out.

    Attributes:
        status: The HTTP status, a 2xx.
        body: The body as it came. It is never part of the message.
    """

    def __init__(self, message: str, *, status: int, body: bytes, **context: Any) -> None:
        super().__init__(message, **context)
        self.status = status
        self.body = body


class MergeMismatchError(PlatformError):
    """The update was applied, and the record is not as the change makes it: the service merges in another way.

    Attributes:
        change: The change that was applied.
        record: The record as the service returned it.
    """

    def __init__(self, message: str, *, change: Change, record: ObjectRecord, **context: Any) -> None:
        super().__init__(message, **context)
        self.change: Change = change
        self.record: ObjectRecord = record


class GuardNeverHoldsError(PlatformError):
    """The service refused the guard as stale, and the record that it returned meets the guard: trying on is no use.

    Attributes:
        change: The change that was refused.
        record: The record that meets its guard.
    """

    def __init__(self, message: str, *, change: Change, record: ObjectRecord, **context: Any) -> None:
        super().__init__(message, **context)
        self.change: Change = change
        self.record: ObjectRecord = record


class PaginationStalledError(PlatformError):
    """A page said that there is more and brought nothing new; asking again would never end.

    Attributes:
        cursor: The offset of the page that would have been next.
    """

    def __init__(self, message: str, *, cursor: int, **context: Any) -> None:
        super().__init__(message, **context)
        self.cursor = cursor
