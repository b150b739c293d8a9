"""The errors of the SDK.

PlatformError                       operation_id, attempts, applied
├── TransportError                  no response
│   ├── NotSentError                the request was not sent
│   ├── TimeoutError                the request may have arrived; also the built-in TimeoutError
│   └── ConnectionLostError         the request may have arrived; also a built-in ConnectionError
├── StatusError                     status, message, code, request_id, retry_after, headers (redacted)
│   ├── BadRequestError             400
│   ├── AuthenticationError         401
│   ├── PermissionDeniedError       403
│   ├── NotFoundError               404
│   ├── ConflictError               409
│   │   ├── StalePreconditionError  record update: the guard or the expected status was stale
│   │   └── SlotTakenError          booking, move: the slot is taken
│   ├── UnprocessableEntityError    422
│   ├── RateLimitError              429
│   └── ServerError                 5xx
├── InDoubtError                    a write of which it is not known whether it was applied; `client.settle` takes it
│   ├── OutcomeUnknownError         a response was lost; after a timeout, a lost connection or a 5xx also a TimeoutError,
│   │                               ConnectionLostError or ServerError
│   └── UnsuccessfulError           a 2xx whose body says `success: false`
├── DecodingError                   a 2xx whose body does not fit or was cut off; applied is "yes"
│   └── ResponseTooLargeError       a 2xx whose body is larger than `max_response_bytes`; applied is "yes"
├── PaginationStalledError          a page without new items that says there are more, or not the requested one
├── DataMismatchError               the data of a record does not fit the class of `records.of`
├── MergeMismatchError              a record that differs from the prediction; the service merges in another way
├── GuardNeverHoldsError            the service refuses a guard that its own record meets
├── BulkStoppedError                the first rows of a bulk run all failed, or its last ones in the same way
├── BulkWorkerError                 a worker of a bulk run on several machines cannot send
├── JournalError                    the journal of a bulk run cannot be read or written
│   └── JournalInUseError           another run uses it
└── UsageError (also a ValueError)  refused before anything was sent
    ├── InputChangedError           the input or the service of a bulk run is not the one of its journal
    ├── InexpressibleChangeError    no update makes this change, or not independently of how the service merges
    └── WeakGuardError              a guard that is not exact, with `guard="exact"`
FieldMissingError (an AttributeError) a field of a model that the response lacks; not a PlatformError, since no call failed

They pickle and copy with all their attributes. None has a token, a session credential or another value of eight characters
or more that the call sent in a header, even if the service repeats it: such values are replaced by `[redacted]`. Values of
header fields of the response are redacted unless they are known to be harmless. Messages never have a body.
"""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING, Any, Final

from .calls.headers import Headers
from .masking import printable, without_credentials

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._generated.models.records import ObjectRecord
    from .calls.operation import Applied, AttemptRecord, Call
    from .records.change import Change
    from .records.conflict import ConflictReport

_MAX_BODY: Final = 64 * 1024  # bytes
# A JSON Web Token (RFC 7519) that a service or a library quotes.
_JWT: Final = re.compile(rb"eyJ[\w-]+\.[\w-]*\.[\w-]*")


def _rebuild(cls: type[PlatformError], args: tuple[Any, ...], state: dict[str, Any]) -> PlatformError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class PlatformError(Exception):
    """Base class of the errors of the SDK.

    Attributes:
        operation_id: The operation that was called, such as `records_update`; None outside of a call.
        attempts: The record of each attempt, first to last.
        applied: Whether the write was applied: "yes", "no", "in effect" or "unknown". "no" for an operation that only
            reads, unless the response was a 2xx. "unknown" does not mean failed; an `InDoubtError` says what to do.
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
        super().__init__(printable(without_credentials(message)))
        self.operation_id = operation_id
        self.attempts = attempts
        self.applied = applied

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)

    def _render_traceback_(self) -> list[str]:  # IPython shows it in place of the whole traceback
        from .short_traceback import short_traceback

        return short_traceback(self)

    def __str__(self) -> str:
        text = str(self.args[0])
        if self.operation_id is None:
            return text
        details = [f"applied: {self.applied}"]
        if len(self.attempts) > 1:
            details.append(f"{len(self.attempts)} attempts")
        return f"{self.operation_id}: {text} ({', '.join(details)})"


class UsageError(PlatformError, ValueError):
    """The call was refused before anything was sent; the message names the argument and what to give instead.

    Where `applied` is not "no", the value of a write that was settled cannot be shown, and the write is in effect.
    """


class InputChangedError(UsageError):
    """The input of a bulk run, its service or its project is not the one that its journal was begun with.

    Attributes:
        row: Position of the first row that differs, from 0; None if it is not a row that differs.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class InexpressibleChangeError(UsageError):
    """No update makes this change, or none that means the same however the service merges data.

    Attributes:
        key: The path of the value that cannot be written.
    """

    def __init__(self, message: str, *, key: str) -> None:
        super().__init__(message)
        self.key = key


