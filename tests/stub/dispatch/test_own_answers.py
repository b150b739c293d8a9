"""The stub holds itself to the contract, and gives away nothing of its insides."""

from __future__ import annotations

import httpx
import pytest

import project_platform_stub
from project_platform_stub.operations import HANDLERS


@pytest.fixture
def raw(stub):
    """A client whose answers nobody checks: these are meant to be wrong."""
    headers = {"Authorization": f"Bearer {stub.token('owner')}"}
    with httpx.Client(transport=stub.transport(), base_url="http://stub", headers=headers) as client:
        yield client


def test_an_answer_that_breaks_the_contract_is_a_500(raw, api, stub):
    """The body says which operation, where and how."""
    (first, *_) = stub.project.agents
    stub.project.agents[first] |= {"maxSteps": "many"}

    response = raw.get(api.path("agents"))

    assert response.status_code == 500
    assert response.json() == {
        "message": "The stub server's answer to agents_list breaks openapi.yaml: "
        "answer.agents[0].maxSteps: must be null or integer, not string",
        "code": "contract_broken",
    }


@pytest.mark.parametrize("broken", ["yesterday", "2026-11-02", "2026-11-02T25:00:00Z"])
def test_formats_count(raw, api, stub, broken):
    """A `createdAt` that is no date-time breaks the contract as well."""
    (first, *_) = stub.project.agents
    stub.project.agents[first] |= {"createdAt": broken}

    assert "answer.agents[0].createdAt" in raw.get(api.path("agents")).json()["message"]


def test_a_value_that_is_not_shown_is_let_through(raw, api, stub):
    """Of open enumerations the specification shows only some values."""
    (first, *_) = stub.project.agents
    stub.project.agents[first] |= {"access": "everyone", "toolCategories": ["memory", "browser"]}

    assert raw.get(api.path("agents")).status_code == 200


def test_a_status_that_is_not_documented_is_a_500(raw, stub, monkeypatch):
    """A rule that refuses with a status of its own is found out."""
    from project_platform_stub.http.errors import conflict

    def rule(call):
        raise conflict("no", "no")

    monkeypatch.setitem(HANDLERS, "posts_list", rule)

    response = raw.get(f"/socials/posts/{stub.project.id}")

    assert response.status_code == 500
    assert "status: 409 is not documented" in response.json()["message"]


def test_a_failure_inside_is_a_500_without_details(raw, api, monkeypatch, caplog):
    """The log has the traceback; the answer has an error body and a request id, and names no insides."""
    monkeypatch.setitem(HANDLERS, "agents_list", None)

    response = raw.get(api.path("agents"))

    assert response.status_code == 500
    assert response.json()["code"] == "internal_error"
    assert "Error" not in response.text
    assert response.headers["X-Request-Id"]
    assert "TypeError" in caplog.text


def test_the_public_names():
    """What the package offers, sorted."""
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
