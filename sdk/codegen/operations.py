"""Operations as the templates use them: names, arguments, result and docstring."""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from openapi_python_client.parser.openapi import Endpoint
from openapi_python_client.parser.properties import EnumProperty, ModelProperty
from openapi_python_client.parser.properties.list_property import ListProperty
from openapi_python_client.parser.properties.protocol import PropertyProtocol
from openapi_python_client.parser.properties.union import UnionProperty
from pydantic.alias_generators import to_snake

from project_platform import errors
from project_platform.calls.error_mapping import status_error_class

from .annotations import annotation, fields, flattened, is_free_form, is_map, text
from .marks import resolved

_LIMITS: Final = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "minimum": "ge",
    "maximum": "le",
}
_REPEATED: Final = {
    "safe": "Sent again after a lost response: applying it twice has the same effect as applying it once.",
    "fenced": "Sent again after a lost response only if `expected_data` is false once the update has been applied.",
    "never": "Never sent again once it may have arrived: a lost response raises `OutcomeUnknownError`.",
}


@dataclass(frozen=True)
class Argument:
    """An argument of a generated method."""

    prop: PropertyProtocol
    place: str
    description: str
    timestamp: bool
    zone: str | None
    limits: dict[str, int]
    exploded: bool = False

    @property
    def name(self) -> str:
        """The name in Python."""
        return str(self.prop.python_name)

    @property
    def wire_name(self) -> str:
        """The name in requests."""
        return text(self.prop.name)

    @property
    def is_identifier(self) -> bool:
        """Whether it is an identifier, for which callers may also pass a UUID."""
        return self.name.endswith("_id")

    @property
    def accepts(self) -> str:
        """The type a caller may pass."""
        kind = "datetime.datetime | str" if self.timestamp else annotation(self.prop, given=True)
        return kind.replace("str", "str | UUID") if self.is_identifier and "UUID" not in kind else kind

    @property
    def query_value(self) -> str:
        """The expression that turns it into a query parameter."""
        if self.timestamp:
            return f'moment("{self.name}", {self.name})'
        if isinstance(self.prop, EnumProperty):
            return f'one_of("{self.name}", {self.name}, get_args({self.prop.class_info.name}))'
        if annotation(self.prop) == "int":
            bounds = "".join(f", {word}={self.limits[word]}" for word in ("minimum", "maximum") if word in self.limits)
            return f'integer("{self.name}", {self.name}{bounds})'
        return f'text("{self.name}", {self._as_text})'

    @property
    def body_value(self) -> str:
        """The expression that turns it into a field of the body."""
        if self.timestamp:
            return f'timestamp("{self.name}", {self.name}, {self.zone})'
        return self._as_text

    @property
    def _as_text(self) -> str:
        return f"identifier({self.name})" if self.is_identifier else self.name