class WeakGuardError(UsageError):
    """The guard does not require the exact old value of every touched path, and `guard` is "exact".

    Attributes:
        paths: The strength of the guard, by path, where it is not exact.
    """

    def __init__(self, message: str, *, paths: Mapping[str, str]) -> None:
        super().__init__(message)
        self.paths: dict[str, str] = dict(paths)


class FieldMissingError(AttributeError):
    """The response lacked a field that responses are expected to have, or had null there. The call itself was successful.

    It is raised by the access to the field, not by the call, and is no `PlatformError`: a model does not know which call
    it is from, so there is nothing to say in `applied`. Where the field may be missing, use `getattr(record, "data", None)`.

    Attributes:
        model: Name of the model, such as `ObjectRecord`.
        field: Name of the field in Python.
        wire_name: Name of the field in the response.
    """

    def __init__(self, model: str, field: str, wire_name: str) -> None:
        super().__init__(
            f"{model}.{field} is missing: the response has no {wire_name!r}, or has null there; "
            f"where that may happen, use getattr(value, {field!r}, None)"
        )
        self.model = model
        self.field = field
        self.wire_name = wire_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model, self.field, self.wire_name)


class TransportError(PlatformError):
    """There was no response."""


class NotSentError(TransportError):
    """The request was not sent: there was no connection, no token, or no time left."""


class TimeoutError(TransportError, builtins.TimeoutError):
    """There was no response in time. The request may have arrived.

    It is the built-in `TimeoutError` as well, and so an `OSError`, whose `errno` and `filename` are None.
    """


class ConnectionLostError(TransportError, ConnectionError):
    """The connection broke before there was a response. The request may have arrived.

    It is a built-in `ConnectionError` as well, and so an `OSError`, whose `errno` and `filename` are None.
    """


