"""Endpoints 1: check permission."""

from __future__ import annotations

from . import Call, Result, operation


@operation("auth_check_permission", "permission")
def check_permission(call: Call) -> Result:
    """Check whether the caller has a permission in its home project; a caller who is not a member of it has none."""
    return Result(
        {"allowed": call.query[call.profile.permission_parameter] in call.world.permissions(call.caller, call.project)}
    )
