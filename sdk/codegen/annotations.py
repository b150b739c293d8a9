"""Converts the parser's properties to the type annotations of the generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from openapi_python_client.parser.properties import EnumProperty, ModelProperty
from openapi_python_client.parser.properties.datetime import DateTimeProperty
from openapi_python_client.parser.properties.file import FileProperty
from openapi_python_client.parser.properties.list_property import ListProperty
from openapi_python_client.parser.properties.none import NoneProperty
from openapi_python_client.parser.properties.protocol import PropertyProtocol
from openapi_python_client.parser.properties.union import UnionProperty
from openapi_python_client.parser.properties.uuid import UuidProperty
from openapi_python_client.schema.untrusted_string import UntrustedString
from pydantic.alias_generators import to_camel


def fields(model: PropertyProtocol | None) -> list[PropertyProtocol]:
    """Return the fields of a model, required ones first; empty for other properties."""
    if not isinstance(model, ModelProperty):
        return []
    return [*(model.required_properties or []), *(model.optional_properties or [])]


def is_map(prop: PropertyProtocol) -> bool:
    """Return whether this is a free-form object: a dict, never a class."""
    return isinstance(prop, ModelProperty) and not fields(prop)


def is_free_form(prop: PropertyProtocol) -> bool:
    """Return whether any JSON value is allowed."""
    return is_map(prop) or annotation(prop) == "Any"


def nullable(prop: PropertyProtocol) -> bool:
    """Return whether null is allowed."""
    return isinstance(prop, UnionProperty) and any(isinstance(p, NoneProperty) for p in prop.inner_properties)


def annotation(prop: PropertyProtocol, *, given: bool = False) -> str:
    """Return the type annotation of a property.

    Args:
        prop: The property.
        given: Whether to return the wider type that callers may pass.
    """
    if isinstance(prop, ModelProperty):
        if is_map(prop):
            extra = prop.additional_properties
            values = annotation(extra, given=given) if extra else "Any"
            return f"{'Mapping' if given else 'dict'}[str, {values}]"
        name = str(prop.class_info.name)
        return f"{name} | Mapping[str, Any]" if given else name
    if isinstance(prop, ListProperty):
        return f"{'Sequence' if given else 'list'}[{annotation(prop.inner_property, given=given)}]"
    if isinstance(prop, UnionProperty):
        inner = [annotation(p, given=given) for p in prop.inner_properties if not isinstance(p, NoneProperty)]
        return " | ".join([*inner, "None"] if nullable(prop) else inner)
    if isinstance(prop, EnumProperty):
        return str(prop.class_info.name)
    if isinstance(prop, UuidProperty):
        return "str | UUID" if given else "UUID"
    if isinstance(prop, DateTimeProperty):
        return "datetime.datetime | str" if given else "datetime.datetime"
    if isinstance(prop, FileProperty):
        return "bytes"
    return str(prop.get_base_type_string().as_unembedded_code())


def field_type(prop: PropertyProtocol, *, expected: bool = False) -> str:
    """Return the type of a model's field, with None if the field may be missing and is not expected."""
    kind = annotation(prop)
    if expected:
        return f"Expected[{kind.removesuffix(' | None')}]"
    return kind if prop.required or nullable(prop) or kind == "Any" else f"{kind} | None"


def marked_fields(
    schemas: Mapping[str, Any], is_marked: Callable[[Mapping[str, Any]], bool]
) -> dict[str, frozenset[str]]:
    """Return the fields whose schema has a mark, by the schema of the model."""
    return {
        name: frozenset(field for field, node in schema.get("properties", {}).items() if is_marked(node))
        for name, schema in schemas.items()
    }


def is_timestamp(node: Mapping[str, Any]) -> bool:
    """Return whether a field is text and marked with `x-sdk: {timestamp: true}`."""
    return bool(node.get("x-sdk", {}).get("timestamp")) and node.get("format") != "date-time"


def flattened(props: Iterable[PropertyProtocol]) -> Iterator[PropertyProtocol]:
    """Yield properties, and those of which their lists and unions consist."""
    for prop in props:
        yield prop
        if isinstance(prop, ListProperty):
            yield from flattened([prop.inner_property])
        elif isinstance(prop, UnionProperty):
            yield from flattened(prop.inner_properties)


def class_names(props: Iterable[PropertyProtocol]) -> set[str]:
    """Return the name of every generated class in the annotations of the properties."""
    return {
        str(part.class_info.name)
        for part in flattened(props)
        if isinstance(part, EnumProperty) or (isinstance(part, ModelProperty) and not is_map(part))
    }


def text(value: object) -> str:
    """Return a string of the document, which the parser wraps because documents may be untrusted."""
    return value.get_untrusted_value() if isinstance(value, UntrustedString) else str(value)


def complete(props: Iterable[PropertyProtocol], models: Mapping[str, ModelProperty]) -> None:
    """Add missing fields to references to models, because the parser copies some models before it has read them."""
    for part in flattened(props):
        if isinstance(part, ModelProperty):
            model = models.get(str(part.class_info.name))
            if model is not None and part.required_properties is None:
                part.required_properties = model.required_properties
                part.optional_properties = model.optional_properties
                part.additional_properties = model.additional_properties
            complete(fields(part), models)


def name_problems(model: ModelProperty) -> Iterator[str]:
    """Yield the fields for whose Python name pydantic's alias is not their JSON name."""
    for prop in fields(model):
        if (sent := to_camel(str(prop.python_name))) != prop.name:
            yield f"{model.class_info.name}.{prop.python_name} would be sent as {sent}"
