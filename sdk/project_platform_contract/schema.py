"""Validation against JSON Schemas: those of the contract, and those of the suite's files.

This module uses `jsonschema`, the stub another library, so that both cannot share a mistake.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError, best_match

from .date_times import is_date_time
from .media_types import JSON, is_json
from .operations import Operation, contract, resolved

# Statuses of HTTP itself: any operation may return them.
_GENERIC = frozenset({405, 408, 413, 414, 415, 429, 431, 500, 502, 503, 504})

LISTED: Final = {"labels_export": "labels.export.error-body"}
"""The rule of each operation whose error statuses the specification lists.

Any other operation may refuse a request with a client error that `openapi.yaml` does not list; its body must still be an error body.
"""

_FILES = {
    "data": ("project_platform_contract", "data/data.schema.json"),
    "facts": ("project_platform_stub", "profile/facts.schema.json"),  # the wheel contains it once
    "floor": ("project_platform_contract", "run/floor.schema.json"),
    "report": ("project_platform_contract", "reports/report.schema.json"),
}
_ERROR = "#/components/responses/BadRequest"
_SCHEMAS = "#/components/schemas/"
_RESPONSE_FORMATS = FormatChecker()


@_RESPONSE_FORMATS.checks("date-time")
def _is_date_time(value: object) -> bool:
    """Return whether a value is an ISO 8601 date-time, as the specification says, or no text, whose type is checked elsewhere."""
    return not isinstance(value, str) or is_date_time(value)


def problem_of(name: str, value: Any) -> str | None:
    """Return how a value violates one of the suite's schemas, such as `data`; None if it is valid."""
    error = error_of(name, value)
    return None if error is None else message_of(error)


def error_of(name: str, value: Any) -> ValidationError | None:
    """Return the most relevant error of a value against one of the suite's schemas; None if it is valid."""
    found: ValidationError | None = best_match(_own(name).iter_errors(value))
    return found


def read_json(path: Path, name: str) -> Any:
    """Return the content of a JSON file that is valid against one of the suite's schemas.

    Raises:
        ValueError: The file cannot be read or is invalid; the message names the file and the place.
    """
    try:
        value = json.loads(path.read_bytes())
    except OSError as problem:
        raise ValueError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except (ValueError, RecursionError) as problem:
        raise ValueError(f"{path}: not valid JSON: {problem}") from None
    if invalid := problem_of(name, value):
        raise ValueError(f"{path}: {invalid}")
    return value


def members_of(name: str) -> dict[str, Any]:
    """Return the schemas of the members of one of the suite's schemas, such as `data`."""
    schema: Any = _own(name).schema
    members: dict[str, Any] = schema["properties"]
    return members


def response_problem(operation: Operation, status: int, media_type: str, value: Any) -> str | None:
    """Return how a response violates the contract of an operation; None if it is valid.

    The media type has no parameters; the value is the parsed body, or None if the response is not JSON.
    """
    expected = operation.responses.get(str(status)) or operation.responses.get(f"{status // 100}XX")
    if expected is None:
        if status in _GENERIC:
            return None
        if operation.id in LISTED or not 400 <= status <= 499:  # noqa: PLR2004  # the client errors
            return f"status {status} is not documented"
        expected = {"$ref": _ERROR}
    while "$ref" in expected:
        expected = resolved(expected["$ref"])
    documented = JSON if is_json(media_type) else media_type
    if documented not in expected["content"]:
        return f"content type {media_type or 'missing'}, not {' or '.join(expected['content'])}"
    if documented != JSON:
        return None
    validator = _of_contract(expected["content"][documented]["schema"]["$ref"])
    return next(map(message_of, validator.iter_errors(value)), None)


def field_problem(schema: str, value: Any) -> str | None:
    """Return how a value violates a schema of the contract, such as `Agent`; None if it is valid."""
    return next(map(message_of, _of_contract(_SCHEMAS + schema).iter_errors(value)), None)


def fields_of(schema: str) -> tuple[str, ...]:
    """Return the names of the fields of a schema of the contract, such as `Agent`."""
    return tuple(resolved(_SCHEMAS + schema)["properties"])


def missing_fields(operation: Operation, value: Any) -> set[tuple[str, str]]:
    """Return the fields in `x-expected` that the parsed body of a success response lacks.

    Returns:
        Pairs of schema and field, such as `Agent.access`, and `absent` or `null`.
    """
    content = operation.responses["2XX"]["content"]
    return set(_missing(content["application/json"]["schema"], "", value))


def _missing(schema: Mapping[str, Any], name: str, value: Any) -> Iterator[tuple[str, str]]:
    if "$ref" in schema:
        name, schema = schema["$ref"].rpartition("/")[2], resolved(schema["$ref"])
    for choice in schema.get("anyOf", ()):
        yield from _missing(choice, name, value)
    if isinstance(value, list):
        for item in value:
            yield from _missing(schema.get("items", {}), name, item)
    elif isinstance(value, dict):
        for field in schema.get("x-expected", ()):
            if value.get(field) is None:
                yield f"{name}.{field}", "null" if field in value else "absent"
        for field, member_schema in schema.get("properties", {}).items():
            yield from _missing(member_schema, name, value.get(field))


def message_of(error: ValidationError) -> str:
    """Return an error with the member that has it."""
    return f"{error.json_path.removeprefix('$').removeprefix('.') or 'top level'}: {error.message}"


@cache
def _own(name: str) -> Draft202012Validator:
    package, path = _FILES[name]
    spec = find_spec(package)  # finds the stub server without importing it
    assert spec is not None
    assert spec.origin is not None
    return Draft202012Validator(
        json.loads((Path(spec.origin).parent / path).read_text("utf-8")),
        format_checker=FormatChecker(),
    )


@cache
def _of_contract(pointer: str) -> Draft202012Validator:
    schema = {"$ref": pointer, "components": contract()["components"]}
    return Draft202012Validator(schema, format_checker=_RESPONSE_FORMATS)
