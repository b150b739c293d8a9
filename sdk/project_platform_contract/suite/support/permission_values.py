"""The permission values of the specification ("Permission values"): 27 resources with three actions each."""

from __future__ import annotations

from typing import Final

_RESOURCES: Final = (
    *("settings", "members", "roles", "audit_log", "crm_types", "crm_objects", "cms_types", "cms_items"),
    *("network_planner", "assets", "workflows", "integrations", "oauth_clients", "agents", "web_analytics", "social"),
    *("tenant_email", "network_ads", "search_ads", "business_profile", "contracts", "service_accounts"),
    *("support_tickets", "billing", "calendar", "sub_projects", "project_templates"),
)
SAMPLED: Final = ("crm_objects", "sub_projects")
"""Resources whose permissions are checked for each identity; those of all resources are checked for the owner."""

PERMISSIONS: Final = tuple(f"{resource}:{action}" for resource in _RESOURCES for action in ("read", "write", "manage"))
