"""Endpoints 1, Permission values, and Authentication 4: permissions of roles and operations."""

from __future__ import annotations

import re
import uuid

import pytest

from project_platform_stub.world.permissions import PERMISSIONS, ROLES

from ..conftest import LEAST_BODIES


def operations(contract):
    """Yield operationId, method, path and needed permission of each operation."""
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            yield operation["operationId"], method, path, operation["x-stub"]["permission"]


def request(client, operation_id, method, path, project):
    url = re.sub(r"{\w+}", "unknown", path.replace("{projectId}", project))
    query = {"timeMin": "2026-11-02T00:00:00Z", "timeMax": "2026-11-03T00:00:00Z"} if "busy" in path else None
    return client.request(method, url, params=query, json=LEAST_BODIES.get(operation_id))


@pytest.mark.parametrize(
    ("name", "role"), [("owner", "owner"), ("viewer", "viewer"), ("service_account", "integration")]
)
def test_check_permission_returns_whether_the_role_has_it(sign_in, name, role):
    client = sign_in(name)

    allowed = {
        permission: client.get("/auth/check-permission", params={"permission": permission}).json()
        for permission in PERMISSIONS
    }

    assert allowed == {permission: {"allowed": permission in ROLES[role]} for permission in PERMISSIONS}


@pytest.mark.parametrize(
    "query", ["", "?permission=", "?permission=agents", "?permission=agents:delete", "?perm=a:read"]
)
def test_an_unknown_permission_is_refused(api, refused, query):
    """A missing or unknown permission is a 400 that names the parameter."""
    refused(api.get(f"/auth/check-permission{query}"), 400, "query.permission: ")


def test_a_role_without_the_one_permission_is_refused(sign_in, refused, contract, stub):
    """Each operation needs exactly the permission of the table: all others together are not enough."""
    client = sign_in("viewer")
    for operation_id, method, path, needed in operations(contract):
        if needed is None:
            continue
        stub.project.roles["viewer"] = frozenset(PERMISSIONS) - {needed}
        body = refused(request(client, operation_id, method, path, stub.project.id), 403)
        assert body["message"] == f"The permission {needed} is required."
        stub.project.roles["viewer"] = frozenset({needed})
        assert request(client, operation_id, method, path, stub.project.id).status_code != 403


def test_a_foreign_project_is_refused_like_a_missing_one(api, refused, contract, stub):
    """A 403 with the same message, so that it does not reveal whether the project exists."""
    for operation_id, method, path, _ in operations(contract):
        if "{projectId}" in path:
            foreign = refused(request(api, operation_id, method, path, stub.foreign_project.id), 403)
            unknown = refused(request(api, operation_id, method, path, str(uuid.uuid4())), 403)
            assert foreign == unknown


@pytest.mark.parametrize("project", ["demo", "0b9c4c6e", "0b9c4c6e00004000800000000000000", "not-a-uuid"])
def test_an_invalid_project_id_is_refused(api, refused, contract, project):
    """`{projectId}` is a UUID; anything else is a 400 that names the parameter."""
    for operation_id, method, path, _ in operations(contract):
        if "{projectId}" in path:
            refused(request(api, operation_id, method, path, project), 400, "path.projectId: ")


def test_a_project_id_may_be_in_upper_case(api, stub):
    """UUIDs are compared case-insensitively (RFC 9562, section 4)."""
    assert api.get(api.path("agents", project=stub.project.id.upper())).status_code == 200


def test_the_permission_is_checked_before_the_body(sign_in, refused):
    """A caller without the permission gets no validation errors."""
    viewer = sign_in("viewer")

    refused(viewer.post(viewer.path("workflows"), json={}), 403)
