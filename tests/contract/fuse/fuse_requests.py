"""A fuse, requests to its target, and what it says of them."""

from __future__ import annotations

import httpx
import pytest

from project_platform_contract.fuse import BlockedError, Fuse, Limits
from project_platform_contract.operations import EFFECTS

BASE = "https://platform.example/api-v2"
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
FOREIGN = "11111111-2222-4333-8444-555555555555"
ALL = frozenset(EFFECTS)
EVENTS = f"/projects/{PROJECT}/calendar/provider/events"
RECORDS = f"/projects/{PROJECT}/object-records"
AGENTS = f"/projects/{PROJECT}/agents"


def fuse(effects=ALL, **limits):
    """Return a fuse that lets a run write to one project, and to one guest."""
    given = {
        "projects": [PROJECT],
        "recipients": ["guest@example.com"],
        "resources": {"postId": ["post-1"]},
        "tag": "contract-tag",
    }
    return Fuse(Limits(BASE, frozenset(effects), **{**given, **limits}))


def request(method, path, **options):
    """Return a request to the target."""
    return httpx.Request(method, path if "://" in path else f"{BASE}{path}", **options)


def blocked(fused, method, path, **options):
    """Return why a request may not pass."""
    with pytest.raises(BlockedError) as caught:
        fused.check(request(method, path, **options))
    assert fused.passed == 0
    return str(caught.value)
