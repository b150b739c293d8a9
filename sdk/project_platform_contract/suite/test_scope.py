"""What the service does, Resources: a project is the scope of every request; formats of identifiers and timestamps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.date_times import is_date_time
from project_platform_contract.rules.kinds import adds_to_a_project, dashed, of_a_project_and_reads
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.restoration import memory_entry

from .support.lists import items_of
from .support.parametrize import parametrize_operations
from .support.preconditions import require_success
from .support.reading import discloses_nothing, refused
from .support.valid_requests import ValidRequests

_READS = ("agents_list", "web_analytics_get_config", "posts_list", "photo_analytics_list_media")
_MAX_PAGES = 200  # A list with more pages counts as endless.


@parametrize_operations("scope.foreign-project-refused", of_a_project_and_reads)
@pytest.mark.parametrize("exists", [True, False])
def test_another_project_is_refused(
    api: Api, valid_requests: ValidRequests, fact: Fact, operation: str, exists: bool
) -> None:
    """It has other members, or does not exist."""
    project = valid_requests.data("foreign_project") if exists else valid_requests.unknown_id

    response = api(operation, **{**valid_requests(operation), "projectId": project})

    assert refused(response)
    assert discloses_nothing(response)
    if operation != "labels_export":  # the specification gives its statuses
        fact("unknownProjectStatus", response.status_code, response)


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(operation, marks=pytest.mark.rule(f"scope.own-things.{dashed(operation)}"))
        for operation in ("agents_list", "posts_list", "web_analytics_get_config")
    ],
)
def test_a_project_shows_only_its_own_things(api: Api, data: Data, operation: str) -> None:
    """Two projects have nothing in common."""
    shown = {}
    for project in (api.project, data["other_project"]):
        # Built-in agents belong to no project.
        things = [thing for thing in _every_thing(api, operation, project) if not thing.get("builtIn")]
        shown[project] = {thing["id"] for thing in things if thing}
        projects = {thing["projectId"].lower() for thing in things if thing.get("projectId")}

        assert projects <= {project.lower()}

    assert not set.intersection(*shown.values())


def _every_thing(api: Api, operation: str, project: str) -> Iterator[dict[str, Any]]:
    """Yield the things of a list, to its last page."""
    offset = 0
    for _ in range(_MAX_PAGES):
        response = require_success(api(operation, projectId=project, query={"offset": offset} if offset else None))
        items = items_of(operation, response)
        yield from items
        offset += len(items)
        if not (items and response.json().get("pagination", {}).get("hasMore")):
            return


@pytest.mark.rule("scope.own-things.memory-update")
def test_an_entry_is_not_updated_through_another_project(api: Api, contract_run: Run, data: Data) -> None:
    """Unless the other project has an entry with the same slug, which is another one."""
    own = require_success(api("memory_update", slug=data["memory_slug"], json={})).json()["entry"]
    response = api("memory_update", projectId=data["other_project"], slug=data["memory_slug"], json={})

    assert own["projectId"].lower() == api.project.lower()
    if not refused(response):
        entry = response.json()["entry"]
        assert entry["projectId"].lower() == data["other_project"].lower()
        assert entry["id"] != own["id"]
        with memory_entry(contract_run, data["memory_slug"]):
            require_success(api("memory_update", slug=data["memory_slug"], json={"content": contract_run.tag}))
            after = api("memory_update", projectId=data["other_project"], slug=data["memory_slug"], json={})
        assert after.json()["entry"]["content"] == entry["content"]


@pytest.mark.rule("scope.own-things.engagement-like")
def test_a_post_is_not_liked_through_another_project(api: Api, data: Data, valid_requests: ValidRequests) -> None:
    response = api("engagement_like", **{**valid_requests("engagement_like"), "projectId": data["other_project"]})

    assert refused(response) or response.json()["success"] is not True


@parametrize_operations(
    "scope.project-uuid", lambda operation: of_a_project_and_reads(operation) or adds_to_a_project(operation)
)
def test_a_project_that_is_not_a_uuid_is_refused(api: Api, valid_requests: ValidRequests, operation: str) -> None:
    """Although it begins with one. It has the tag of the run, so that no project can have it."""
    project = f"{api.project}-{valid_requests.tag}"

    response = api(operation, **{**valid_requests(operation), "projectId": project})

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("fields.identifiers")
@pytest.mark.parametrize("operation", _READS)
def test_identifiers_are_strings(api: Api, valid_requests: ValidRequests, operation: str) -> None:
    """Every field named `id`, or with a name that ends in `Id`, at any depth."""
    found = _found(api, valid_requests, operation, lambda name: name == "id" or name.endswith("Id"))

    assert [(name, value) for name, value in found if not isinstance(value, str)] == []


@pytest.mark.rule("fields.timestamps")
@pytest.mark.parametrize("operation", ["agents_list", "web_analytics_get_config"])
def test_timestamps_are_date_times(api: Api, valid_requests: ValidRequests, operation: str) -> None:
    """Those of posts are not included, because the specification only calls them strings."""
    found = _found(api, valid_requests, operation, lambda name: name in {"createdAt", "updatedAt"})

    assert [(name, value) for name, value in found if not is_date_time(value)] == []


def _found(api: Api, valid_requests: ValidRequests, operation: str, matches: Any) -> list[tuple[str, Any]]:
    """Return the members of a response with matching names, without those that are null."""
    found = [
        (name, value) for name, value in _members(api(operation, **valid_requests(operation)).json()) if matches(name)
    ]
    if not found:
        raise MissingError(f"{operation} returned no field to check")
    return [(name, value) for name, value in found if value is not None]


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield all members at any depth, except those of free-form objects."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield name, member
            if name not in {"metadata", "headers"}:
                yield from _members(member)
    elif isinstance(value, list):
        for item in value:
            yield from _members(item)
