"""Validation against the contract, with messages that name the place of a value and its required form."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError, ValidationErrorKind

from project_platform_stub.contract import Contract, Operation, Parameter
from project_platform_stub.documents.schema import describe_kind
from project_platform_stub.http.errors import ApiError, bad_request
from project_platform_stub.http.messages import MAX_INT_DIGITS
from project_platform_stub.world.domain import Json

from .hints import unknown_names

_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
# What a value that does not match a pattern of the contract must be.
_PATTERNS = {
    r"\S": "must not be blank",
    "^[0-9]{4}-(0[1-9]|1[0-2])$": "is not a month such as 2026-11",
}


class Validator:
    """Validates values against the schemas of a contract. Schemas are compiled on first use."""

    def __init__(self, contract: Contract) -> None:
        self._components = contract.components
        self._compiled: dict[str, Draft202012Validator] = {}

    def check(self, pointer: str, value: Any, place: str) -> None:
        """Raise a 400 with the first problem of a value; the pointer refers to its schema: `#/components/schemas/Workflow`."""
        validator = self._compiled.get(pointer)
        if validator is None:
            schema = {"$ref": pointer, "components": self._components}
            # Formats are asserted, in requests (an email address) as well as in responses (a createdAt).
            validator = self._compiled[pointer] = Draft202012Validator(schema, validate_formats=True)
        try:
            # Only the first problem: collecting all of them takes minutes for a long list of invalid items.
            validator.validate(value)
        except ValidationError as error:
            raise bad_request(*_describe_error(error, place)) from None

    def parameters(self, operation: Operation, place: str, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of the parameters in the path or the query, or raise a 400."""
        values: dict[str, Any] = {}
        for parameter in operation.parameters:
            # An object parameter stands for all other names; the handler of the operation reads them.
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
                raise bad_request(place, f"has {len(text)} characters; the maximum is {MAX_INT_DIGITS}")
            value = int(text)
        self.check(parameter.pointer, value, place)
        return value

    def unknown_parameters(self, operation: Operation, given: Mapping[str, str]) -> list[str]:
        """Return a hint for each query parameter that the operation does not have."""
        parameters = [parameter for parameter in operation.parameters if parameter.place == "query"]
        if not given or any(parameter.type == "object" for parameter in parameters):
            return []
        return unknown_names("query", given, [parameter.name for parameter in parameters])

    def unknown_fields(self, operation: Operation, body: Json) -> list[str]:
        """Return a hint for each field of a body that the contract does not name."""
        if operation.body_fields.issuperset(body):
            return []
        return unknown_names("body", body, sorted(operation.body_fields))

    def response_problem(self, operation: Operation, status: int, value: Any, also: Collection[int] = ()) -> str | None:
        """Return how a response breaks the contract; None if it is valid.

        The statuses in `also` are allowed although the contract does not document them.
        """
        responses = operation.responses
        documented = next((key for key in (str(status), f"{status // 100}XX") if key in responses), None)
        if documented is not None:
            pointer = responses[documented]
        elif status in also:
            pointer = "#/components/schemas/ErrorBody"
        else:
            return f"status: {status} is not documented"
        try:
            if pointer is not None:
                self.check(pointer, value, "response")
        except ApiError as refusal:
            return refusal.message
        return None


def _describe_error(error: ValidationError, place: str) -> tuple[str, str]:
    for step in error.instance_path:
        place += f"[{step}]" if isinstance(step, int) else f".{step}"
    if isinstance(error.kind, ValidationErrorKind.Required):
        return f"{place}.{error.kind.property}", "is required"
    if isinstance(error.kind, ValidationErrorKind.Pattern) and error.kind.pattern in _PATTERNS:
        return place, _PATTERNS[error.kind.pattern]
    return place, describe_kind(error.kind, error.instance) or error.message
