"""Who may do what: the 81 permissions, the roles every project starts with, and what each operation needs.

The permission values are the specification's; of the operations it names only the one that template apply needs. The
other lines of `NEEDED`, and the roles, are the stub's assumption.
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

# Permission in the project of the path; None where any identity may ask.
NEEDED: dict[str, str | None] = {
    "auth_check_permission": None,
    "workflows_create": "workflows:write",
    "records_create": "crm_objects:write",
    "records_update": "crm_objects:write",
    "calendar_book": "calendar:write",
    "calendar_reschedule": "calendar:write",
    "calendar_busy": "calendar:read",
    "sidebar_replace": "settings:write",
    "templates_apply": "sub_projects:write",  # Endpoints 9, rule 4
    "memory_update": "agents:write",
    "engagement_like": "social:write",
    "agents_list": "agents:read",
    "web_analytics_get_config": "web_analytics:read",
    "posts_list": "social:read",
    "photo_analytics_list_media": "social:read",
    "labels_export": "crm_objects:read",
}

# Endpoints 2: the executor needs one unambiguous principal, so a service account is refused whatever its role.
REAL_USER_ONLY = frozenset({"workflows_create"})
