"""The 81 permissions, and the roles that every project starts with.

The permission values are the specification's, the roles are the stub's assumption. The permission that an operation needs
stands in `openapi.yaml` (`x-stub`).
"""

from __future__ import annotations

RESOURCES = (
    "settings",
    "members",
    "roles",
    "audit_log",
    "crm_types",
    "crm_objects",
    "cms_types",
    "cms_items",
    "network_planner",
    "assets",
    "workflows",
    "integrations",
    "oauth_clients",
    "agents",
    "web_analytics",
    "social",
    "tenant_email",
    "network_ads",
    "search_ads",
    "business_profile",
    "contracts",
    "service_accounts",
    "support_tickets",
    "billing",
    "calendar",
    "sub_projects",
    "project_templates",
)
ACTIONS = ("read", "write", "manage")
PERMISSIONS = tuple(f"{resource}:{action}" for resource in RESOURCES for action in ACTIONS)

OWNER, VIEWER, INTEGRATION = "owner", "viewer", "integration"
ROLES = {
    OWNER: frozenset(PERMISSIONS),
    VIEWER: frozenset(f"{resource}:read" for resource in RESOURCES),
    INTEGRATION: frozenset(f"{resource}:{action}" for resource in RESOURCES for action in ("read", "write")),
}
