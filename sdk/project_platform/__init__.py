"""Typed Python SDK for the Project Platform API. Every error says whether the write was applied.

Generated from openapi.yaml by `python -m codegen`. Do not edit.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bulk as bulk
    from . import errors as errors
    from . import frames as frames
    from . import models as models
    from . import operations as operations
    from .bulk.journal import BulkRow as BulkRow
    from .bulk.report import BulkOutcome as BulkOutcome
    from .bulk.report import BulkReport as BulkReport
    from .bulk.run import Bulk as Bulk
    from .bulk.tasks import AsyncBulk as AsyncBulk
    from .bulk.tasks import AsyncBulkStream as AsyncBulkStream
    from .calls.auth import TokenEndpoint as TokenEndpoint
    from .calls.auth import TokenProvider as TokenProvider
    from .calls.capabilities import Capabilities as Capabilities
    from .calls.configuration import Options as Options
    from .calls.events import AttemptEnded as AttemptEnded
    from .calls.events import AttemptStarted as AttemptStarted
    from .calls.events import CallContext as CallContext
    from .calls.events import CallEnded as CallEnded
    from .calls.events import CallStarted as CallStarted
    from .calls.events import Event as Event
    from .calls.events import EventListener as EventListener
    from .calls.events import RowEnded as RowEnded
    from .calls.events import Settled as Settled
    from .calls.events import TokenFetched as TokenFetched
    from .calls.events import Waiting as Waiting
    from .calls.headers import Headers as Headers
    from .calls.listing import Listing as Listing
    from .calls.operation import UNSET as UNSET
    from .calls.operation import AttemptRecord as AttemptRecord
    from .calls.operation import Call as Call
    from .calls.operation import Operation as Operation
    from .calls.operation import Request as Request
    from .calls.operation import Response as Response
    from .calls.operation import Timeout as Timeout
    from .calls.operation import TypedResponse as TypedResponse
    from .calls.operation import Unset as Unset
    from .calls.page import Page as Page
    from .calls.pagination import AsyncPager as AsyncPager
    from .calls.pagination import Pager as Pager
    from .calls.retry import RetryPolicy as RetryPolicy
    from .client import AsyncClient as AsyncClient
    from .client import AsyncProject as AsyncProject
    from .client import Client as Client
    from .client import Project as Project
    from .display.pictures import PagePicture as PagePicture
    from .errors import AuthenticationError as AuthenticationError
    from .errors import BadRequestError as BadRequestError
    from .errors import BulkStoppedError as BulkStoppedError
    from .errors import BulkWorkerError as BulkWorkerError
    from .errors import ConflictError as ConflictError
    from .errors import ConnectionLostError as ConnectionLostError
    from .errors import DataMismatchError as DataMismatchError
    from .errors import DecodingError as DecodingError
    from .errors import FieldMissingError as FieldMissingError
    from .errors import GuardNeverHoldsError as GuardNeverHoldsError
    from .errors import InDoubtError as InDoubtError
    from .errors import InexpressibleChangeError as InexpressibleChangeError
    from .errors import InputChangedError as InputChangedError
    from .errors import JournalError as JournalError
    from .errors import JournalInUseError as JournalInUseError
    from .errors import MergeMismatchError as MergeMismatchError
    from .errors import NotFoundError as NotFoundError
    from .errors import NotSentError as NotSentError
    from .errors import OutcomeUnknownError as OutcomeUnknownError
    from .errors import PaginationStalledError as PaginationStalledError
    from .errors import PermissionDeniedError as PermissionDeniedError
    from .errors import PlatformError as PlatformError
    from .errors import RateLimitError as RateLimitError
    from .errors import ResponseTooLargeError as ResponseTooLargeError
    from .errors import ServerError as ServerError
    from .errors import SlotTakenError as SlotTakenError
    from .errors import StalePreconditionError as StalePreconditionError
    from .errors import StatusError as StatusError
    from .errors import TimeoutError as TimeoutError
    from .errors import TransportError as TransportError
    from .errors import UnprocessableEntityError as UnprocessableEntityError
    from .errors import UnsuccessfulError as UnsuccessfulError
    from .errors import UsageError as UsageError
    from .errors import WeakGuardError as WeakGuardError
    from .labels.review import LabelReview as LabelReview
    from .labels.sheet import LabelSheet as LabelSheet
    from .labels.sheet import LabelSummary as LabelSummary
    from .labels.streams import AsyncLabelStream as AsyncLabelStream
    from .labels.streams import LabelStream as LabelStream
    from .records.change import DELETE as DELETE
    from .records.change import Change as Change
    from .records.conflict import ConflictReport as ConflictReport
    from .records.conflict import KeyConflict as KeyConflict
    from .records.operation_tokens import OperationTokens as OperationTokens
    from .records.options import ChangeOptions as ChangeOptions
    from .records.settle import ChangeResult as ChangeResult
    from .records.typed import AsyncTypedRecords as AsyncTypedRecords
    from .records.typed import Conflict as Conflict
    from .records.typed import Record as Record
    from .records.typed import TypedRecords as TypedRecords
    from .settling import SettledWrite as SettledWrite
    from .settling import can_settle as can_settle
    from .transports.transport import AsyncTransport as AsyncTransport
    from .transports.transport import Transport as Transport
    from .version import VERSION as __version__  # noqa: N811  # the name that a package's version has

# Imported on first use (PEP 562): a program that touches one resource does not pay for the rest.
_NAMES = {
    "bulk.journal": "BulkRow",
    "bulk.report": "BulkOutcome BulkReport",
    "bulk.run": "Bulk",
    "bulk.tasks": "AsyncBulk AsyncBulkStream",
    "calls.auth": "TokenEndpoint TokenProvider",
    "calls.capabilities": "Capabilities",
    "calls.configuration": "Options",
    "calls.events": "AttemptEnded AttemptStarted CallContext CallEnded CallStarted Event EventListener RowEnded Settled TokenFetched Waiting",
    "calls.headers": "Headers",
    "calls.listing": "Listing",
    "calls.operation": "TypedResponse AttemptRecord Call Operation Request Response Timeout UNSET Unset",
    "calls.page": "Page",
    "calls.pagination": "AsyncPager Pager",
    "calls.retry": "RetryPolicy",
    "client": "AsyncClient AsyncProject Client Project",
    "display.pictures": "PagePicture",
    "errors": "AuthenticationError BadRequestError BulkStoppedError BulkWorkerError ConflictError ConnectionLostError DataMismatchError DecodingError FieldMissingError GuardNeverHoldsError InDoubtError InexpressibleChangeError InputChangedError JournalError JournalInUseError MergeMismatchError NotFoundError NotSentError OutcomeUnknownError PaginationStalledError PermissionDeniedError PlatformError RateLimitError ResponseTooLargeError ServerError SlotTakenError StalePreconditionError StatusError TimeoutError TransportError UnprocessableEntityError UnsuccessfulError UsageError WeakGuardError",
    "labels.review": "LabelReview",
    "labels.sheet": "LabelSheet LabelSummary",
    "labels.streams": "AsyncLabelStream LabelStream",
    "records.change": "Change DELETE",
    "records.conflict": "ConflictReport KeyConflict",
    "records.operation_tokens": "OperationTokens",
    "records.options": "ChangeOptions",
    "records.settle": "ChangeResult",
    "records.typed": "AsyncTypedRecords Conflict Record TypedRecords",
    "settling": "SettledWrite can_settle",
    "transports.transport": "AsyncTransport Transport",
}

__all__ = [
    "DELETE",
    "UNSET",
    "AsyncBulk",
    "AsyncBulkStream",
    "AsyncClient",
    "AsyncLabelStream",
    "AsyncPager",
    "AsyncProject",
    "AsyncTransport",
    "AsyncTypedRecords",
    "AttemptEnded",
    "AttemptRecord",
    "AttemptStarted",
    "AuthenticationError",
    "BadRequestError",
    "Bulk",
    "BulkOutcome",
    "BulkReport",
    "BulkRow",
    "BulkStoppedError",
    "BulkWorkerError",
    "Call",
    "CallContext",
    "CallEnded",
    "CallStarted",
    "Capabilities",
    "Change",
    "ChangeOptions",
    "ChangeResult",
    "Client",
    "Conflict",
    "ConflictError",
    "ConflictReport",
    "ConnectionLostError",
    "DataMismatchError",
    "DecodingError",
    "Event",
    "EventListener",
    "FieldMissingError",
    "GuardNeverHoldsError",
    "Headers",
    "InDoubtError",
    "InexpressibleChangeError",
    "InputChangedError",
    "JournalError",
    "JournalInUseError",
    "KeyConflict",
    "LabelReview",
    "LabelSheet",
    "LabelStream",
    "LabelSummary",
    "Listing",
    "MergeMismatchError",
    "NotFoundError",
    "NotSentError",
    "Operation",
    "OperationTokens",
    "Options",
    "OutcomeUnknownError",
    "Page",
    "PagePicture",
    "Pager",
    "PaginationStalledError",
    "PermissionDeniedError",
    "PlatformError",
    "Project",
    "RateLimitError",
    "Record",
    "Request",
    "Response",
    "ResponseTooLargeError",
    "RetryPolicy",
    "RowEnded",
    "ServerError",
    "Settled",
    "SettledWrite",
    "SlotTakenError",
    "StalePreconditionError",
    "StatusError",
    "Timeout",
    "TokenEndpoint",
    "TokenFetched",
    "TokenProvider",
    "Transport",
    "TransportError",
    "TypedRecords",
    "TypedResponse",
    "UnprocessableEntityError",
    "Unset",
    "UnsuccessfulError",
    "UsageError",
    "Waiting",
    "WeakGuardError",
    "__version__",
    "bulk",
    "can_settle",
    "errors",
    "frames",
    "models",
    "operations",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    from .first_use import IMPORTING

    if name in {"bulk", "errors", "frames", "models", "operations"}:
        with IMPORTING:
            return import_module(f".{name}", __name__)
    if name == "__version__":
        return import_module(".version", __name__).VERSION
    module = next((module for module, names in _NAMES.items() if name in names.split()), None)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with IMPORTING:
        value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "TimeoutError"]
