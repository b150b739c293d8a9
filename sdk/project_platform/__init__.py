"""Typed Python SDK for the Project Platform API. It tells the truth about writes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import errors as errors
    from . import models as models
    from . import operations as operations
    from .auth import TokenEndpoint as TokenEndpoint
    from .auth import TokenProvider as TokenProvider
    from .capabilities import Capabilities as Capabilities
    from .changes import DELETE as DELETE
    from .changes import Change as Change
    from .client import AsyncClient as AsyncClient
    from .client import AsyncProject as AsyncProject
    from .client import Client as Client
    from .client import Project as Project
    from .configuration import Options as Options
    from .conflicts import ConflictReport as ConflictReport
    from .conflicts import KeyConflict as KeyConflict
    from .drafts import Draft as Draft
    from .errors import AuthenticationError as AuthenticationError
    from .errors import BadRequestError as BadRequestError
    from .errors import ConflictError as ConflictError
    from .errors import ConnectionLostError as ConnectionLostError
    from .errors import DecodingError as DecodingError
    from .errors import GuardNeverHoldsError as GuardNeverHoldsError
    from .errors import InexpressibleChangeError as InexpressibleChangeError
    from .errors import MergeMismatchError as MergeMismatchError
    from .errors import NotFoundError as NotFoundError
    from .errors import NotSentError as NotSentError
    from .errors import OutcomeUnknownError as OutcomeUnknownError
    from .errors import PaginationStalledError as PaginationStalledError
    from .errors import PermissionDeniedError as PermissionDeniedError
    from .errors import PlatformError as PlatformError
    from .errors import RateLimitError as RateLimitError
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
    from .headers import Headers as Headers
    from .label_sheet import AsyncLabelStream as AsyncLabelStream
    from .label_sheet import LabelSheet as LabelSheet
    from .label_sheet import LabelStream as LabelStream
    from .label_sheet import LabelSummary as LabelSummary
    from .operation import UNSET as UNSET
    from .operation import Answer as Answer
    from .operation import AttemptRecord as AttemptRecord
    from .operation import Call as Call
    from .operation import Operation as Operation
    from .operation import Request as Request
    from .operation import Response as Response
    from .operation import Timeout as Timeout
    from .operation import Unset as Unset
    from .operation_tokens import OperationTokens as OperationTokens
    from .pagination import AsyncPager as AsyncPager
    from .pagination import Page as Page
    from .pagination import Pager as Pager
    from .retry import RetryPolicy as RetryPolicy
    from .settle import ChangeResult as ChangeResult
    from .transport import AsyncTransport as AsyncTransport
    from .transport import Transport as Transport
    from .version import VERSION as __version__  # noqa: N811  # the name that a package's version has

# Imported on first use (PEP 562): a program that touches one resource does not pay for the rest.
_HOMES = {
    "Answer": "operation",
    "AsyncClient": "client",
    "AsyncLabelStream": "label_sheet",
    "AsyncPager": "pagination",
    "AsyncProject": "client",
    "AsyncTransport": "transport",
    "AttemptRecord": "operation",
    "AuthenticationError": "errors",
    "BadRequestError": "errors",
    "Call": "operation",
    "Capabilities": "capabilities",
    "Change": "changes",
    "ChangeResult": "settle",
    "Client": "client",
    "ConflictError": "errors",
    "ConflictReport": "conflicts",
    "ConnectionLostError": "errors",
    "DELETE": "changes",
    "DecodingError": "errors",
    "Draft": "drafts",
    "GuardNeverHoldsError": "errors",
    "InexpressibleChangeError": "errors",
    "KeyConflict": "conflicts",
    "Headers": "headers",
    "LabelSheet": "label_sheet",
    "Operation": "operation",
    "LabelStream": "label_sheet",
    "LabelSummary": "label_sheet",
    "MergeMismatchError": "errors",
    "NotFoundError": "errors",
    "NotSentError": "errors",
    "OperationTokens": "operation_tokens",
    "Options": "configuration",
    "OutcomeUnknownError": "errors",
    "Page": "pagination",
    "Pager": "pagination",
    "PaginationStalledError": "errors",
    "PermissionDeniedError": "errors",
    "PlatformError": "errors",
    "Project": "client",
    "RateLimitError": "errors",
    "Request": "operation",
    "Response": "operation",
    "RetryPolicy": "retry",
    "ServerError": "errors",
    "SlotTakenError": "errors",
    "StalePreconditionError": "errors",
    "StatusError": "errors",
    "Timeout": "operation",
    "TimeoutError": "errors",
    "TokenEndpoint": "auth",
    "TokenProvider": "auth",
    "Transport": "transport",
    "TransportError": "errors",
    "UNSET": "operation",
    "UnprocessableEntityError": "errors",
    "Unset": "operation",
    "UnsuccessfulError": "errors",
    "UsageError": "errors",
    "WeakGuardError": "errors",
}

__all__ = [
    "DELETE",
    "UNSET",
    "Answer",
    "AsyncClient",
    "AsyncLabelStream",
    "AsyncPager",
    "AsyncProject",
    "AsyncTransport",
    "AttemptRecord",
    "AuthenticationError",
    "BadRequestError",
    "Call",
    "Capabilities",
    "Change",
    "ChangeResult",
    "Client",
    "ConflictError",
    "ConflictReport",
    "ConnectionLostError",
    "DecodingError",
    "Draft",
    "GuardNeverHoldsError",
    "Headers",
    "InexpressibleChangeError",
    "KeyConflict",
    "LabelSheet",
    "LabelStream",
    "LabelSummary",
    "MergeMismatchError",
    "NotFoundError",
    "NotSentError",
    "Operation",
    "OperationTokens",
    "Options",
    "OutcomeUnknownError",
    "Page",
    "Pager",
    "PaginationStalledError",
    "PermissionDeniedError",
    "PlatformError",
    "Project",
    "RateLimitError",
    "Request",
    "Response",
    "RetryPolicy",
    "ServerError",
    "SlotTakenError",
    "StalePreconditionError",
    "StatusError",
    "Timeout",
    "TimeoutError",
    "TokenEndpoint",
    "TokenProvider",
    "Transport",
    "TransportError",
    "UnprocessableEntityError",
    "Unset",
    "UnsuccessfulError",
    "UsageError",
    "WeakGuardError",
    "__version__",
    "errors",
    "models",
    "operations",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in {"errors", "models", "operations"}:
        return import_module(f".{name}", __name__)
    if name == "__version__":
        return import_module(".version", __name__).VERSION
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
