"""From a 2xx response to a result: `json_reader` creates the readers of the generated operations, `read` applies them.

Reading is lenient: unknown fields are kept, and an enumeration of which the specification shows one value is text. A body that
does not fit is a `DecodingError`, which names the place and never quotes the value.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from ..errors import DecodingError, OutcomeUnknownError, PlatformError, ResponseTooLargeError, UnsuccessfulError
from ..first_use import IMPORTING, validate_each_type
from ..json_values.exact_json import is_object
from . import early_collection
from .fate import Fate, applied, unclear
from .listing import Listing
from .operation import MAX_ERROR_BYTES, AttemptRecord, Call, Request, Response, TypedResponse
from .reading import TooManyValuesError, check_values, misfit, reader_of
from .redaction import Redactor

T = TypeVar("T")

LARGE_BODY: Final = 256 * 1024  # bytes; decoding less takes a few milliseconds

validate_each_type()


def json_reader(
    envelope: type[BaseModel],
    unwrap: str | None = None,
    *,
    listed: type[BaseModel] | None = None,
    exact: bool = False,
) -> Callable[[Response], Any]:
    """Return a function that reads a JSON response and returns the member asked for.

    Args:
        envelope: Model of the whole body.
        unwrap: Dotted name of the member to return; None to return the envelope.
        listed: Model of its items, if the member is a list; it is returned as a `Listing`.
        exact: Whether numbers in free-form JSON keep their digits, because they may be sent back.
    """
    select = attrgetter(unwrap) if unwrap else None
    validate = reader_of(envelope, exact=exact)
    # Access to a missing attribute raises inside pydantic, which takes a fifth of the time to read a short response.
    has_success = "success" in envelope.model_fields
    parse: Callable[[bytes], BaseModel]

    def validate_first(body: bytes) -> BaseModel:
        nonlocal parse
        with IMPORTING:  # pydantic prepares the model, which a fork must not interrupt
            value = validate(body)
        parse = validate
        return value

    parse = validate_first

    def read(response: Response) -> Any:
        try:
            value = parse(response.body)
        except ValueError:
            _refuse_unsuccessful(response)
            raise
        members = vars(value) if has_success else value.model_extra or {}
        if members.get("success") is False:
            _refuse_unsuccessful(response, known=True)
        result = select(value) if select else value
        return result if listed is None else Listing(result, listed)

    return read


def read(
    call: Call[T],
    request: Request,
    response: Response,
    attempts: tuple[AttemptRecord, ...],
    *,
    collect_before: bool = False,
) -> TypedResponse[T]:
    """Return the response to a call.

    Args:
        call: The call.
        request: The request of the last attempt; no error has what its header fields carry.
        response: The response, a complete 2xx.
        attempts: The record of each attempt.
        collect_before: Whether young garbage may be collected before a large body is read.

    Raises:
        UnsuccessfulError: The body says `success: false`.
        DecodingError: The body does not fit the contract.
        OutcomeUnknownError: The response to a write has another identifier than the call names, or is no JSON, such as a page to
            log in.
    """
    operation = call.operation
    if collect_before:
        early_collection.collect_before(len(response.body))
    problem: PlatformError
    try:
        if operation.returns_json:
            check_values(response.body, request.max_response_bytes)
        value = operation.read(response)
    except (UnsuccessfulError, ValueError, RecursionError, MemoryError) as error:
        attempts = Redactor(request.headers).attempts(attempts)  # error reporters show the locals of a frame
        problem = _problem(error, call, request, response, attempts)
    else:
        if call.result_id is None or has_id(value, call.result_id):
            became = applied(Fate.APPLIED, operation.effect)
            return TypedResponse(value, response.status, response.headers, attempts, became, response)
        another: Any = value
        redactor = Redactor(request.headers)
        attempts = redactor.attempts(attempts)
        problem = OutcomeUnknownError(
            redactor.text(
                f"the response {response.status} has {another.id} instead of {call.result_id}, as if it were the response to another request"
            ),
            operation_id=operation.id,
            attempts=attempts,
            applied="unknown",
        )
        problem.seen = another
    # Raised outside the `except` clause: the library's error quotes the body and must not be the context.
    raise _in_doubt_if_unclear(problem, call, request, response)


def _problem(
    error: Exception, call: Call[Any], request: Request, response: Response, attempts: tuple[AttemptRecord, ...]
) -> PlatformError:
    """Return the error of a 2xx that was not read. The records of the attempts have no secret."""
    operation, redactor = call.operation, Redactor(request.headers)
    context: dict[str, Any] = {
        "status": response.status,
        "operation_id": operation.id,
        "attempts": attempts,
        "applied": "yes",
    }
    if isinstance(error, UnsuccessfulError):
        # A 2xx with `success: false` says neither that nothing was applied nor that everything was.
        context["applied"] = "no" if operation.effect == "read" else "unknown"
        return UnsuccessfulError(redactor.text(error.message), **context)
    if isinstance(error, MemoryError):
        return ResponseTooLargeError(
            f"the response {response.status} has {len(response.body)} bytes, and reading it takes more memory than is left",
            max_response_bytes=None,
            body=b"",
            **context,
        )
    too_many = isinstance(error, TooManyValuesError)
    shown = b"" if operation.credential else response.body[:MAX_ERROR_BYTES] if too_many else response.body
    context["body"] = redactor.body(shown)
    misfit = f"the response {response.status} does not fit the contract: "
    if too_many:
        limit = request.max_response_bytes
        return ResponseTooLargeError(
            f"{misfit}it has more values than are decoded with max_response_bytes={limit}; give the client a larger limit if it is right",
            max_response_bytes=limit,
            **context,
        )
    return DecodingError(redactor.text(f"{misfit}{_misfit(error, call, response)}"), **context)


def too_late(
    call: Call[Any], request: Request, response: Response, attempts: tuple[AttemptRecord, ...]
) -> PlatformError:
    """Return the error of a call whose deadline passed while its response, a complete 2xx, was decoded."""
    problem = DecodingError(
        f"the deadline passed while the response {response.status}, of {len(response.body)} bytes, was decoded",
        status=response.status,
        body=b"",
        operation_id=call.operation.id,
        attempts=Redactor(request.headers).attempts(attempts),
        applied="yes",
    )
    return _in_doubt_if_unclear(problem, call, request, response)


def _in_doubt_if_unclear(
    problem: PlatformError, call: Call[Any], request: Request, response: Response
) -> PlatformError:
    """Return the error of a 2xx that was not read, whose write is unknown if the response has signs that nothing was applied."""
    operation = call.operation
    if operation.effect == "read" or problem.applied != "yes":
        return problem
    why = unclear(response, operation.accept)
    if why is None:
        return problem
    return OutcomeUnknownError(
        Redactor(request.headers).text(f"the response {response.status} does not fit the contract: {why}"),
        operation_id=operation.id,
        attempts=problem.attempts,
        applied="unknown",
    )


def has_id(value: Any, identifier: str) -> bool:
    """Return whether a resource has this identifier; one without an identifier may be the one."""
    return str(getattr(value, "id", identifier)).casefold() == identifier.casefold()


def _refuse_unsuccessful(response: Response, *, known: bool = False) -> None:
    """Raise the error of a body that says `success: false`, or that is `known` to say it in another form, such as 0."""
    try:
        body: object = json.loads(response.body)
    except (ValueError, RecursionError):
        return
    if not is_object(body) or not (known or body.get("success") is False):
        return
    said = next((body[key] for key in ("message", "error") if isinstance(body.get(key), str)), None)
    raise UnsuccessfulError(said or "the response says success: false", status=response.status)


def _misfit(error: Exception, call: Call[Any], response: Response) -> str:
    """Return where a body does not fit, without quoting it."""
    if not response.body and response.stream is None:
        return "its body is empty"
    if (why := unclear(response, call.operation.accept)) is not None:
        return why
    return misfit(error) if "json" in call.operation.accept.partition(",")[0] else str(error)
