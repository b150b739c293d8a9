"""Endpoints 1, Permission values, and Authentication 4: permissions of roles and operations."""

from __future__ import annotations

import uuid

import pytest

from project_platform_contract.operations import operations
from project_platform_stub.world.permissions import PERMISSIONS, ROLES

IN_PROJECTS = [operation.id for operation in operations() if "{projectId}" in operation.path]


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


def test_a_role_without_the_one_permission_is_refused(sign_in, refused, stub):
    """Each operation needs exactly the permission of the table: all others together are not enough."""
    client = sign_in("viewer")
    for operation in operations():
        needed = operation.node["x-stub"]["permission"]
        if needed is None:
            continue
        stub.project.roles["viewer"] = frozenset(PERMISSIONS) - {needed}
        assert refused(client.call(operation.id), 403)["message"] == f"The permission {needed} is required."
        stub.project.roles["viewer"] = frozenset({needed})
        assert client.call(operation.id).status_code != 403


@pytest.mark.parametrize("operation", IN_PROJECTS)
def test_a_foreign_project_is_refused_like_a_missing_one(api, refused, stub, operation):
    """A 403 with the same message, so that it does not reveal whether the project exists."""
    foreign = refused(api.call(operation, projectId=stub.foreign_project.id), 403)

    assert refused(api.call(operation, projectId=str(uuid.uuid4())), 403) == foreign


@pytest.mark.parametrize("operation", IN_PROJECTS)
@pytest.mark.parametrize("project", ["demo", "0b9c4c6e", "0b9c4c6e00004000800000000000000", "not-a-uuid"])
def test_an_invalid_project_id_is_refused(api, refused, operation, project):
    """`{projectId}` is a UUID; anything else is a 400 that names the parameter."""
    refused(api.call(operation, projectId=project), 400, "path.projectId: ")


def test_a_project_id_may_be_in_upper_case(api, stub):
    """UUIDs are compared case-insensitively (RFC 9562, section 4)."""
    assert api.get(api.path("agents", project=stub.project.id.upper())).status_code == 200


def test_the_permission_is_checked_before_the_body(sign_in, refused):
    """A caller without the permission gets no validation errors."""
    viewer = sign_in("viewer")

    refused(viewer.post(viewer.path("workflows"), json={}), 403)
