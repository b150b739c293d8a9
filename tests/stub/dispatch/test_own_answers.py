"""The stub checks its own responses against the contract, and does not reveal internals."""

from __future__ import annotations

import pytest

import project_platform_stub
from project_platform_stub import Profile, Stub
from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations import HANDLERS

from ..conftest import Api


def test_a_response_that_breaks_the_contract_is_a_500(api, stub):
    """The message names the operation, the place and the problem."""
    (first, *_) = stub.project.agents
    stub.project.agents[first] |= {"maxSteps": "many"}

    response = api.get(api.path("agents"))

    assert response.status_code == 500
    assert response.json() == {
        "message": "The stub server's response to agents_list breaks openapi.yaml: "
        "response.agents[0].maxSteps: must be null or integer, not string",
        "code": "contract_broken",
    }


def test_a_value_that_the_specification_does_not_show_is_accepted(api, stub):
    """It shows only some values of `access` and `toolCategories`."""
    (first, *_) = stub.project.agents
    stub.project.agents[first] |= {"access": "everyone", "toolCategories": ["memory", "browser"]}

    assert api.get(api.path("agents")).status_code == 200


@pytest.mark.parametrize(
    ("operation", "path", "status", "profile"),
    [
        ("auth_check_permission", "/auth/check-permission?permission=agents:read", 403, {}),
        (
            "auth_check_permission",
            "/auth/check-permission?permission=agents:read",
            404,
            {"unknown_project_status": 404},
        ),
        ("posts_list", "/socials/posts/{project}", 409, {"external_id": "unique"}),
        ("posts_list", "/socials/posts/{project}", 404, {}),
    ],
)
def test_a_status_of_the_profile_is_checked_by_operation(monkeypatch, operation, path, status, profile):
    """A profile chooses among the statuses that an operation documents; it does not add one to every operation."""
    stub = Stub(profile=Profile(**profile))

    def refuse(call):
        raise ApiError(status, "no", "no")

    monkeypatch.setitem(HANDLERS, operation, refuse)
    with Api(stub, stub.token()) as api:
        response = api.get(path.format(project=stub.project.id))

    assert response.status_code == 500
    assert response.json()["message"].endswith(f"breaks openapi.yaml: status: {status} is not documented")


def test_an_unexpected_exception_is_a_500_without_details(api, monkeypatch, caplog):
    """The log has the traceback; the response has an error body and a request id, without internals."""
    monkeypatch.setitem(HANDLERS, "agents_list", None)

    response = api.get(api.path("agents"))

    assert response.status_code == 500
    assert response.json()["code"] == "internal_error"
    assert "Error" not in response.text
    assert response.headers["X-Request-Id"]
    assert "TypeError" in caplog.text


def test_the_public_names():
    assert project_platform_stub.__all__ == [
        "Attempt",
        "Clock",
        "DocumentError",
        "Entry",
        "Fault",
        "FaultPlans",
        "Invitation",
        "Journal",
        "Outbox",
        "Profile",
        "Project",
        "StateFileError",
        "Stub",
        "StubServer",
        "Tokens",
        "World",
        "WorldDescription",
        "Worlds",
        "faults",
        "load_profile",
        "load_world_file",
        "world_origin",
    ]
    assert all(hasattr(project_platform_stub, name) for name in project_platform_stub.__all__)
