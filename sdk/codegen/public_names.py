"""The public names of the SDK, by the module that defines them. This is the only list of them that is written by hand.

`project_platform/__init__.py` is generated from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PUBLIC: Final[Mapping[str, tuple[str, ...]]] = {
    "bulk.report": ("BulkOutcome", "BulkReport", "BulkRow"),
    "bulk.tasks": ("AsyncBulk", "AsyncBulkStream"),
    "bulk.threads": ("Bulk",),
    "calls.auth": ("TokenEndpoint", "TokenProvider"),
    "calls.capabilities": ("Capabilities",),
    "calls.configuration": ("Options",),
    "calls.headers": ("Headers",),
    "calls.operation": (
        "Answer",
        "AttemptRecord",
        "Call",
        "Operation",
        "Request",
        "Response",
        "Timeout",
        "UNSET",
        "Unset",
    ),
    "calls.pagination": ("AsyncPager", "Page", "Pager"),
    "calls.retry": ("RetryPolicy",),
    "client": ("AsyncClient", "AsyncProject", "Client", "Project"),
    "errors": (
        "AuthenticationError",
        "BadRequestError",
        "BulkStoppedError",
        "ConflictError",
        "ConnectionLostError",
        "DecodingError",
        "FieldMissingError",
        "GuardNeverHoldsError",
        "InexpressibleChangeError",
        "InputChangedError",
        "JournalError",
        "JournalInUseError",
        "MergeMismatchError",
        "NotFoundError",
        "NotSentError",
        "OutcomeUnknownError",
        "PaginationStalledError",
        "PermissionDeniedError",
        "PlatformError",
        "RateLimitError",
        "ResponseTooLargeError",
        "ServerError",
        "SlotTakenError",
        "StalePreconditionError",
        "StatusError",
        "TimeoutError",
        "TransportError",
        "UnprocessableEntityError",
        "UnsuccessfulError",
        "UsageError",
        "WeakGuardError",
    ),
    "labels.sheet": ("AsyncLabelStream", "LabelSheet", "LabelStream", "LabelSummary"),
    "records.change": ("Change", "DELETE"),
    "records.conflict": ("ConflictReport", "KeyConflict"),
    "records.draft": ("Draft",),
    "records.operation_tokens": ("OperationTokens",),
    "records.options": ("ChangeOptions",),
    "records.settle": ("ChangeResult",),
    "transports.transport": ("AsyncTransport", "Transport"),
}
