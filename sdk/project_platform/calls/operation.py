"""Values: an operation, a call of it, the request and the response.

Nothing here sends, waits or decides. A generated `call(...)` returns a `Call`; a flow makes a `Request` from it; a
transport returns a `Response`; the call's `Operation` reads it.
"""

from __future__ import annotations

import enum
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    final,
)

from .headers import Headers

if TYPE_CHECKING:
    from ..errors import ConflictError

T_co = TypeVar("T_co", covariant=True)

Applied: TypeAlias = Literal["yes", "no", "in effect", "unknown"]
"""Whether a write was applied: yes, no, in effect (by this or by another write), or not known."""

RetryClass: TypeAlias = Literal["safe", "fenced", "never"]
"""The condition under which an operation may be sent again: always, if its guard fences, or only if it was certainly not applied."""

Effect: TypeAlias = Literal["read", "write", "notify", "irreversible"]
"""The effect of an operation, from least to greatest."""

Settling: TypeAlias = Literal["record", "memory", "event", "repeat", "unique"]
"""The way in which `client.settle` finds out whether a write was applied; the header of `openapi.yaml` describes each."""

Delivery: TypeAlias = Literal["not sent", "not applied", "applied", "lost"]
"""The meaning of the end of an attempt; see `fate.py`."""


@final
class Unset(enum.Enum):
    """The type of `UNSET`: an argument that was not given. It differs from `None`, which is sent as null."""

    UNSET = ...  # of no type of JSON, so that it is not sent as its value

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET

# Thousands of times the size of a usual response, and well below the memory of a small container.
MAX_RESPONSE_BYTES: Final = 64 * 1024 * 1024
MAX_JSON_BYTES: Final = 8 * 1024 * 1024
"""The limit of a JSON response if the client has none of its own; decoding takes several times the memory."""
MAX_ERROR_BYTES: Final = 64 * 1024
"""The limit of a response that is no 2xx: only its message is read."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """The limits for each step of an attempt, and for the whole attempt, in seconds.

    `read` and `write` limit the wait for each piece of a body, `pool` the wait for a free connection. The default waits
    five seconds for a connection (httpx) and half a minute for a response: a booking waits for the external calendar
    behind the service.
    """

    connect: float = 5.0
    read: float = 30.0
    write: float = 30.0
    pool: float = 5.0
    total: float | None = None

    @classmethod
    def of(cls, value: float | Timeout) -> Timeout:
        """Return a timeout with this number of seconds for every step, or the `Timeout` itself."""
        return value if isinstance(value, Timeout) else cls(value, value, value, value)

    def within(self, seconds: float) -> Timeout:
        """Return this timeout with each step and the whole limited to the given seconds."""
        total = seconds if self.total is None else min(self.total, seconds)
        if max(self.connect, self.read, self.write, self.pool) <= seconds:  # as in most calls
            return Timeout(self.connect, self.read, self.write, self.pool, total)
        return Timeout(
            connect=min(self.connect, seconds),
            read=min(self.read, seconds),
            write=min(self.write, seconds),
            pool=min(self.pool, seconds),
            total=total,
        )


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a transport sends it: an absolute URL, header names in lower case, the body as bytes.

    With `stream`, the body of a 2xx response is not read yet but left on the connection, as `Response.stream`. Any other body
    is read up to `max_response_bytes`, as received and as decompressed; None is no limit.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""
    timeout: Timeout = field(default_factory=Timeout)
    stream: bool = False
    max_response_bytes: int | None = MAX_RESPONSE_BYTES

    def limit(self, status: int) -> int | None:
        """Return the maximum number of bytes of a body with this status."""
        if 200 <= status < 300:  # noqa: PLR2004  # RFC 9110, section 15.3
            return self.max_response_bytes
        return MAX_ERROR_BYTES if self.max_response_bytes is None else min(self.max_response_bytes, MAX_ERROR_BYTES)

    def __repr__(self) -> str:
        # The query, the headers and the body may contain what must not be logged.
        return f"Request({self.method} {self.url.partition('?')[0]}, {len(self.body)} bytes)"


class BodyStream(Protocol):
    """The body of a response that is still on its connection; iterating it gives chunks of bytes."""

    def __iter__(self) -> Iterator[bytes]: ...

    def close(self) -> None:
        """Give the connection back, whether the body was read to its end or not."""
        ...


class AsyncBodyStream(Protocol):
    """Same as `BodyStream`, but to be iterated with `async for`."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None:
        """Give the connection back, whether the body was read to its end or not."""
        ...


