"""The permissions of the contract, and the roles that every project starts with, which are the stub's assumption.

The permission that an operation needs stands in `openapi.yaml` (`x-stub`).
"""

from __future__ import annotations

from project_platform_stub.contract import load_contract

PERMISSIONS: tuple[str, ...] = tuple(load_contract().components["schemas"]["Permission"]["enum"])

OWNER, VIEWER, INTEGRATION = "owner", "viewer", "integration"
ROLES = {
    OWNER: frozenset(PERMISSIONS),
    VIEWER: frozenset(permission for permission in PERMISSIONS if permission.endswith(":read")),
    INTEGRATION: frozenset(permission for permission in PERMISSIONS if not permission.endswith(":manage")),
}
