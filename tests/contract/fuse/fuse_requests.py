"""A fuse, requests to its target, and the reasons why it holds them back."""

import re

import httpx
import pytest

from project_platform_contract.fuse import BlockedError, Fuse, Limits
from project_platform_contract.operations import EFFECTS

BASE = "https://platform.example/api-v2"
STUB = "http://stub.localhost"
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
FOREIGN = "11111111-2222-4333-8444-555555555555"
ALL = frozenset(EFFECTS)
EVENTS = f"/projects/{PROJECT}/calendar/provider/events"
RECORDS = f"/projects/{PROJECT}/object-records"
AGENTS = f"/projects/{PROJECT}/agents"
CALENDAR = "team@calendar.example"


def fuse(effects=ALL, **limits):
    """Return a fuse that allows writes to one project, and messages to one recipient."""
    defaults = {
        "projects": [PROJECT],
        "recipients": ["guest@example.com"],
        "resources": {"postId": ["post-1"], "calendarId": [CALENDAR], "slug": ["brand/voice"]},
        "unchanged": {f"/projects/{PROJECT}/sidebar": {}},
        "tag": "contract-tag",
    }
    return Fuse(Limits(BASE, frozenset(effects), **{**defaults, **limits}))


def request(method, path, **options):
    return httpx.Request(method, path if "://" in path else f"{BASE}{path}", **options)


def blocked(fused, method, path, **options):
    """Return the reason why the fuse holds a request back."""
    with pytest.raises(BlockedError) as caught:
        fused.check(request(method, path, **options))
    assert fused.passed == 0
    return str(caught.value)


def write(operation, body, **path):
    """Return a write to the run's project; the path parameters that are not given contain the run's tag."""
    names = re.findall(r"\{(\w+)\}", operation.path)
    values = {**dict.fromkeys(names, "contract-tag"), "projectId": PROJECT, **path}
    return request(operation.method, operation.path.format(**values), json=body)


def fuse_for(stub, *effects, **limits):
    """Return a fuse for one stub and its project."""
    defaults = {"projects": [stub.project.id], "resources": {"typeSlug": ["deal"]}}
    return Fuse(Limits(STUB, frozenset(effects), **{**defaults, **limits}))
