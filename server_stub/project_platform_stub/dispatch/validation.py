"""Values against the contract: whether they fit, and if not, where and why in words a caller can act on."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError, ValidationErrorKind

from project_platform_stub.contract import Contract, Operation, Parameter
from project_platform_stub.http.errors import bad_request
from project_platform_stub.http.json import MAX_INT_DIGITS, json_type
from project_platform_stub.world.domain import Json

from .hints import unknown_names

_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
_FEW = 5  # Allowed values that a message still lists.

# Statuses that any operation may give without the contract naming them: they are about HTTP, not about the service.
GENERIC_STATUSES = frozenset({405, 413, 415, 500})


class Validator:
    """Values against the schemas of a contract; each schema is compiled when it is first needed."""

    def __init__(self, contract: Contract) -> None:
        self._components = contract.components
        self._compiled: dict[str, Draft202012Validator] = {}

    def problem(self, pointer: str, value: Any, place: str) -> str | None:
        """Return how a value differs from a schema, as `place: what is wrong`; None if it fits.

        Args:
            pointer: Reference to the schema, such as `#/components/schemas/Workflow`.
            value: The value.
            place: What to call the value, such as `body`.
        """
        validator = self._compiled.get(pointer)
        if validator is None:
            schema = {"$ref": pointer, "components": self._components}
            # Formats are asserted: an address that is no email is refused, a createdAt that is no date-time is ours.
            validator = self._compiled[pointer] = Draft202012Validator(schema, validate_formats=True)
        try:
            # The first problem is enough; to look for all of them takes minutes where a long list is wrong throughout.
            validator.validate(value)
        except ValidationError as error:
            return _told(error, place)
        return None

    def body(self, operation: Operation, value: Any) -> None:
        """Refuse a body that does not fit. Fields that the contract does not name are let through and ignored."""
        if operation.body is not None and (problem := self.problem(operation.body, value, "body")):
            raise bad_request(*problem.split(": ", 1))

    def parameters(self, operation: Operation, place: str, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of the parameters in the path or the query, or refuse them.

        Args:
            operation: The operation they belong to.
            place: `path` or `query`.
            texts: Their texts, decoded; names that the contract does not know are left out.
        """
        values: dict[str, Any] = {}
        for parameter in operation.parameters:
            # An object stands for all names that have no parameter of their own: that is for the operation to read.
            if parameter.place != place or parameter.type == "object":
                continue
            if parameter.name in texts:
                values[parameter.name] = self._parameter(parameter, texts[parameter.name])
            elif parameter.required:
                raise bad_request(f"{place}.{parameter.name}", "is required")
        return values

    def _parameter(self, parameter: Parameter, text: str) -> Any:
        place = f"{parameter.place}.{parameter.name}"
        value: Any = text
        if parameter.type == "integer":
            if not _INTEGER.fullmatch(text):
                raise bad_request(place, "must be an integer")
            if len(text) > MAX_INT_DIGITS:
                raise bad_request(place, f"{len(text)} characters, at most {MAX_INT_DIGITS}")
            value = int(text)
        if problem := self.problem(parameter.pointer, value, place):
            raise bad_request(*problem.split(": ", 1))
        return value

    def unknown_parameters(self, operation: Operation, given: Mapping[str, str]) -> list[str]:
        """Return a hint for each query parameter that nobody listens to."""
        parameters = [parameter for parameter in operation.parameters if parameter.place == "query"]
        if not given or any(parameter.type == "object" for parameter in parameters):
            return []
        return unknown_names("query", given, [parameter.name for parameter in parameters])

    def unknown_fields(self, operation: Operation, body: Json) -> list[str]:
        """Return a hint for each field of a body that nobody listens to."""
        if operation.body_fields.issuperset(body):
            return []
        return unknown_names("body", body, sorted(operation.body_fields))

    def answer(self, operation: Operation, status: int, value: Any, also: Collection[int] = ()) -> str | None:
        """Return how an answer of the stub's own breaks the contract; None if it keeps it."""
        answers = operation.answers
        documented = next((key for key in (str(status), f"{status // 100}XX") if key in answers), None)
        if documented is not None:
            pointer = answers[documented]
        elif status in operation.uncounted or status in GENERIC_STATUSES or status in also:
            pointer = "#/components/schemas/ErrorBody"
        else:
            return f"status: {status} is not documented"
        return None if pointer is None else self.problem(pointer, value, "answer")


def _told(error: ValidationError, place: str) -> str:
    for step in error.instance_path:
        place += f"[{step}]" if isinstance(step, int) else f".{step}"
    if isinstance(error.kind, ValidationErrorKind.Required):
        return f"{place}.{error.kind.property}: is required"
    return f"{place}: {_difference(error.kind, error.instance) or error.message}"


def _difference(kind: Any, value: Any) -> str | None:
    match kind:
        case ValidationErrorKind.Type():
            return f"must be {' or '.join(kind.types)}, not {json_type(value)}"
        case ValidationErrorKind.MaxLength():
            return f"{len(value)} characters, at most {kind.limit}"
        case ValidationErrorKind.MinLength():
            return f"{len(value)} characters, at least {kind.limit}"
        case ValidationErrorKind.MaxItems():
            return f"{len(value)} items, at most {kind.limit}"
        case ValidationErrorKind.Minimum():
            return f"is {value}, at least {kind.limit}"
        case ValidationErrorKind.Maximum():
            return f"is {value}, at most {kind.limit}"
        case ValidationErrorKind.Format():
            return f"is no {kind.format}"
        case ValidationErrorKind.Enum():
            options = list(kind.options)
            return f"is none of {', '.join(map(str, options[:_FEW]))}{', ...' if len(options) > _FEW else ''}"
        case _:
            return None
