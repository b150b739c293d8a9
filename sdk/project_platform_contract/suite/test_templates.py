"""Endpoints 9: apply templates to new sub-projects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.applications import Applications
from .support.preconditions import require_success


@pytest.mark.rule("templates.apply.permission-alone")
@pytest.mark.parametrize("role", ["only", "all others", "elsewhere"])
def test_the_permission_on_the_parent_decides(
    sign_in: SignIn, contract_run: Run, data: Data, tag: str, role: str
) -> None:
    """No operation assigns roles, so only a stub can prove this: the viewer has another role during the test."""
    parent, stub = contract_run.target.stub_project("the permissions of a role"), contract_run.target.stub
    assert stub is not None
    permission = "sub_projects:write"
    roles = {
        "only": frozenset({permission}),
        "all others": parent.roles["owner"] - {permission},
        "elsewhere": frozenset[str](),
    }
    viewer = stub.describe("")["details"]["identities"]["viewer"]["sub"]
    other = stub.world.projects[data["other_project"]]
    before = parent.members[viewer], other.members[viewer]
    parent.roles[f"{tag} {role}"] = roles[role]
    parent.members[viewer] = f"{tag} {role}"
    if role == "elsewhere":
        other.members[viewer] = "owner"
    try:
        response = sign_in("viewer")("templates_apply", templateId=data["template"], json={"name": f"{tag} {role}"})
    finally:
        parent.members[viewer], other.members[viewer] = before
        del parent.roles[f"{tag} {role}"]

    assert response.is_success is (role == "only")


@pytest.mark.rule("scope.own-things.templates-apply")
def test_a_template_is_not_applied_through_another_project(
    api: Api, applications: Applications, contract_run: Run, data: Data, tag: str
) -> None:
    require_success(applications.whole(api))
    projects = _project_count(contract_run)
    body = {"name": f"{tag} refused", "variableValues": data["template_variables"]}

    response = api("templates_apply", projectId=data["other_project"], templateId=data["template"], json=body)

    assert 400 <= response.status_code < 500
    assert _project_count(contract_run) == projects


@pytest.mark.rule("templates.apply.body-types")
@pytest.mark.parametrize(
    "body",
    [{"name": ["a"]}, {"name": 7}, {"variableValues": "text"}, {"variableValues": []}, {"variableValues": ["a"]}],
    ids=str,
)
def test_a_field_of_another_type_is_refused(
    api: Api, contract_run: Run, data: Data, tag: str, body: Mapping[str, Any]
) -> None:
    """With any client error, and no project is created."""
    projects = _project_count(contract_run)

    response = api("templates_apply", templateId=data["template"], json={"name": f"{tag} refused", **body})

    assert 400 <= response.status_code < 500
    assert _project_count(contract_run) == projects


@pytest.mark.rule("templates.apply.unknown-template")
def test_an_unknown_template_is_refused(api: Api, contract_run: Run, tag: str) -> None:
    """With any client error, and no project is created."""
    projects = _project_count(contract_run)

    response = api("templates_apply", templateId=f"no-such-template-{tag}", json={"name": f"{tag} refused"})

    assert 400 <= response.status_code < 500
    assert _project_count(contract_run) == projects


def _project_count(run: Run) -> int:
    """Return the number of projects of a stub; 0 for a deployment, which does not show it."""
    return 0 if run.target.stub is None else len(run.target.stub.world.projects)
