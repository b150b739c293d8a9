"""Checks the marks `x-sdk`, `x-stub` and `x-example` of every operation before anything is generated from them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_REQUIRED: Final = ("resource", "method", "unwrap", "retry", "effect", "section")
_OPTIONAL: Final = ("result_id", "conflict", "fence", "look", "page", "positional", "result", "settle")
_VALUES: Final = {
    "retry": ("safe", "fenced", "never"),
    "effect": ("read", "write", "notify", "irreversible"),
    "conflict": ("StalePreconditionError", "SlotTakenError"),
    "settle": ("record", "memory", "event", "repeat", "unique"),
}
_STUB: Final = ("permission", "created", "real_user", "x-assumed")
_EXAMPLE: Final = ("before", "call", "after")
_SECTION: Final = re.compile(r"[A-Z][a-z ]+( \d+)?")
_METHODS: Final = ("get", "put", "post", "patch", "delete")


def problems(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the mistakes in the operations of a document, each with the way to fix it."""
    yield from _references(document, document, "")
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


def _operation(document: Mapping[str, Any], path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    if "summary" not in operation:
        yield "summary is missing; docstrings and the reference need it"
    if extensions := [status for status in operation["responses"] if status.startswith("x-")]:
        yield f"responses has {', '.join(extensions)}, which stock tools refuse; move it to the operation"
    if undocumented := [
        status for status in operation.get("x-uncounted", []) if str(status) not in operation["responses"]
    ]:
        yield f"x-uncounted has {', '.join(map(str, undocumented))}, which `responses` does not have; add it there"
    declared = {
        parameter["name"]
        for parameter in (resolved(document, node) for node in operation.get("parameters", []))
        if parameter.get("in") == "path"
    }
    if declared != (stated := set(re.findall(r"\{(\w+)\}", path))):
        named = ", ".join(sorted(declared ^ stated))
        yield f"the path and `parameters` differ in {named}; a path parameter must be in both"
    success = next((response for status, response in operation["responses"].items() if status[0] == "2"), None)
    if success is None or "content" not in resolved(document, success):
        yield "no success response has content; the SDK needs a body in each, such as {success: boolean}"
    if (result_id := operation.get("x-sdk", {}).get("result_id")) is not None and result_id not in declared:
        yield f"x-sdk.result_id is {result_id!r}; it must be a path parameter, {' or '.join(sorted(declared))}"
    if unknown := [name for name in operation.get("x-columns", ()) if name not in _properties(document, operation)]:
        yield f"x-columns has {', '.join(unknown)}; the items of the response have no such property"
    yield from _sdk(operation)
    yield from _stub(document, operation)
    yield from _example(operation)


def _properties(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the properties of the items of a list."""
    properties: Mapping[str, Any] = resolved(document, items(document, operation))["properties"]
    return properties


def items(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of the result of an operation, as the SDK returns it; of a list, that of its items."""
    sdk = operation["x-sdk"]
    success = next(node for status, node in operation["responses"].items() if status[0] == "2")
    found: Mapping[str, Any] = next(iter(resolved(document, success)["content"].values()))["schema"]
    for step in filter(None, (sdk["page"]["items"] if "page" in sdk else sdk["unwrap"] or "").split(".")):
        found = resolved(document, found)["properties"][step]
    element: Mapping[str, Any] = found.get("items", found)
    return element


def _sdk(operation: Mapping[str, Any]) -> Iterator[str]:
    if "x-sdk" not in operation:
        yield "x-sdk is missing; the header of openapi.yaml explains it"
        return
    sdk = operation["x-sdk"]
    for key in _REQUIRED:
        if key not in sdk:
            yield f"x-sdk.{key} is missing; the header of openapi.yaml explains it"
    for key in sdk:
        if key not in _REQUIRED + _OPTIONAL:
            yield f"x-sdk.{key} is unknown; the marks are {', '.join(_REQUIRED + _OPTIONAL)}"
    for key, values in _VALUES.items():
        if key in sdk and sdk[key] not in values:
            yield f"x-sdk.{key} is {sdk[key]!r}; it must be one of {', '.join(values)}"
    if operation.get("operationId") != f"{sdk.get('resource')}_{sdk.get('method')}":
        yield f"operationId must be <resource>_<method> of x-sdk, {sdk.get('resource')}_{sdk.get('method')}"
    if not _SECTION.fullmatch(str(sdk.get("section"))):
        yield f"x-sdk.section is {sdk.get('section')!r}; it must be a section of the specification, such as Endpoints 4"
    if "conflict" in sdk and "409" not in operation["responses"]:
        yield "x-sdk.conflict needs a 409 among the responses"
    if (sdk.get("retry") == "fenced") != ("fence" in sdk):
        yield "x-sdk.fence is required with `retry: fenced`, and allowed only there"
    if sdk.get("effect") != "read" and sdk.get("settle") != "repeat" and "look" not in sdk:
        yield "x-sdk.look is missing; say what a person does after a lost response where `client.settle` cannot find out"


def _stub(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[str]:
    stub = operation.get("x-stub", {})
    for key in stub:
        if key not in _STUB:
            yield f"x-stub.{key} is unknown; the marks are {', '.join(_STUB)}"
    if "permission" not in stub:
        yield "x-stub.permission is missing; it is the permission that the stub server requires, or null for none"
    permission = stub.get("permission")
    if permission is not None and permission not in document["components"]["schemas"]["Permission"]["enum"]:
        yield f"x-stub.permission is {permission!r}; it must be a value of the schema Permission"


def _example(operation: Mapping[str, Any]) -> Iterator[str]:
    example = operation.get("x-example", {})
    for key in example:
        if key not in _EXAMPLE:
            yield f"x-example.{key} is unknown; the marks are {', '.join(_EXAMPLE)}"
    if "call" not in example:
        yield "x-example.call is missing; it is the call that the page of the operation shows"


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


def _references(document: Mapping[str, Any], node: Any, at: str) -> Iterator[str]:
    """Yield the references that lead nowhere."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if not isinstance(node, Mapping):
        return
    if isinstance(reference := node.get("$ref"), str) and _target(document, reference) is None:
        yield f"{at}: $ref is {reference!r}, which the document does not have"
    for key, value in node.items():
        yield from _references(document, value, f"{at}.{key}" if at else str(key))


def _expected(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields in `x-expected` that a schema does not have, or that it requires."""
    for name, schema in document["components"]["schemas"].items():
        properties = schema.get("properties", {})
        expected = set(schema.get("x-expected", ()))
        if unknown := expected - properties.keys():
            yield f"{name}: x-expected names {', '.join(sorted(unknown))}, which properties does not have"
        if both := expected.intersection(schema.get("required", ())):
            yield f"{name}: {', '.join(sorted(both))} is in x-expected and in required; leave it in one"
