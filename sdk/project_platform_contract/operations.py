"""The operations as the contract has them, and the one that a request means.

What an operation does to the world is data of the contract (`x-sdk.effect`), never guessed from the HTTP method.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from .rule import Effect

_METHODS = ("get", "put", "post", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        id: Its operationId.
        method: Its method, in capitals.
        path: Its path template.
        effect: What it does to the world.
        responses: Its responses, as the contract has them.
    """

    id: str
    method: str
    path: str
    effect: Effect
    responses: dict[str, Any]

    def matches(self, method: str, raw_path: str) -> bool:
        """Return whether a request means this operation; a parameter is one percent-encoded segment."""
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(self.path))
        return method == self.method and re.fullmatch(pattern, raw_path) is not None


@cache
def contract() -> dict[str, Any]:
    """Return `openapi.yaml`, which a wheel has beside the stub server and a checkout at its root."""
    spec = find_spec("project_platform_stub")  # found, not imported: the suite does without the stub's packages
    folders = list(spec.submodule_search_locations or ()) if spec else []
    packaged = [Path(folder) / "openapi.yaml" for folder in folders]
    here = Path(__file__).resolve().parents[2] / "openapi.yaml"
    file = next(path for path in (*packaged, here) if path.is_file())
    document: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return document


@cache
def operations() -> tuple[Operation, ...]:
    """Return the sixteen operations."""
    return tuple(
        Operation(node["operationId"], method.upper(), path, node["x-sdk"]["effect"], node["responses"])
        for path, item in contract()["paths"].items()
        for method, node in item.items()
        if method in _METHODS
    )


def operation_of(method: str, raw_path: str) -> Operation | None:
    """Return the operation that a request means, or None."""
    return next((operation for operation in operations() if operation.matches(method, raw_path)), None)
