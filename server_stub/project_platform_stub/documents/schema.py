"""Validates documents against a JSON Schema (Draft 2020-12), and reports every violation with its line.

A schema may define the message for a rule with the keyword `errorMessage` next to the rule; editors support it, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, cast

from jsonschema_rs import Draft202012Validator, ValidationError, ValidationErrorKind

from project_platform_stub.http.messages import json_type

from .document import Document, Problems, did_you_mean
from .syntax import Place

_MAX_OPTIONS = 8  # Allowed values in a message.


class Schema:
    """A compiled JSON Schema.

    Args:
        formats: Checks of custom formats by name: they return whether a string has the format.
    """

    def __init__(self, schema: Mapping[str, Any], formats: Mapping[str, Callable[[str], bool]]) -> None:
        self._schema = schema
        self._validator = Draft202012Validator(dict(schema), validate_formats=True, formats=dict(formats))

    def check(self, document: Document) -> None:
        """Refuse a document that does not conform to the schema.

        Raises:
            DocumentError: The document does not conform; the error lists every violation.
        """
        problems = Problems(document)
        for error in self._validator.iter_errors(document.value):
            self._add(error, problems)
        problems.raise_any()

    def _add(self, error: ValidationError, problems: Problems) -> None:
        place: Place = tuple(error.instance_path)
        rules = self._rules(error.schema_path[:-1])
        match error.kind:
            case ValidationErrorKind.AdditionalProperties() as kind:
                known = set(rules.get("properties", ())).difference(cast("dict[str, Any]", error.instance))
                for name in sorted(kind.unexpected):
                    problems.add((*place, name), f"is not known here{did_you_mean(name, known)}")
            case ValidationErrorKind.Required() as kind:
                problems.add((*place, kind.property), "is required")
            case ValidationErrorKind.PropertyNames() as kind:
                name = str(kind.error.instance)
                problems.add((*place, name), self._message(kind.error))
            case _:
                problems.add(place, self._message(error))

    def _message(self, error: ValidationError) -> str:
        message = self._rules(error.schema_path[:-1]).get("errorMessage")
        return str(message or describe_kind(error.kind, error.instance) or error.message)

    def _rules(self, path: Sequence[str | int]) -> Any:
        """Return the part of the schema at a path."""
        rules: Any = self._schema
        for step in path:
            rules = rules[step]
        return rules


@cache
def packaged_schema(name: str) -> Mapping[str, Any]:
    """Return a JSON Schema of this distribution; its name is a path inside the package."""
    schema: dict[str, Any] = json.loads(files("project_platform_stub").joinpath(name).read_text("utf-8"))
    return schema


@cache
def compiled_schema(name: str, definition: str | None = None) -> Schema:
    """Return a schema of this distribution, or one of its `$defs`, compiled."""
    schema = packaged_schema(name)
    return Schema({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]} if definition else schema, {})


def describe_kind(kind: Any, value: Any) -> str | None:
    """Return the problem of a value, given the kind of a `ValidationError`; None for a rule without a message."""
    match kind:
        case ValidationErrorKind.Type():
            return f"must be {' or '.join(kind.types)}, not {json_type(value)}"
        case ValidationErrorKind.Enum():
            options = list(kind.options)
            if isinstance(value, str) and (hint := did_you_mean(value, options)):
                return f'is none of those allowed: "{value}"{hint}'
            shown = ", ".join(json.dumps(option, ensure_ascii=False) for option in options[:_MAX_OPTIONS])
            return f"must be one of {shown}{', ...' if len(options) > _MAX_OPTIONS else ''}"
        case ValidationErrorKind.MinLength() | ValidationErrorKind.MinItems() if len(value) == 0 and kind.limit == 1:
            return "must not be empty"
        case ValidationErrorKind.MinLength() | ValidationErrorKind.MinItems():
            return f"has {len(value)} {_units(value)}; the minimum is {kind.limit}"
        case ValidationErrorKind.MaxLength() | ValidationErrorKind.MaxItems():
            return f"has {len(value)} {_units(value)}; the maximum is {kind.limit}"
        case ValidationErrorKind.Minimum():
            return f"is {value}; the minimum is {kind.limit}"
        case ValidationErrorKind.ExclusiveMinimum():
            return f"is {value}; it must be more than {kind.limit}"
        case ValidationErrorKind.Maximum():
            return f"is {value}; the maximum is {kind.limit}"
        case ValidationErrorKind.Format():
            return f"is not a valid {kind.format}"
        case ValidationErrorKind.UniqueItems():
            return "has the same item twice"
        case _:
            return None


def _units(value: Any) -> str:
    return "characters" if isinstance(value, str) else "items"
