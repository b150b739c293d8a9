"""A fuse in front of a stub, and a check of what the stub received."""

from __future__ import annotations

from typing import Any

from project_platform_contract.fuse import Fuse, Limits
from project_platform_contract.operations import operations
from project_platform_stub import Stub

BASE = "http://stub.localhost"


def fuse_for(stub: Stub, *effects: str, base_url: str = BASE, **limits: Any) -> Fuse:
    """Return a fuse for one stub and its project."""
    defaults = {"projects": [stub.project.id], "resources": {"typeSlug": ["deal"]}}
    return Fuse(Limits(base_url, frozenset(effects), **{**defaults, **limits}))


def only_read(stub: Stub) -> bool:
    """Return whether the stub received only requests that read, and sent no message."""
    effects = {operation.id: operation.effect for operation in operations()}
    seen = {
        effects.get(entry.operation or "", "irreversible") for entry in [*stub.world.journal, *stub.unmatched_requests]
    }
    return seen <= {"read"} and not list(stub.outbox)