class GeneratedOperation:
    """An endpoint of the parser, extended by what the parser dropped."""

    def __init__(self, endpoint: Endpoint, raw: dict[str, Any], document: dict[str, Any]) -> None:
        self.endpoint = endpoint
        self.id: str = endpoint.name
        self.sdk: dict[str, Any] = raw["x-sdk"]
        self.resource: str = self.sdk["resource"]
        self.method: str = self.sdk["method"]
        self.http_method = endpoint.method.upper()
        self.path: str = endpoint.path.get_untrusted_value()
        self.summary: str = raw["summary"]
        self.description: str = raw["description"]
        self._raw = raw
        self._document = document
        self.body = endpoint.bodies[0].prop if endpoint.bodies else None
        # The response whose range starts at 2xx; the parser does not keep the order of the document.
        self.success = next(
            response
            for response in endpoint.responses.patterns
            if response.status_code.range and response.status_code.range[0] // 100 == 2  # noqa: PLR2004
        )
        self.result_prop: PropertyProtocol = [self.success.prop, *self._unwrapped()][-1]
        self.page: dict[str, str] | None = self.sdk.get("page")
        self.args = list(self._arguments())

    def _unwrapped(self) -> Iterator[PropertyProtocol]:
        """Yield the members of the response on the way to the result."""
        prop: PropertyProtocol = self.success.prop
        for step in filter(None, (self.sdk["unwrap"] or "").split(".")):
            prop = next(field for field in fields(prop) if field.name == step)
            yield prop

    def _resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        return resolved(self._document, node)

    def _arguments(self) -> Iterator[Argument]:
        parameters = {p["name"]: p for p in map(self._resolve, self._raw.get("parameters", []))}
        groups: tuple[tuple[str, Sequence[PropertyProtocol]], ...] = (
            ("path", self.endpoint.path_parameters),
            ("query", self.endpoint.query_parameters),
        )
        for place, props in groups:
            for prop in props:
                raw = parameters[prop.name]
                limits = {key: value for key, value in raw["schema"].items() if key in {"minimum", "maximum"}}
                yield self._argument(prop, place, raw, limits, exploded=bool(raw.get("explode")))
        if self.body is not None:
            content = next(iter(self._raw["requestBody"]["content"].values()))
            properties = self._resolve(content["schema"])["properties"]
            for prop in fields(self.body):
                yield self._argument(prop, "body", properties[prop.name], {})

    def _argument(
        self,
        prop: PropertyProtocol,
        place: str,
        raw: Mapping[str, Any],
        limits: dict[str, int],
        *,
        exploded: bool = False,
    ) -> Argument:
        hints = raw.get("x-sdk", {})
        described = raw.get("description") or self._resolve(raw).get("description", "")
        zone = hints.get("zone")
        return Argument(
            prop,
            place,
            described,
            bool(hints.get("timestamp")),
            None if zone is None else next(str(p.python_name) for p in fields(self.body) if p.name == zone),
            limits,
            exploded,
        )

    @property
    def has_project(self) -> bool:
        """Whether the operation belongs to a project."""
        return any(arg.wire_name == "projectId" for arg in self.args)

    @property
    def positional(self) -> list[Argument]:
        """Arguments that may be positional: identifiers, and those in `x-sdk.positional`."""
        by_hand = self.sdk.get("positional", [])
        return [a for a in self.args if (a.place == "path" and a.wire_name != "projectId") or a.wire_name in by_hand]

    @property
    def required(self) -> list[Argument]:
        """Required keyword-only arguments."""
        taken = self.positional
        return [a for a in self.args if a.prop.required and a.wire_name != "projectId" and a not in taken]

    @property
    def optional(self) -> list[Argument]:
        """Optional keyword-only arguments."""
        return [a for a in self.args if not a.prop.required]

    @property
    def shown(self) -> list[Argument]:
        """All arguments of the generated method, in order."""
        return [*self.positional, *self.required, *self.optional]

    @property
    def query(self) -> list[Argument]:
        """Arguments that are one query parameter each."""
        return [a for a in self.args if a.place == "query" and not a.exploded]

    @property
    def exploded(self) -> list[Argument]:
        """Arguments whose members are query parameters."""
        return [a for a in self.args if a.exploded]

    @property
    def fields(self) -> list[Argument]:
        """Arguments that are fields of the request body."""
        return [a for a in self.args if a.place == "body"]

    @property
    def path_expression(self) -> str:
        """The path as an f-string with one segment for each parameter."""
        path = self.path
        for arg in self.args:
            if arg.place == "path":
                call = "project_id" if arg.wire_name == "projectId" else "segment"
                value = f"checked_{call}({arg.name})" if call == "project_id" else f"segment('{arg.name}', {arg.name})"
                path = path.replace(f"{{{arg.name}}}", f"{{{value}}}").replace(f"{{{arg.wire_name}}}", f"{{{value}}}")
        return f'f"{path}"' if "{" in path else f'"{path}"'

    @property
    def envelope(self) -> str:
        """The class of the whole response."""
        return annotation(self.success.prop)

    @property
    def result_class(self) -> str | None:
        """Dotted name of the hand-written class that reads the response, if there is one."""
        return self.sdk.get("result")

    @property
    def result(self) -> str:
        """The type of the result of a call."""
        if self.result_class:
            return self.result_class.rpartition(".")[2]
        return f"Listing[{annotation(self.listed)}]" if self.listed else annotation(self.result_prop)

    @property
    def listed(self) -> PropertyProtocol | None:
        """The property of the items of the result, if it is a list of models."""
        items = self.result_prop.inner_property if isinstance(self.result_prop, ListProperty) else None
        return items if isinstance(items, ModelProperty) and fields(items) else None

    @property
    def unwrap(self) -> str | None:
        """Dotted name in Python of the member of the response that is returned."""
        return ".".join(str(prop.python_name) for prop in self._unwrapped()) or None

    @property
    def item(self) -> PropertyProtocol:
        """The property of the items of a page."""
        assert self.page is not None
        listed = next(field for field in fields(self.success.prop) if field.name == self.page["items"])
        assert isinstance(listed, ListProperty)
        return listed.inner_property

    @property
    def echoes(self) -> bool:
        """Whether free-form JSON of the response may be sent again, so that its numbers must keep their digits."""
        sent = {field.name for field in fields(self.body) if is_free_form(_plain(field))}
        return any(field.name in sent and is_free_form(_plain(field)) for field in fields(self.result_prop))

    @property
    def conflict(self) -> str:
        """The error class of a 409."""
        return str(self.sdk.get("conflict", "ConflictError"))

    @property
    def fence(self) -> tuple[str, str] | None:
        """The arguments that are patch and guard of a fenced update."""
        if self.sdk["retry"] != "fenced":
            return None
        names = {arg.wire_name: arg.name for arg in self.fields}
        return names[self.sdk["fence"]["patch"]], names[self.sdk["fence"]["guard"]]

    @property
    def result_id(self) -> str | None:
        """The path argument whose value is the `id` of the result."""
        names = {arg.wire_name: arg.name for arg in self.args if arg.place == "path"}
        return names[self.sdk["result_id"]] if "result_id" in self.sdk else None

    def docstring_of_call(self, indent: int) -> str:
        """Return the docstring of the function that describes a call, without quotes; the method has the rest."""
        width = 118 - indent
        owner, more = ("project", "`project_id` and ") if self.has_project else ("client", "")
        method = f"`{owner}.{self.resource}.{self.method}`"
        parts = [self.summary, ""]
        parts += _wrap(f"The arguments are {more}those of {method}, whose documentation has them.", width)
        parts += ["", "Raises:", *_entry("UsageError", "An argument is invalid; nothing was sent.", width)]
        return _indented([*parts, "", f"Source: the specification, {self.sdk['section']}."], indent)

    def docstring_of_coroutine(self, of: str, indent: int) -> str:
        """Return the docstring of the method of an asynchronous client, without quotes; that of the class `of` has the rest."""
        same = f"Same as `{of}.{self.method}`, but {'iterated with `async for`' if self.page else 'awaited'}."
        return _indented([self.summary, "", same], indent)

    def docstring(self, indent: int) -> str:
        """Return the docstring of the generated method, without quotes."""
        width = 118 - indent
        parts = [self.summary, ""]
        parts += [*_wrap(self.description, width), "", *_wrap(_REPEATED[self.sdk["retry"]], width)]
        parts += ["", "Example:", *(f"    {line}" for line in self._example())]
        parts += ["", "Args:"]
        for arg in self.shown:
            parts += _entry(arg.name, arg.description, width)
        parts += _entry("options", "Options for this call only.", width)
        parts += ["", "Raises:"]
        parts += _entry("UsageError", "An argument is invalid; nothing was sent.", width)
        causes_by_error: dict[str, list[str]] = defaultdict(list)
        for status, response in self._raw["responses"].items():
            if status.isdigit() and not status.startswith("2"):
                kind = status_error_class(int(status), getattr(errors, self.conflict)).__name__
                if kind == "StatusError":  # a status without a class, which the last entry covers
                    continue
                causes_by_error[kind].append(f"{status}: {self._resolve(response)['description']}")
        for kind, causes in causes_by_error.items():
            parts += _entry(kind, " ".join(causes), width)
        parts += _entry("PlatformError", "Any other error of a call; `applied` says whether it was applied.", width)
        parts += ["", f"Source: the specification, {self.sdk['section']}."]
        return _indented(parts, indent)

    def _example(self) -> list[str]:
        """Return the example of the operation as Markdown. `before` is left out where it has only identifiers."""
        example = self._raw["x-example"]
        before = example.get("before", "")
        code = ("" if '"{' in before else before) + example["call"] + example.get("after", "")
        return ["```python", *code.splitlines(), "```"]


