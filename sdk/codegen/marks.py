"""Checks the marks of the contract, which its header explains, before anything is generated from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .advice import AGAIN

_KNOWN: Final = frozenset(
    f"x-{name}"
    for name in ("assumed", "columns", "example", "expected", "most-read", "sdk", "secret", "stub", "uncounted")
)
_METHODS: Final = ("get", "put", "post", "patch", "delete")


class _Marks(BaseModel):
    """Members of a mark; others are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _Page(_Marks):
    items: str
    pagination: str


class _Fence(_Marks):
    patch: str
    guard: str


class _Sdk(_Marks):
    """`x-sdk` of an operation."""

    resource: str
    method: str
    unwrap: str | None
    retry: Literal["safe", "fenced", "never"]
    effect: Literal["read", "write", "notify", "irreversible"]
    section: Annotated[str, Field(pattern=r"^[A-Z][a-z ]+( \d+)?$")]
    conflict: Literal["StalePreconditionError", "SlotTakenError"] | None = None
    fence: _Fence | None = None
    look: Annotated[str, Field(min_length=1)] | None = None
    page: _Page | None = None
    positional: list[str] = []
    result: str | None = None
    result_id: str | None = None
    settle: Literal["record", "memory", "event", "repeat", "unique"] | None = None


class _Argument(_Marks):
    """`x-sdk` of a field or a parameter."""

    timestamp: bool = False
    zone: str | None = None


class _Stub(_Marks):
    permission: str | None
    created: bool = False
    real_user: bool = False
    assumed: str | None = Field(None, alias="x-assumed")


class _Example(_Marks):
    call: str
    before: str = ""
    after: str = ""


class _Operation(BaseModel):
    """The parts of an operation that the generator needs."""

    summary: str
    description: str
    sdk: _Sdk = Field(alias="x-sdk")
    stub: _Stub = Field(alias="x-stub")
    example: _Example = Field(alias="x-example")
    columns: list[str] = Field([], alias="x-columns")
    uncounted: list[int] = Field([], alias="x-uncounted")


