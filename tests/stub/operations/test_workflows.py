"""Endpoints 2: create workflow."""

from __future__ import annotations

import pytest

from ..conftest import LEAST_BODIES

LEAST = LEAST_BODIES["workflows_create"]


def create(client, **fields):
    return client.call("workflows_create", **fields)


def test_a_workflow_is_created_with_its_defaults(api, stub):
    """Only name and trigger are required; the workflow is inactive and has revision 1."""
    response = create(api)

    workflow = response.json()["workflow"]
    assert response.status_code == 201
    assert workflow.pop("id") in stub.project.workflows
    assert workflow == {
        **LEAST,
        "projectId": stub.project.id,
        "description": None,
        "tags": [],
        "actions": [],
        "triggerCondition": None,
        "isActive": False,
        "revision": "1",
        "createdAt": "2026-11-02T08:30:00.000000Z",
        "updatedAt": "2026-11-02T08:30:00.000000Z",
    }


def test_a_workflow_has_the_given_fields(api):
    """All fields are returned unchanged, including actions of any shape."""
    given = {
        **LEAST,
        "description": "Greets",
        # Lengths count code points; these are at their limits.
        "name": "🌾" * 200,
        "tags": ["🌾" * 40] * 11 + ["x"],
        "actions": [{"type": "mail"}, "x", None, [1]],
        "isActive": True,
    }

    workflow = create(api, **given).json()["workflow"]

    assert {name: workflow[name] for name in given} == given


@pytest.mark.parametrize("condition", [None, True, 0, "x", [], {"all": [{"field": "stage", "is": None}]}])
def test_a_trigger_condition_is_any_json(api, condition):
    """The specification does not state its shape, so every JSON value is accepted."""
    assert create(api, triggerCondition=condition).json()["workflow"]["triggerCondition"] == condition


def test_a_service_account_is_refused(sign_in, refused, stub):
    """The executor needs an unambiguous principal, so a service account is refused whatever its permissions."""
    stub.project.roles["integration"] = stub.project.roles["owner"]
    client = sign_in("service_account")

    body = refused(create(client), 403)

    assert body["code"] == "real_user_required"
    assert stub.project.workflows == {}


def test_names_of_workflows_need_not_be_unique(api):
    """The specification does not require it."""
    assert create(api).json()["workflow"]["id"] != create(api).json()["workflow"]["id"]
