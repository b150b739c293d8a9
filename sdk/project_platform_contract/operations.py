"""The operations as the contract has them, and the one that a request means.

What an operation does to the world is data of the contract (`x-sdk.effect`), never guessed from the HTTP method.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import yaml

Effect: TypeAlias = Literal["read", "write", "notify", "irreversible"]

EFFECTS: Final[tuple[Effect, ...]] = get_args(Effect)
"""From the least to the worst: a read; a write that can be seen and undone; a message to people; what cannot be undone."""

_METHODS = ("get", "put", "post", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        id: Its operationId.
        method: Its method, in capitals.
        path: Its path template.
        effect: What it does to the world.
        section: Where the specification describes it, such as `Endpoints 4`.
        responses: Its responses, as the contract has them.
        uncounted: Statuses of errors beyond those that the specification counts.
    """

    id: str
    method: str
    path: str
    effect: Effect
    section: str
    responses: dict[str, Any]
    uncounted: frozenset[int]

    def matches(self, method: str, raw_path: str) -> bool:
        """Return whether a request means this operation; a parameter is one percent-encoded segment."""
        return method == self.method and self.parameters(raw_path) is not None

    def parameters(self, raw_path: str) -> dict[str, str] | None:
        """Return the path parameters, percent-encoded as they are sent; None if the path is another's."""
        found = _pattern(self.path).fullmatch(raw_path)
        return None if found is None else found.groupdict()


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path)))


@cache
def contract() -> dict[str, Any]:
    """Return `openapi.yaml`: the wheel has it once, with the stub's package, which need not be importable for that."""
    packages = Path(__file__).resolve().parents[1]
    found = packages / "project_platform_stub" / "openapi.yaml"
    path = found if found.is_file() else packages.parent / "openapi.yaml"
    document: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return document


@cache
def operations() -> tuple[Operation, ...]:
    """Return all operations of the contract."""
    return tuple(
        Operation(
            node["operationId"],
            method.upper(),
            path,
            node["x-sdk"]["effect"],
            node["x-sdk"]["section"],
            node["responses"],
            frozenset(node.get("x-uncounted", ())),
        )
        for path, item in contract()["paths"].items()
        for method, node in item.items()
        if method in _METHODS
    )


def worst(*effects: Effect) -> Effect:
    """Return the worst of some effects."""
    return max(effects, key=EFFECTS.index, default="read")


def operation_of(method: str, raw_path: str) -> Operation | None:
    """Return the operation that a request means, or None."""
    return next((operation for operation in operations() if operation.matches(method, raw_path)), None)
