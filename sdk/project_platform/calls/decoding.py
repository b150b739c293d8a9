"""From a 2xx answer to a result: `json_reader` makes what generated operations read with, `read` applies it.

Lenient in: unknown fields are kept, unknown values of an open enumeration pass. A body that does not fit all the same
is a `DecodingError`, which says where and never quotes what.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import DecodingError, PlatformError, UnsuccessfulError
from ..json_values import exact_json
from ..json_values.exact_json import is_object
from .fate import Fate, applied
from .model import problems
from .operation import Answer, AttemptRecord, Call, Response

T = TypeVar("T")


def json_reader(
    envelope: type[BaseModel], unwrap: str | None = None, *, exact: bool = False
) -> Callable[[Response], Any]:
    """Return a function that reads a JSON answer and returns the member asked for.

    Args:
        envelope: Model of the whole body.
        unwrap: Dotted name of the member to return; None returns the envelope.
        exact: Whether numbers in free-form JSON keep their digits, because the caller may send them back.
    """
    select = attrgetter(unwrap) if unwrap else None
    validate = envelope.model_validate_json
    # Access to an attribute that a model does not have raises inside pydantic: a fifth of the time that a short answer
    # takes to read. So `success` is looked up where it is.
    has_success = "success" in envelope.model_fields

    def read(response: Response) -> Any:
        try:
            value = envelope.model_validate(exact_json.loads(response.body)) if exact else validate(response.body)
        except ValueError:
            _refuse_unsuccessful(response)
            raise
        members = vars(value) if has_success else value.model_extra or {}
        if members.get("success") is False:
            _refuse_unsuccessful(response)
        return select(value) if select else value

    return read


def read(call: Call[T], response: Response, attempts: tuple[AttemptRecord, ...]) -> Answer[T]:
    """Return the answer to a call, or raise what its body says instead."""
    operation = call.operation
    problem: PlatformError
    try:
        value = operation.read(response)
    except UnsuccessfulError as error:
        problem = error
        problem.operation_id, problem.attempts = operation.id, attempts
        # A 2xx that denies success says neither that nothing was done nor that everything was.
        problem.applied = "no" if operation.effect == "read" else "unknown"
    except (ValueError, RecursionError) as error:
        problem = DecodingError(
            f"the answer {response.status} does not fit the contract: {_misfit(error, call, response)}",
            status=response.status,
            body=response.body,
            operation_id=operation.id,
            attempts=attempts,
            applied="yes",
        )
    else:
        became = applied(Fate.APPLIED, operation.effect)
        return Answer(value, response.status, response.headers, attempts, became, response)
    # Raised out here, so that the library's error, which quotes the body, is not its context.
    raise problem


def _refuse_unsuccessful(response: Response) -> None:
    try:
        body: object = json.loads(response.body)
    except (ValueError, RecursionError):
        return
    if not is_object(body) or body.get("success") is not False:
        return
    said = next((body[key] for key in ("message", "error") if isinstance(body.get(key), str)), None)
    raise UnsuccessfulError(said or "the service answered success: false", status=response.status)


def _misfit(error: Exception, call: Call[Any], response: Response) -> str:
    """Say where a body does not fit, without quoting it."""
    if not response.body and response.stream is None:
        return "its body is empty"
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind and kind not in call.operation.accept:
        return f"it is {kind}, as if from another site or a proxy; is the base URL right?"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if not isinstance(error, ValidationError):
        return "it is not JSON" if "json" in call.operation.accept.partition(",")[0] else str(error)
    details = problems(error)
    if any(detail["type"] == "json_invalid" for detail in details):
        return "it is not JSON"
    told = [f"{'.'.join(map(str, detail['loc'])) or 'body'} ({detail['type']})" for detail in details[:3]]
    return ", ".join(told) + (f" and {len(details) - 3} more" if len(details) > 3 else "")  # noqa: PLR2004