class StatusError(PlatformError):
    """The service responded with an error, or with a redirect that is not followed.

    Attributes:
        status: The HTTP status.
        message: The message of the service, or a description of the response if its body has none.
        code: The machine-readable code of the error, or None; the values are not documented.
        request_id: The identifier of the request (`X-Request-Id`), or None.
        retry_after: Number of seconds that the service asks to wait, or None.
        headers: The header fields of the response; values that may contain a secret are redacted.
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
        self.code: str | None = None if code is None else printable(code)
        self.request_id: str | None = None if request_id is None else printable(request_id)
        self.retry_after = retry_after
        self.headers: Headers = headers.redacted() if headers is not None else Headers()

    def __str__(self) -> str:
        code = f" [{self.code}]" if self.code else ""
        request = f" (request {self.request_id})" if self.request_id else ""
        wait = f" (retry after {self.retry_after:g} s)" if self.retry_after else ""
        return f"{self.status}{code} {super().__str__()}{request}{wait}"


class BadRequestError(StatusError):
    """400: the request is invalid; the message names the field."""


class AuthenticationError(StatusError):
    """401: the token is missing, malformed, expired, or not signed by a key of the service."""


class PermissionDeniedError(StatusError):
    """403: the caller lacks the permission or the kind of identity that the operation needs."""


class NotFoundError(StatusError):
    """404: the project has no such resource."""


class ConflictError(StatusError):
    """409: the request conflicts with the state of the service."""


class StalePreconditionError(ConflictError):
    """409 on a record update: the expected data or the expected status was stale; the record is unchanged.

    Attributes:
        change: The `Change` that was refused; None for a plain update.
        report: A comparison of the change with those of others, if the record was read again; None otherwise.
    """

    change: Change | None = None
    report: ConflictReport | None = None


class SlotTakenError(ConflictError):
    """409 on a booking, or on a move of one: the slot is taken; nothing was booked or moved."""


class UnprocessableEntityError(StatusError):
    """422: the request is well formed and cannot be processed."""


class RateLimitError(StatusError):
    """429: too many requests."""


class ServerError(StatusError):
    """5xx: the service failed. A write may have been applied: see `applied`."""


class InDoubtError(PlatformError):
    """Base class of the errors of a write of which it is not known whether it was applied; `client.settle` takes them.

    An `UnsuccessfulError` of a read is one, too; its `applied` is "no", and there is nothing to settle.

    They pickle, so that another process can settle them. The pickle has the body of the request, and no token or header.

    Attributes:
        call: The call that may have been applied; None if the error is not of a call.
        base_url: URL of the deployment that the call was sent to; only its clients settle the error.
        advice: The next step: "call client.settle(error)", or what a person has to look at. The message ends with it.
    """

    call: Call[Any] | None = None
    base_url: str | None = None
    advice: str | None = None

    def __str__(self) -> str:
        text = super().__str__()
        return text if self.advice is None else f"{text}; {self.advice}"


class OutcomeUnknownError(InDoubtError):
    """A write that may or may not have been applied: a response was lost, or is not that of the service.

    If the call ended with a timeout, a lost connection or a 5xx, the error is also a `TimeoutError`, a
    `ConnectionLostError` or a `ServerError`. It is never a `ConflictError`: a conflict after a lost response may be caused
    by the call's own write. The error of the last attempt is then the cause (`__cause__`).

    Attributes:
        change: The `Change` that may have been applied; None for other writes.
        seen: The record, memory entry or event as `client.settle` saw it, or another record that was in the response; None if
            there was neither.
    """

    change: Change | None = None
    seen: Any = None


class UnknownAfterTimeoutError(OutcomeUnknownError, TimeoutError):
    """There was no response to a write in time."""


class UnknownAfterConnectionLostError(OutcomeUnknownError, ConnectionLostError):
    """The connection broke before there was a response to a write."""


class UnknownAfterServerError(OutcomeUnknownError, ServerError):
    """The service failed while it processed a write."""


class UnsuccessfulError(InDoubtError):
    """The service responded with 2xx and `success: false`. It is not known how much of a write it applied.

    Attributes:
        status: The HTTP status, a 2xx.
        message: The `message` or `error` of the body, if it has one.
    """

    def __init__(self, message: str, *, status: int, **context: Any) -> None:
        super().__init__(message, **context)
        self.status = status
        self.message: str = self.args[0]


class DecodingError(PlatformError):
    """The service responded with 2xx, and the body does not fit the contract or was cut off. The write was applied.

    Attributes:
        status: The HTTP status, a 2xx.
        body: The first 64 KiB of the body, with credentials redacted; empty if it should have been a token. It is never part
            of the message.
    """

    def __init__(self, message: str, *, status: int, body: bytes, **context: Any) -> None:
        super().__init__(message, **context)
        self.status = status
        self.body: bytes = _JWT.sub(b"[redacted]", body[:_MAX_BODY])[:_MAX_BODY]


class ResponseTooLargeError(DecodingError):
    """The service responded with 2xx, and the body is larger than the client's `max_response_bytes`. The write was applied.

    The size counts as received and as decompressed. `body` has the first 64 KiB at most.

    Attributes:
        max_response_bytes: The limit that was exceeded, in bytes; None if it was the memory that was not enough.
    """

    def __init__(self, message: str, *, max_response_bytes: int | None, **context: Any) -> None:
        super().__init__(message, **context)
        self.max_response_bytes = max_response_bytes


class MergeMismatchError(PlatformError):
    """The update was applied, and the record differs from the prediction: the service merges in another way.

    Attributes:
        change: The change that was applied.
        record: The record as the service returned it.
    """

    def __init__(self, message: str, *, change: Change, record: ObjectRecord, **context: Any) -> None:
        super().__init__(message, **context)
        self.change: Change = change
        self.record: ObjectRecord = record


class DataMismatchError(PlatformError):
    """The data of a record does not fit the class of `records.of`; `applied` is the verdict of the write that returned it.

    The access to `Record.data` raises it, not the write: a write that was applied returns its record.

    Attributes:
        record: The record as the service returned it.
        problems: Each place that does not fit, and how, without its value.
    """

    def __init__(self, message: str, *, record: ObjectRecord, problems: tuple[str, ...], **context: Any) -> None:
        super().__init__(message, **context)
        self.record: ObjectRecord = record
        self.problems = problems


class GuardNeverHoldsError(PlatformError):
    """The service refused the guard as stale, and the record that it returned meets the guard: do not try again.

    Attributes:
        change: The change that was refused.
        record: The record that meets its guard.
    """

    def __init__(self, message: str, *, change: Change, record: ObjectRecord, **context: Any) -> None:
        super().__init__(message, **context)
        self.change: Change = change
        self.record: ObjectRecord = record


class PaginationStalledError(PlatformError):
    """A list cannot be continued: a page says that there are more items and has no new ones, or it is not the requested one.

    Attributes:
        cursor: The offset of the page after the last one that was read.
    """

    def __init__(self, message: str, *, cursor: int, **context: Any) -> None:
        super().__init__(message, **context)
        self.cursor = cursor


class BulkStoppedError(PlatformError):
    """The first rows of a bulk run all failed, or its last ones in the same way, so it was stopped. The last error is the cause.

    The rows are in the journal; with `retry_failed=True` those that were not applied are sent again.

    Attributes:
        failed: Number of rows that ended with an error.
    """

    def __init__(self, message: str, *, failed: int) -> None:
        super().__init__(message)
        self.failed = failed


class BulkWorkerError(PlatformError):
    """A worker of a bulk run cannot send: it has no client, does not see the claims, or its executor failed.

    The rows that were not sent are waiting: the same code continues.
    """


class JournalError(PlatformError):
    """The journal of a bulk run cannot be read or written. No row was sent that is not in it."""


class JournalInUseError(JournalError):
    """Another run uses the journal."""
