"""Endpoints 1: check permission."""

from __future__ import annotations

from typing import Any

from .app import Call, Refusal, allows, operation

RESOURCES = [
    *("settings", "members", "roles", "audit_log", "crm_types", "crm_objects", "cms_types", "cms_items"),
    *("network_planner", "assets", "workflows", "integrations", "oauth_clients", "agents", "web_analytics"),
    *("social", "tenant_email", "network_ads", "search_ads", "business_profile", "contracts"),
    *("service_accounts", "support_tickets", "billing", "calendar", "sub_projects", "project_templates"),
]
ACTIONS = ("read", "write", "manage")


@operation("auth_check_permission", "GET /auth/check-permission", bad_request=400)
def check(call: Call) -> dict[str, Any]:
    """Check a permission in the first project of the caller."""
    permission = call.query.get("scope", "")
    resource, _, action = permission.partition(":")
    if resource not in RESOURCES or action not in ACTIONS:
        raise Refusal(400, "scope is not a permission.", "unknown_permission")
    role = home_role(call)
    return {"allowed": role is not None and allows(role, permission)}


def home_role(call: Call) -> str | None:
    """Return the role of the caller in the project where the caller's identity is resolved."""
    return next((role for (_, user), role in call.world.members.items() if user == call.user), None)
