"""The arguments of an operation as the contract describes them, with their limits in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic.alias_generators import to_snake

from ..limits import bounds
from ..marks import resolved

_FORMATS: Final = {"uuid": "a UUID", "date-time": "a time of ISO 8601"}
_MAX_VALUES: Final = 8  # A longer enumeration is counted instead of listed.


@dataclass(frozen=True)
class Field:
    """An argument of an operation: its place and name on the wire, and what the contract says about it."""

    place: str
    name: str
    limits: str
    required: bool
    description: str
    assumed: str

    @property
    def argument(self) -> str:
        """The name in Python."""
        return to_snake(self.name)


def one_line(text: str) -> str:
    """Return a text for the cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def fields(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[Field]:
    """Yield the arguments of an operation, except for the project."""
    for node in operation.get("parameters", ()):
        parameter = resolved(document, node)
        if parameter["name"] != "projectId":
            yield _field(document, parameter["in"], parameter["name"], parameter["schema"], parameter)
    body = resolved(document, operation.get("requestBody", {}))
    for media in body.get("content", {}).values():
        schema = resolved(document, media["schema"])
        for name, node in schema.get("properties", {}).items():
            required = name in schema.get("required", ())
            yield _field(document, "body", name, node, {"required": required, **resolved(document, node), **node})


def _field(
    document: Mapping[str, Any], place: str, name: str, schema: Mapping[str, Any], marks: Mapping[str, Any]
) -> Field:
    return Field(
        place=place,
        name=name,
        limits=_limits(resolved(document, schema)),
        required=marks.get("required") is True,
        description=one_line(marks.get("description", "")),
        assumed=one_line(marks.get("x-assumed", "")),
    )


def _limits(schema: Mapping[str, Any]) -> str:
    found = [words for _, words in bounds(schema)]
    if "pattern" in schema:
        found.append(f"matches the regular expression `{schema['pattern']}`")
    if "format" in schema:
        found.append(_FORMATS[schema["format"]])
    if "default" in schema:
        found.append(f"`{schema['default']}` if not given")
    values = schema.get("enum", ())
    if len(values) > _MAX_VALUES:
        found.append(f"one of {len(values)} values")
    elif values:
        found.append("one of " + ", ".join(f"`{value}`" for value in values))
    return ", ".join(found)
