"""What the service does, Resources: the project is the scope of what is asked, and how identifiers and times are written."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.rules.per_operation import of_a_project, of_a_project_and_reads
from project_platform_contract.run.api import Api, Fact, SignIn

from .support.parametrize import parametrize_operations
from .support.reading import discloses_nothing, refused
from .support.type_check import is_date_time
from .support.valid_requests import ValidRequests

_READS = ("agents_list", "web_analytics_get_config", "posts_list", "photo_analytics_list_media")


@parametrize_operations("scope.outsider-refused", of_a_project)
def test_an_outsider_is_refused(sign_in: SignIn, valid_requests: ValidRequests, operation: str) -> None:
    """A good token of somebody who is no member; the call fits otherwise."""
    outsider = sign_in("outsider")
    arguments = valid_requests(operation)

    response = outsider(operation, **arguments)

    assert refused(response)
    assert discloses_nothing(response)


@parametrize_operations("scope.foreign-project-refused", of_a_project_and_reads)
@pytest.mark.parametrize("exists", [True, False])
def test_another_project_is_refused(
    api: Api, valid_requests: ValidRequests, fact: Fact, operation: str, exists: bool
) -> None:
    """One that others are members of, and one that does not exist."""
    project = valid_requests.data("foreign_project") if exists else str(uuid.uuid4())

    response = api(operation, **{**valid_requests(operation), "projectId": project})

    assert refused(response)
    assert discloses_nothing(response)
    if operation != "labels_export":  # whose statuses are shown
        fact("unknownProjectStatus", response.status_code, response)


@pytest.mark.parametrize(
    ("operation", "member"),
    [
        pytest.param("agents_list", "agents", marks=pytest.mark.rule("scope.own-things.agents-list")),
        pytest.param("posts_list", "posts", marks=pytest.mark.rule("scope.own-things.posts-list")),
    ],
)
def test_a_list_holds_what_is_the_projects_own(api: Api, data: Data, operation: str, member: str) -> None:
    """Whichever of two projects is asked, and what one of them has the other has not."""
    listed = {}
    for project in (api.project, data["other_project"]):
        body = api(operation, projectId=project).json()
        items = body.get("data", body)[member]
        # What comes with the service belongs to no project.
        listed[project] = {item["id"] for item in items if not item.get("builtIn")}
        projects = {item["projectId"].lower() for item in items if item.get("projectId")}

        assert projects <= {project.lower()}

    assert not set.intersection(*listed.values())


@pytest.mark.rule("scope.own-things.web-analytics-get-config")
def test_a_configuration_is_the_projects_own(api: Api, data: Data) -> None:
    """Whichever of two projects is asked."""
    for project in (api.project, data["other_project"]):
        config = api("web_analytics_get_config", projectId=project).json().get("config")

        assert config is None or config["projectId"].lower() == project.lower()


@pytest.mark.rule("scope.own-things.photo-analytics-list-media")
def test_an_account_has_no_figures_in_another_project(api: Api, data: Data) -> None:
    """It is refused, or there is nothing."""
    account = data["photo_account"]
    assert api("photo_analytics_list_media", accountId=account).is_success

    response = api("photo_analytics_list_media", projectId=data["other_project"], accountId=account)

    assert refused(response) or response.json()["data"]["media"] == []


@pytest.mark.rule("scope.own-things.memory-update")
def test_an_entry_is_not_updated_through_another_project(api: Api, data: Data) -> None:
    """Unless that project has an entry of the same slug, which is another one."""
    response = api("memory_update", projectId=data["other_project"], slug=data["memory_slug"], json={})

    assert refused(response) or response.json()["entry"]["projectId"].lower() == data["other_project"].lower()


@pytest.mark.rule("scope.own-things.engagement-like")
def test_a_post_is_not_liked_through_another_project(api: Api, data: Data, valid_requests: ValidRequests) -> None:
    """Neither post nor account are that project's."""
    response = api("engagement_like", **{**valid_requests("engagement_like"), "projectId": data["other_project"]})

    assert refused(response) or response.json()["success"] is not True


@parametrize_operations("scope.project-uuid", of_a_project_and_reads)
@pytest.mark.parametrize("project", ["contract", "7", "{uuid}0", "{uuid}-contract"])
def test_what_is_no_uuid_is_no_project(api: Api, valid_requests: ValidRequests, operation: str, project: str) -> None:
    """Also where it begins like one."""
    response = api(operation, **{**valid_requests(operation), "projectId": project.format(uuid=api.project)})

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("fields.identifiers")
@pytest.mark.parametrize("operation", _READS)
def test_identifiers_are_text(api: Api, valid_requests: ValidRequests, operation: str) -> None:
    """Each `id`, and each field whose name ends with `Id`, wherever it stands."""
    found = _found(api, valid_requests, operation, lambda name: name == "id" or name.endswith("Id"))

    assert [(name, value) for name, value in found if not isinstance(value, str)] == []


@pytest.mark.rule("fields.timestamps")
@pytest.mark.parametrize("operation", ["agents_list", "web_analytics_get_config"])
def test_timestamps_are_date_times(api: Api, valid_requests: ValidRequests, operation: str) -> None:
    """When things were created and updated; those of posts are said to be no more than text."""
    found = _found(api, valid_requests, operation, lambda name: name in {"createdAt", "updatedAt"})

    assert [(name, value) for name, value in found if not is_date_time(value)] == []


def _found(api: Api, valid_requests: ValidRequests, operation: str, wanted: Any) -> list[tuple[str, Any]]:
    """Return the members of an answer with wanted names, without those that are null."""
    found = [
        (name, value) for name, value in _members(api(operation, **valid_requests(operation)).json()) if wanted(name)
    ]
    if not found:
        raise MissingError(f"{operation} answers with nothing that has one")
    return [(name, value) for name, value in found if value is not None]


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Give each member of each object in a value. What is in free-form objects is not the service's."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield name, member
            if name not in {"metadata", "headers"}:
                yield from _members(member)
    elif isinstance(value, list):
        for each in value:
            yield from _members(each)
