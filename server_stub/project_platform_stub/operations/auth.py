"""Endpoints 1: check permission."""

from __future__ import annotations

from project_platform_stub.call import Answer, Call, ok


def check_permission(call: Call) -> Answer:
    """Say whether the caller holds a permission in its own project."""
    return ok({"allowed": call.query["permission"] in call.world.permissions(call.caller, call.project)})
