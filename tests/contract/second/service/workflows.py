"""Endpoints 2: create workflows."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from .app import Call, Refusal, operation
from .checks import anything, array, checked, flag, text
from .world import now


@operation("workflows_create", "POST /projects/{projectId}/workflows", needs="workflows:write")
def create(call: Call) -> dict[str, Any]:
    if not is_real(call):
        raise Refusal(403, "A workflow needs a real user.", "real_user_required")
    body = checked(
        call,
        ("name", "triggerTypeSlug", "triggerEventType"),
        name=text(1, 200),
        triggerTypeSlug=text(1, 120),
        triggerEventType=text(1, 120),
        actions=array(anything),
        description=text(0, 1000),
        tags=array(text(1, 40), 12),
        triggerCondition=anything,
        isActive=flag,
    )
    at = now()
    workflow = {
        "actions": [],
        "tags": [],
        "isActive": False,
        **body,
        "id": f"wfl_{uuid4().hex[:12]}",
        "projectId": call.project,
        "revision": f"{uuid4().hex[:7]}-draft",
        "createdAt": at,
        "updatedAt": at,
    }
    call.world.workflows[call.project, workflow["id"]] = workflow
    return {"workflow": workflow}


def is_real(call: Call) -> bool:
    """Return whether the caller is a real user."""
    return not call.world.users[call.user].get("robot", False)
