"""The operations of the contract, and the lookup of the operation that a request addresses.

The effect of an operation is data of the contract (`x-sdk.effect`); it is never derived from the HTTP method.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import httpx
import yaml

Effect: TypeAlias = Literal["read", "write", "notify", "irreversible"]

EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)
"""From the least to the worst: reads; writes that can be undone; messages to people; changes that cannot be undone."""

# The C loader is ten times as fast; PyYAML lacks it where it was built without libyaml.
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_METHODS = ("get", "put", "post", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        path: Path template.
        section: Section of the specification that describes it, such as `Endpoints 4`.
        name: Its name in the SDK, such as `records.create`.
        node: Its Operation Object in the contract.
    """

    id: str
    method: str
    path: str
    effect: Effect
    section: str
    name: str
    node: dict[str, Any]

    @property
    def responses(self) -> dict[str, Any]:
        """Its Responses Object in the contract."""
        responses: dict[str, Any] = self.node["responses"]
        return responses

    def parameters(self, raw_path: str) -> dict[str, str] | None:
        """Return the path parameters, each one segment, percent-encoded as it is sent; None if the path does not match."""
        found = _pattern(self.path).fullmatch(raw_path)
        return None if found is None else found.groupdict()

    def at_end(self, raw_path: str) -> dict[str, str] | None:
        """Return the raw parameters at the end of a path, since the base URL may have one, too; None if it is not of this operation."""
        found = re.search(f"{_pattern(self.path).pattern}$", raw_path)
        return None if found is None else found.groupdict()


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path)))


@cache
def contract() -> dict[str, Any]:
    """Return `openapi.yaml`, which the wheel contains once, in the stub's package. The stub itself is not imported."""
    packages = Path(__file__).resolve().parents[1]
    found = packages / "project_platform_stub" / "openapi.yaml"
    path = found if found.is_file() else packages.parent / "openapi.yaml"
    document: dict[str, Any] = yaml.load(path.read_text("utf-8"), _Loader)  # noqa: S506  # both loaders are safe ones
    return document


def resolved(pointer: str) -> Any:
    """Return what a reference of the contract refers to, such as `#/components/schemas/Agent`."""
    node: Any = contract()
    for name in pointer.removeprefix("#/").split("/"):
        node = node[name]
    return node


@cache
def operations() -> tuple[Operation, ...]:
    """Return all operations, in the order of the contract."""
    return tuple(
        Operation(
            node["operationId"],
            method.upper(),
            path,
            node["x-sdk"]["effect"],
            node["x-sdk"]["section"],
            f"{node['x-sdk']['resource']}.{node['x-sdk']['method']}",
            node,
        )
        for path, item in contract()["paths"].items()
        for method, node in item.items()
        if method in _METHODS
    )


def operation_by_id(id: str) -> Operation:
    """Return the operation with an operationId.

    Raises:
        KeyError: The contract has no such operation.
    """
    return _by_id()[id]


@cache
def _by_id() -> dict[str, Operation]:
    return {operation.id: operation for operation in operations()}


def worst(*effects: Effect) -> Effect:
    """Return the worst of the effects; `read` if there are none."""
    return max(effects, key=EFFECTS.index, default="read")


def operation_below(base_url: httpx.URL, request: httpx.Request) -> Operation | None:
    """Return the operation that a request addresses, by its path below a base URL, or None."""
    path = request.url.raw_path.decode("ascii").partition("?")[0]
    return operation_of(request.method, path.removeprefix(base_url.raw_path.decode("ascii").rstrip("/")))


def operation_of(method: str, raw_path: str) -> Operation | None:
    """Return the operation that a request addresses, or None."""
    candidates = (operation for operation in operations() if operation.method == method)
    return next((operation for operation in candidates if operation.parameters(raw_path) is not None), None)
