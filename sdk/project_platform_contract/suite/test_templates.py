"""Endpoints 9: apply templates to new sub-projects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact, SignIn
from project_platform_contract.run.contract_run import Run

from .support.applications import Applications, applied, report_of

_COUNTS = ("objectTypes", "objectRelations", "roles", "workflows", "sidebarSections", "perRoleHides")


@pytest.fixture(scope="session")
def applications(contract_run: Run) -> Applications:
    """The applications that the tests of this process share."""
    return Applications(contract_run)


@pytest.mark.rule("templates.apply.creates-sub-project")
def test_a_new_project_is_created(api: Api, applications: Applications, data: Data, fact: Fact) -> None:
    response = applications.whole(api)

    assert response.is_success
    project = response.json()["data"]["project"]
    assert project["name"] == applications.name("whole")
    assert project["id"] not in {None, "", data["project"]}
    assert project["slug"]
    fact("successStatus.templates_apply", response.status_code, response)


@pytest.mark.rule("templates.apply.creates-sub-project")
def test_each_application_creates_another_project(api: Api, applications: Applications) -> None:
    responses = applications.whole(api), applications.without_values(api)

    first, second = (response.json()["data"]["project"] for response in responses)
    assert first["id"] != second["id"]
    assert second["name"] == applications.name("missing")


@pytest.mark.rule("templates.apply.under-parent")
def test_the_new_project_has_its_parent(api: Api, applications: Applications, contract_run: Run, data: Data) -> None:
    """No operation shows the parent of a project, so only a stub can prove this."""
    if contract_run.target.stub is None:
        raise MissingError("no operation shows the parent of a project; only a stub does")

    project = contract_run.target.stub.world.projects[applications.whole(api).json()["data"]["project"]["id"]]

    assert project.parent == data["project"]


@pytest.mark.rule("fields.template-apply.types")
@pytest.mark.parametrize("which", ["whole", "without_values", "failing"])
def test_the_result_has_the_documented_types(api: Api, applications: Applications, which: str) -> None:
    """Fields that are missing or null are ignored."""
    response = getattr(applications, which)(api)

    assert response.is_success
    body = _without_nulls(response.json())
    project, outcome = body["data"]["project"], body["data"]["templateApply"]
    assert isinstance(body["success"], bool)
    assert str(UUID(project["id"])) == project["id"].lower()
    assert [type(project[name]) for name in ("name", "slug")] == [str, str]
    assert datetime.fromisoformat(project["createdAt"]).tzinfo
    assert [type(outcome.get(name, "")) for name in ("status", "error")] == [str, str]
    report = outcome["report"]
    assert [type(count) for name, count in report["counts"].items() if name in _COUNTS] == [int] * len(_COUNTS)
    assert type(report["appliedCount"]) is int
    assert all(isinstance(value, str) for part in report["skipped"] for value in _of(part, "entity", "name"))
    names = ("entity", "name", "error", "code")
    assert all(isinstance(value, str) for part in report["failures"] for value in _of(part, *names))
    assert all(isinstance(name, str) for name in report["missingVariables"])


@pytest.mark.rule("templates.apply.applied")
def test_a_complete_application_has_the_status_applied(api: Api, applications: Applications) -> None:
    response = applications.whole(api)

    assert applied(response)["status"] == "applied"
    assert response.json()["success"] is True
    assert not applied(response).get("error")


@pytest.mark.rule("templates.apply.report-landed")
def test_the_report_counts_the_applied_parts(api: Api, applications: Applications, fact: Fact) -> None:
    """The total may include parts of other kinds."""
    response = applications.whole(api)

    report = report_of(response)
    counts = sum(report["counts"][name] for name in _COUNTS)
    assert report["failures"] == []
    assert 0 < counts <= report["appliedCount"]
    fact("templates.applied-count", "sum of counts" if counts == report["appliedCount"] else "more", response)


@pytest.mark.rule("templates.apply.report-agrees")
def test_the_counts_match_the_new_project(api: Api, applications: Applications, contract_run: Run) -> None:
    """No operation shows all parts of a project, so only a stub can prove this."""
    if contract_run.target.stub is None:
        raise MissingError("no operation shows the content of a new project; only a stub does")
    response = applications.whole(api)

    project = contract_run.target.stub.world.projects[response.json()["data"]["project"]["id"]]

    counts = report_of(response)["counts"]
    created = {
        "workflows": project.workflows,
        "objectRelations": project.object_relations,
        "perRoleHides": project.hides,
    }
    assert {name: counts[name] for name in created} == {name: len(things) for name, things in created.items()}
    assert counts["sidebarSections"] == len(project.sidebar)


@pytest.mark.rule("templates.apply.report-failures")
def test_the_report_lists_the_failed_parts(api: Api, applications: Applications, fact: Fact) -> None:
    response = applications.failing(api)

    outcome = applied(response)
    failures = outcome["report"]["failures"]
    assert failures
    assert all(part["entity"] and part["name"] and part["error"] and part["code"] for part in failures)
    fact("templates.partial-status", outcome.get("status"), response)


@pytest.mark.rule("templates.apply.report-agrees")
def test_each_part_is_counted_once(api: Api, applications: Applications, contract_run: Run, data: Data) -> None:
    """No operation shows the parts of a template, so only a stub can prove this."""
    if contract_run.target.stub is None:
        raise MissingError("no operation shows the parts of a template; only a stub does")
    parts = contract_run.target.stub.project.templates[data["failing_template"]].parts

    report = report_of(applications.failing(api))

    assert report["appliedCount"] + len(report["skipped"]) + len(report["failures"]) == len(parts)
    assert sum(report["counts"].values()) == report["appliedCount"]


@pytest.mark.rule("templates.apply.variables")
def test_values_replace_variables(api: Api, applications: Applications, contract_run: Run, data: Data) -> None:
    """Only a stub shows the content of the new project."""
    if contract_run.target.stub is None:
        raise MissingError("no operation shows the content of a new project; only a stub does")

    project = contract_run.target.stub.world.projects[applications.whole(api).json()["data"]["project"]["id"]]

    created = json.dumps([project.workflows.all(), project.sidebar], default=str)
    assert "{{" not in created
    assert all(value in created for value in data["template_variables"].values())


@pytest.mark.rule("templates.apply.missing-variables")
def test_with_all_values_no_variable_is_missing(api: Api, applications: Applications) -> None:
    assert report_of(applications.whole(api))["missingVariables"] == []


@pytest.mark.rule("templates.apply.missing-variables")
def test_variables_without_a_value_are_listed(api: Api, applications: Applications, data: Data) -> None:
    _, *missing = data["template_variables"]
    if not missing:
        raise MissingError("'template_variables' has only one variable")

    assert sorted(report_of(applications.without_values(api))["missingVariables"]) == sorted(missing)


@pytest.mark.rule("templates.apply.permission")
def test_a_caller_without_the_permission_is_refused(
    sign_in: SignIn, contract_run: Run, data: Data, tag: str, fact: Fact
) -> None:
    """And no project is created."""
    projects = _project_count(contract_run)

    response = sign_in("viewer")(
        "templates_apply",
        templateId=data["template"],
        json={"name": f"{tag} refused", "variableValues": data["template_variables"]},
    )

    assert 400 <= response.status_code < 500
    assert _project_count(contract_run) == projects
    fact("templates.forbidden-status", response.status_code, response)


@pytest.mark.rule("templates.apply.body-types")
@pytest.mark.parametrize("body", [{"name": ["a"]}, {"variableValues": "text"}], ids=["name", "variableValues"])
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


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(member) for key, member in value.items() if member is not None}
    return value


def _of(part: Mapping[str, Any], *names: str) -> list[Any]:
    return [part[name] for name in names if part.get(name) is not None]
