"""A fuse in front of a stub."""

from __future__ import annotations

from typing import Any

from project_platform_contract.fuse import Fuse, Limits
from project_platform_stub import Stub

BASE = "http://stub.localhost"


def fuse_for(stub: Stub, *effects: str, base_url: str = BASE, **limits: Any) -> Fuse:
    """Return a fuse for one stub and its project."""
    defaults = {"projects": [stub.project.id], "resources": {"typeSlug": ["deal"]}}
    return Fuse(Limits(base_url, frozenset(effects), **{**defaults, **limits}))