class Limits:
    """Limits that the parser drops, as arguments of pydantic's `Field`.

    A limit that is only assumed (`x-assumed`) is left out: the SDK refuses what the specification refuses, and no more.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas = document["components"]["schemas"]

    def of(self, model: str, field: str) -> str:
        """Return the limits of a field."""
        return self._arguments(self._schemas[model]["properties"][field])

    def of_items(self, model: str, field: str) -> str:
        """Return the limits of the items of a field."""
        return self._arguments(self._schemas[model]["properties"][field].get("items", {}))

    def of_response(self, model: str, field: str) -> str:
        """Return the limits of a list in a response: too many items are refused before they are decoded, and the first wrong item is enough."""
        schema = self._schemas[model]["properties"][field]
        if schema.get("type") != "array":
            return ""
        most = [f"max_length={schema['x-most-read']}"] if "x-most-read" in schema else []
        return ", ".join([*most, "fail_fast=True"])

    @staticmethod
    def _arguments(schema: dict[str, Any]) -> str:
        if "x-assumed" in schema:
            return ""
        return ", ".join(f"{word}={schema[limit]}" for limit, word in _LIMITS.items() if limit in schema)


def method(operation: Mapping[str, Any]) -> str:
    """Return the name of an operation in the SDK, such as `calendar.book`."""
    return f"{operation['x-sdk']['resource']}.{operation['x-sdk']['method']}"


def raw_operations(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the operations of a document by their identifier."""
    return {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for operation in item.values()
        if isinstance(operation, dict) and "operationId" in operation
    }