@dataclass(frozen=True, slots=True)
class Response:
    """A response. If the connection broke after the head, `complete` is false and `body` is what was received.

    `too_large` says that the body went beyond `Request.max_response_bytes`; it is then not complete, and `body` has at most
    its first 64 KiB. `timed_out` says that the body is not complete because it did not end in time.
    """

    status: int
    headers: Headers = field(default_factory=Headers)
    body: bytes = b""
    complete: bool = True
    stream: BodyStream | AsyncBodyStream | None = None
    too_large: bool = False
    timed_out: bool = False

    @property
    def successful(self) -> bool:
        """Whether the status is a 2xx."""
        return 200 <= self.status < 300  # noqa: PLR2004  # RFC 9110, section 15.3

    def __repr__(self) -> str:
        return f"Response({self.status}, {len(self.body)} bytes{'' if self.complete else ', cut off'})"


class AttemptRecord(NamedTuple):
    """The record of one attempt of a call.

    `started` is in seconds since the epoch. `status` and `request_id` are None without a response, and `error` is None
    with one.
    """

    started: float
    delivery: Delivery
    status: int | None = None
    request_id: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Operation(Generic[T_co]):
    """The constant part of an operation, generated from `openapi.yaml`.

    `read` turns a complete 2xx response into the result; it raises ValueError when the body does not fit. With `stream`
    the body is left on the connection, for `read` to hand on. `conflict` is the error that a 409 stands for, None for a
    plain `ConflictError`. `settle` says how `client.settle` finds out whether a write was applied whose response was lost, None
    if it cannot, and `look` what a person looks at then.
    `credential` says that the response is a credential, so that no error keeps its body.

    An operation is pickled by its `id`; a copy is the operation itself.
    """

    id: str
    method: str
    path: str
    retry: RetryClass
    effect: Effect
    section: str
    read: Callable[[Response], T_co]
    accept: str = "application/json"
    stream: bool = False
    conflict: type[ConflictError] | None = None
    settle: Settling | None = None
    look: str | None = None
    credential: bool = False

    @property
    def returns_json(self) -> bool:
        """Whether the response is JSON in the first place."""
        return "json" in self.accept.partition(",")[0]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Callable[[str], Operation[Any]], tuple[str]]:
        if _generated(self.id) is not self:
            raise TypeError(
                f"operation {self.id} cannot be pickled: only the operations of the contract can, by their identifier, and "
                "this one differs from them"
            )
        return _operation, (self.id,)


def _generated(id: str) -> Operation[Any] | None:
    # Imported by name: the generated operations import this module.
    try:
        operation: Operation[Any] = import_module(f"project_platform._generated.operations.{id}").OPERATION
    except ModuleNotFoundError:
        return None
    return operation


def _operation(id: str) -> Operation[Any]:
    """Return the operation with this identifier, for `pickle`."""
    found = _generated(id)
    if found is None:
        raise LookupError(f"this version has no operation {id}; the pickle is from another one")
    return found


@dataclass(frozen=True, slots=True)
class Call(Generic[T_co]):
    """One call of an operation as a value; nothing is sent yet.

    `path` includes the query and follows the base URL. `fences` says that the guard of an update is false once the
    update was applied, so that it cannot be applied twice. `result_id` is the `id` that the result has, None if the call does
    not name one.
    """

    operation: Operation[T_co]
    path: str
    body: bytes | None = None
    fences: bool = False
    result_id: str | None = None

    @property
    def retry(self) -> RetryClass:
        """The condition under which this call may be sent again."""
        if self.operation.retry == "fenced":
            return "safe" if self.fences else "never"
        return self.operation.retry

    def __repr__(self) -> str:
        return f"Call({self.operation.id}, {self.operation.method} {self.path.partition('?')[0]})"


@dataclass(frozen=True, slots=True)
class TypedResponse(Generic[T_co]):
    """The result of a call with the response that it was read from, as `client.send(call)` returns it."""

    value: T_co
    status: int
    headers: Headers
    attempts: tuple[AttemptRecord, ...]
    applied: Applied
    response: Response = field(repr=False)
