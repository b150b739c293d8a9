"""The contract: `openapi.yaml`, read once into the operations that the stub answers.

The stub and the SDK share only this document. The file is inside the package (a wheel) or at the root of the repository
(an editable install).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

# The C loader is ten times as fast; PyYAML lacks it where it was built without libyaml.
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation.

    Attributes:
        place: `path` or `query`.
        required: Whether a request must have it.
        type: JSON type of its schema; None if the schema states none.
        pointer: Reference to its schema.
    """

    name: str
    place: str
    required: bool
    type: str | None
    pointer: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the service.

    Attributes:
        id: `operationId`.
        method: Method, in capitals.
        effect: Effect on the world: `read`, `write`, `notify` or `irreversible`.
        segments: Segments of the path; parameters as `{name}`.
        body: Reference to the schema of the body; None if it takes no body.
        responses: References to the response schemas by status (`2XX`, `200`, `404`); None for a body that is not JSON.
        permission: Permission in the project that a caller needs; None if membership is enough.
        real_user: Whether a service account is refused, whatever its role.
    """

    id: str
    method: str
    effect: str
    segments: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    body: str | None
    body_fields: frozenset[str]
    responses: Mapping[str, str | None]
    permission: str | None
    created: bool
    real_user: bool

    @property
    def fields(self) -> frozenset[str]:
        """The fields of the body and the query parameters, without those of any name."""
        return self.body_fields | {
            item.name for item in self.parameters if item.place == "query" and item.type != "object"
        }

    @property
    def statuses_stated(self) -> bool:
        """Whether the specification states the statuses of its responses, so that a profile does not choose them."""
        return "2XX" not in self.responses


@dataclass(frozen=True, slots=True)
class Contract:
    """The contract: the operations by operationId, and the target of `#/components/` references."""

    operations: Mapping[str, Operation]
    components: Mapping[str, Any]

    def schema_fields(self, schema: str, type: str | None = None) -> tuple[str, ...]:
        """Return the names of the properties of a schema, or of those that can have a JSON type."""
        properties: Mapping[str, Any] = self.components["schemas"][schema]["properties"]
        return tuple(name for name, rules in properties.items() if type is None or type in rules.get("type", ()))


@cache
def load_contract() -> Contract:
    """Return the contract of this installation of the stub."""
    with _file().open("rb") as file:
        document: dict[str, Any] = yaml.load(file, _Loader)  # noqa: S506  # both loaders are safe ones
    operations = [
        _operation(document, path, method, node)
        for path, path_item in document["paths"].items()
        for method, node in path_item.items()
    ]
    return Contract({operation.id: operation for operation in operations}, document["components"])


def _file() -> Path:
    here = Path(__file__).resolve().parent
    packaged = here / "openapi.yaml"
    return packaged if packaged.exists() else here.parents[1] / "openapi.yaml"


def _operation(document: dict[str, Any], path: str, method: str, node: dict[str, Any]) -> Operation:
    responses, stub = node["responses"], node["x-stub"]
    body = node.get("requestBody")
    body_schema: str | None = body["content"]["application/json"]["schema"]["$ref"] if body else None
    return Operation(
        id=node["operationId"],
        method=method.upper(),
        effect=node["x-sdk"]["effect"],
        segments=tuple(path.removeprefix("/").split("/")),
        parameters=tuple(_parameter(document, item["$ref"]) for item in node.get("parameters", ())),
        body=body_schema,
        body_fields=frozenset(_resolved(document, body_schema)["properties"]) if body_schema else frozenset(),
        responses={status: _response_schema(document, response) for status, response in responses.items()},
        permission=stub["permission"],
        created=stub.get("created", False),
        real_user=stub.get("real_user", False),
    )


def _parameter(document: dict[str, Any], pointer: str) -> Parameter:
    node = _resolved(document, pointer)
    schema = node["schema"]
    if "$ref" in schema:
        schema = _resolved(document, schema["$ref"])
    return Parameter(node["name"], node["in"], node.get("required", False), schema.get("type"), f"{pointer}/schema")


def _response_schema(document: dict[str, Any], node: dict[str, Any]) -> str | None:
    if "$ref" in node:
        node = _resolved(document, node["$ref"])
    schema: dict[str, str] | None = node["content"].get("application/json", {}).get("schema")
    return schema["$ref"] if schema else None


def _resolved(document: dict[str, Any], pointer: str) -> Any:
    node: Any = document
    for name in pointer.removeprefix("#/").split("/"):
        node = node[name]
    return node