def by_resource(operations: Iterable[GeneratedOperation]) -> dict[str, list[GeneratedOperation]]:
    """Return the operations by resource, in order of their names."""
    found: dict[str, list[GeneratedOperation]] = defaultdict(list)
    for operation in sorted(operations, key=lambda operation: operation.id):
        found[operation.resource].append(operation)
    return dict(sorted(found.items()))


def sent_only(operations: Iterable[GeneratedOperation]) -> set[str]:
    """Return the classes that occur only in requests, in which an unknown field is a mistake."""
    sent: set[str] = set()
    received: set[str] = set()
    for operation in operations:
        received.update(_reached(operation.success.prop))
        if operation.body is not None:
            sent.update(_reached(operation.body))
    return sent - received


def by_module(operations: Iterable[GeneratedOperation]) -> dict[str, dict[str, ModelProperty | EnumProperty]]:
    """Return the classes by module, each after those of its fields: a module for each resource, and `shared` for several.

    Enumerations have their own, which imports nothing: the command line reads them for its help.
    """
    resources: dict[str, set[str]] = defaultdict(set)
    classes: dict[str, ModelProperty | EnumProperty] = {}
    for operation in operations:
        responses = [response.prop for response in operation.endpoint.responses.patterns]
        for prop in [*responses, *(arg.prop for arg in operation.args), operation.body]:
            for part in _classes(prop):
                name = str(part.class_info.name)
                classes.setdefault(name, part)
                resources[name].add(operation.resource)
    modules: dict[str, dict[str, ModelProperty | EnumProperty]] = defaultdict(dict)
    for name, part in classes.items():
        only, *others = sorted(resources[name])
        module = "enumerations" if isinstance(part, EnumProperty) else "shared" if others else only
        modules[module][name] = part
    return modules


def _reached(prop: PropertyProtocol) -> set[str]:
    return {str(part.class_info.name) for part in _classes(prop)}


def _classes(prop: PropertyProtocol | None) -> Iterator[ModelProperty | EnumProperty]:
    """Yield the classes in a type, each after those of its fields."""
    for part in flattened([] if prop is None else [prop]):
        if isinstance(part, EnumProperty) or (isinstance(part, ModelProperty) and not is_map(part)):
            for field in fields(part):
                yield from _classes(field)
            yield part


def _plain(prop: PropertyProtocol) -> PropertyProtocol:
    if isinstance(prop, UnionProperty):
        return next(inner for inner in prop.inner_properties if annotation(inner) != "None")
    return prop


def _wrap(prose: str, width: int, first: str = "", rest: str = "") -> list[str]:
    # The document uses the JSON names of fields; docstrings use their Python names.
    prose = re.sub(r"`([a-z]+[A-Z]\w*)`", lambda name: f"`{to_snake(name[1])}`", prose)
    return textwrap.wrap(prose, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _indented(lines: list[str], indent: int) -> str:
    return "\n".join(" " * indent + line if line and number else line for number, line in enumerate(lines))


def _entry(name: str, prose: str, width: int) -> list[str]:
    return _wrap(f"{name}: {prose}", width, "    ", "        ")
