"""Endpoints 9: apply templates to new sub-projects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.date_times import is_date_time
from project_platform_contract.run.api import Api, Fact, SignIn
from project_platform_contract.run.contract_run import Run

from .support.applications import Applications, report_of
from .support.preconditions import require_success
from .support.reading import refused
from .support.type_check import is_integer

_COUNTS = ("objectTypes", "objectRelations", "roles", "workflows", "sidebarSections", "perRoleHides")


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


@pytest.mark.rule("templates.apply.another-sub-project")
def test_an_application_with_the_same_name_creates_another_project(api: Api, applications: Applications) -> None:
    """A variable that the template does not declare is not missing. The service may refuse the name, or the variable."""
    first, second = applications.whole(api), applications.again(api)
    if refused(second):
        raise MissingError("the service refuses a second sub-project with the same name and an undeclared variable")

    projects = [response.json()["data"]["project"] for response in (first, second)]
    assert projects[0]["id"] != projects[1]["id"]
    assert projects[1]["name"] == applications.name("whole")
    assert report_of(second)["missingVariables"] == []


@pytest.mark.rule("templates.apply.under-parent")
def test_the_template_is_not_applied_to_the_parent(api: Api, contract_run: Run, data: Data, tag: str) -> None:
    """Nor to another project. Only a stub shows the content of projects."""
    contract_run.target.stub_project("the content of a project")
    stub = contract_run.target.stub
    assert stub is not None
    before = {id: _content(project) for id, project in stub.world.projects.items()}

    response = api(
        "templates_apply",
        templateId=data["template"],
        json={"name": f"{tag} apart", "variableValues": data["template_variables"]},
    )

    assert response.is_success
    assert {id: _content(stub.world.projects[id]) for id in before} == before
    assert len(stub.world.projects) == len(before) + 1


@pytest.mark.rule("templates.apply.creates-sub-project")
def test_the_new_project_has_the_name_unchanged(api: Api, applications: Applications) -> None:
    """Not trimmed, normalised or escaped, and no variable of the template."""
    response = applications.special(api)

    assert response.is_success
    assert response.json()["data"]["project"]["name"] == applications.name("special")


@pytest.mark.rule("templates.apply.under-parent")
def test_the_new_project_has_its_parent(api: Api, applications: Applications, contract_run: Run, data: Data) -> None:
    """No operation shows the parent of a project, so only a stub can prove this."""
    if contract_run.target.stub is None:
        raise MissingError("no operation shows the parent of a project; only a stub does")

    answered = applications.whole(api).json()["data"]["project"]
    project, parent = contract_run.target.stub.world.projects[answered["id"]], contract_run.target.stub.project

    assert project.parent == data["project"]
    assert project.created_at != parent.created_at
    assert answered == {**answered, "name": project.name, "slug": project.slug, "createdAt": project.created_at}
    assert not {project.id, *project.workflows, *project.records} & {parent.id, *parent.workflows, *parent.records}


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
    assert is_date_time(project["createdAt"])
    assert [type(outcome.get(name, "")) for name in ("status", "error")] == [str, str]
    report = outcome["report"]
    counts = [count for name, count in report["counts"].items() if name in _COUNTS]
    assert [is_integer(count) for count in counts] == [True] * len(_COUNTS)
    assert is_integer(report["appliedCount"])
    assert all(isinstance(value, str) for part in report["skipped"] for value in _of(part, "entity", "name"))
    names = ("entity", "name", "error", "code")
    assert all(isinstance(value, str) for part in report["failures"] for value in _of(part, *names))
    assert all(isinstance(name, str) for name in report["missingVariables"])


@pytest.mark.rule("templates.apply.permission")
def test_a_caller_without_the_permission_is_refused(sign_in: SignIn, contract_run: Run, fact: Fact) -> None:
    """And no project is created."""
    response = _refused(sign_in("viewer"), contract_run)

    fact("templates.forbidden-status", response.status_code, response)


@pytest.mark.rule("templates.apply.permission")
def test_a_caller_with_the_permission_in_another_project_is_refused(
    api: Api, applications: Applications, sign_in: SignIn, contract_run: Run
) -> None:
    """The outsider is an owner elsewhere; it is the permission on the parent project that counts."""
    require_success(applications.whole(api))
    _refused(sign_in("outsider"), contract_run)


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


def _refused(api: Api, run: Run) -> httpx.Response:
    """Return the response to an application that is refused and creates no project."""
    data, projects = run.data, _project_count(run)

    response = api(
        "templates_apply",
        templateId=data["template"],
        json={"name": f"{run.tag} refused", "variableValues": data["template_variables"]},
    )

    assert 400 <= response.status_code < 500
    assert _project_count(run) == projects
    return response


def _project_count(run: Run) -> int:
    """Return the number of projects of a stub; 0 for a deployment, which does not show it."""
    return 0 if run.target.stub is None else len(run.target.stub.world.projects)


def _content(project: Any) -> dict[str, Any]:
    """Return what a template can add to a project of a stub."""
    return {
        "object types": sorted(project.object_types.keys()),
        "object relations": list(project.object_relations.values()),
        "roles": sorted(project.roles.keys()),
        "workflows": list(project.workflows.values()),
        "sidebar": project.sidebar,
        "hides": project.hides,
        "records": sorted(project.records.keys()),
    }


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(member) for key, member in value.items() if member is not None}
    return value


def _of(part: Mapping[str, Any], *names: str) -> list[Any]:
    return [part[name] for name in names if part.get(name) is not None]