def problems(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the mistakes in a document, each with the way to fix it."""
    yield from _nodes(document, document, "")
    yield from _expected(document)
    seen: set[str] = set()
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method not in item:
                continue
            operation = item[method]
            name = operation.get("operationId", f"{method.upper()} {path}")
            if name in seen:
                yield f"{name}: two operations have this operationId; it must be unique"
            seen.add(name)
            for problem in _operation(document, path, operation):
                yield f"{name}: {problem}"


def _mistakes(error: ValidationError, *at: str) -> Iterator[str]:
    """Yield the mistakes in the members of a node."""
    for one in error.errors():
        yield f"{'.'.join(map(str, (*at, *one['loc'])))}: {one['msg']}; the header of openapi.yaml explains the marks"


def _operation(document: Mapping[str, Any], path: str, node: Mapping[str, Any]) -> Iterator[str]:
    if extensions := [status for status in node["responses"] if status.startswith("x-")]:
        yield f"responses has {', '.join(extensions)}, which stock tools refuse; move it to the operation"
    parameters = [resolved(document, parameter) for parameter in node.get("parameters", [])]
    declared = {parameter["name"] for parameter in parameters if parameter.get("in") == "path"}
    if declared != (stated := set(re.findall(r"\{(\w+)\}", path))):
        named = ", ".join(sorted(declared ^ stated))
        yield f"the path and `parameters` differ in {named}; a path parameter must be in both"
    success = next((response for status, response in node["responses"].items() if status[0] == "2"), None)
    if success is None or "content" not in resolved(document, success):
        yield "no success response has content; the SDK needs a body in each, such as {success: boolean}"
        return
    try:
        operation = _Operation.model_validate(node)
    except ValidationError as error:
        yield from _mistakes(error)
        return
    sdk, permission = operation.sdk, operation.stub.permission
    if node.get("operationId") != f"{sdk.resource}_{sdk.method}":
        yield f"operationId must be <resource>_<method> of x-sdk, {sdk.resource}_{sdk.method}"
    if sdk.conflict is not None and "409" not in node["responses"]:
        yield "x-sdk.conflict needs a 409 among the responses"
    if (sdk.retry == "fenced") != (sdk.fence is not None):
        yield "x-sdk.fence is required with `retry: fenced`, and allowed only there"
    if sdk.effect not in AGAIN[sdk.retry].reasons:
        yield f"x-sdk has retry {sdk.retry} and effect {sdk.effect}; with this retry, the effect is one of {', '.join(AGAIN[sdk.retry].reasons)}"
    if sdk.settle == "repeat" and sdk.retry != "safe":
        yield "x-sdk.settle is repeat, which sends the request again; it needs `retry: safe`"
    if sdk.effect != "read" and sdk.settle != "repeat" and sdk.look is None:
        yield "x-sdk.look is missing; say what a person does after a lost response where `client.settle` cannot find out"
    if permission is not None and permission not in document["components"]["schemas"]["Permission"]["enum"]:
        yield f"x-stub.permission is {permission!r}; it must be a value of the schema Permission"
    yield from _names(document, node, operation, parameters)


def _names(
    document: Mapping[str, Any], node: Mapping[str, Any], operation: _Operation, parameters: list[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield the names in the marks of an operation that the document does not have where they point."""
    sdk = operation.sdk
    body = body_fields(document, node)
    arguments = [*body, *(parameter["name"] for parameter in parameters)]
    paths = [parameter["name"] for parameter in parameters if parameter.get("in") == "path"]
    zones = [described.get("x-sdk", {}).get("zone") for described in [*body.values(), *parameters]]
    statuses = [status for status in node["responses"] if status.isdigit()]
    named: list[tuple[str, list[Any], Iterable[str]]] = [
        ("x-uncounted", [str(status) for status in operation.uncounted], statuses),
        ("x-sdk.result_id", [sdk.result_id], paths),
        ("x-sdk.positional", [*sdk.positional], arguments),
        ("x-sdk.fence", [sdk.fence.patch, sdk.fence.guard] if sdk.fence else [], body),
        ("x-sdk.zone of a field", zones, body),
    ]
    for mark, names, known in named:
        for name in names:
            if name is not None and name not in known:
                yield f"{mark} is {name!r}; it must be one of {', '.join(known)}"
    page = sdk.page.model_dump() if sdk.page else {}
    for mark, way in {"unwrap": sdk.unwrap, **{f"page.{name}": way for name, way in page.items()}}.items():
        if member(document, node, way or "") is None:
            yield f"x-sdk.{mark} is {way!r}; the response has no such member"
            return
    properties = resolved(document, items(document, node)).get("properties", {})
    if unknown := [name for name in operation.columns if name not in properties]:
        yield f"x-columns has {', '.join(unknown)}; the items of the response have no such property"


def body_fields(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of the request body."""
    contents = operation.get("requestBody", {}).get("content", {}).values()
    fields: Mapping[str, Any] = next(
        (resolved(document, content["schema"]).get("properties", {}) for content in contents), {}
    )
    return fields


def items(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of the result of an operation, as the SDK returns it; of a list, that of its items."""
    sdk = operation["x-sdk"]
    found = member(document, operation, sdk["page"]["items"] if "page" in sdk else sdk["unwrap"] or "") or {}
    element: Mapping[str, Any] = found.get("items", found)
    return element


def member(document: Mapping[str, Any], operation: Mapping[str, Any], way: str) -> Mapping[str, Any] | None:
    """Return the schema of a member of the success response, such as `data.posts`; None if there is none."""
    success = next(node for status, node in operation["responses"].items() if status[0] == "2")
    found: Mapping[str, Any] | None = next(iter(resolved(document, success)["content"].values()))["schema"]
    for step in filter(None, way.split(".")):
        found = resolved(document, found or {}).get("properties", {}).get(step)
    return found


def resolved(document: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a node of a document, or the node that its `$ref` leads to; empty if it leads nowhere."""
    while "$ref" in node:
        node = _target(document, node["$ref"]) or {}
    return node


def _target(document: Mapping[str, Any], reference: str) -> Mapping[str, Any] | None:
    target: Any = document
    for part in reference.removeprefix("#/").split("/"):
        target = target.get(part) if isinstance(target, Mapping) else None
    return target if isinstance(target, Mapping) else None


def _nodes(document: Mapping[str, Any], node: Any, at: str) -> Iterator[str]:
    """Yield the references that lead nowhere, and the marks that are unknown, or those of a field that are wrong."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if not isinstance(node, Mapping):
        return
    if isinstance(reference := node.get("$ref"), str) and _target(document, reference) is None:
        yield f"{at}: $ref is {reference!r}, which the document does not have"
    if "operationId" not in node and "x-sdk" in node:
        try:
            _Argument.model_validate(node["x-sdk"])
        except ValidationError as error:
            yield from _mistakes(error, at, "x-sdk")
    for key, value in node.items():
        if str(key).startswith("x-") and key not in _KNOWN:
            yield f"{at}: {key} is unknown; the marks are {', '.join(sorted(_KNOWN))}"
        yield from _nodes(document, value, f"{at}.{key}" if at else str(key))


def _expected(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields in `x-expected` that a schema does not have, or that it requires."""
    for name, schema in document["components"]["schemas"].items():
        properties = schema.get("properties", {})
        expected = set(schema.get("x-expected", ()))
        if unknown := expected - properties.keys():
            yield f"{name}: x-expected names {', '.join(sorted(unknown))}, which properties does not have"
        if both := expected.intersection(schema.get("required", ())):
            yield f"{name}: {', '.join(sorted(both))} is in x-expected and in required; leave it in one"
