"""Endpoint 8: replace the sidebar. Each test restores the sidebar of the data file."""

from __future__ import annotations

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.restoration import sidebar, sidebar_problem

from .support.permissions import PERMISSIONS
from .support.preconditions import require_success
from .support.valid_requests import ValidRequests


@pytest.mark.rule("sidebar.replace.whole-list")
def test_what_is_left_out_is_removed(contract_run: Run) -> None:
    """An item and a section of the sidebar as it is. Only if they are removed, the other tests add sections to it."""
    assert sidebar_problem(contract_run) is None


@pytest.mark.rule("sidebar.replace.whole-list")
def test_the_whole_list_is_replaced(api: Api, contract_run: Run, tag: str) -> None:
    """Also if a section of the previous list has the same id."""
    lists: tuple[list[str], ...] = ([f"{tag}-{number}" for number in "123"], [f"{tag}-2"], [])
    with sidebar(contract_run):
        for ids in lists:
            sections = [{"id": id, "label": f"Section {id}", "items": []} for id in ids]
            replaced = require_success(api("sidebar_replace", json={"sections": sections}))

            assert [section["id"] for section in replaced.json()["data"]["sections"]] == ids


@pytest.mark.rule("sidebar.hiding-keeps-authority")
def test_a_hidden_resource_can_still_be_read(
    api: Api, contract_run: Run, sign_in: SignIn, valid_requests: ValidRequests
) -> None:
    """With one entry, a viewer can read what can be read while an entry of each resource is shown."""
    viewer = sign_in("viewer")
    reads = (
        *("agents_list", "web_analytics_get_config", "posts_list", "auth_check_permission"),
        *("calendar_busy", "photo_analytics_list_media"),
    )
    resources = dict.fromkeys(value.partition(":")[0] for value in PERMISSIONS)
    entries = [
        {**dict.fromkeys(("id", "label", "featureId", "pluginId"), name), "href": f"/{name}"} for name in resources
    ]
    with sidebar(contract_run):
        section = {"id": "all", "label": "All", "items": entries}
        api("sidebar_replace", json={"sections": [section]})
        before = {operation: viewer(operation, **valid_requests(operation)) for operation in reads}
        if not any(response.is_success for response in before.values()):
            raise MissingError("the viewer may not read any of the resources")
        require_success(api("sidebar_replace", json={"sections": [{**section, "items": entries[:1]}]}))
        after = {operation: viewer(operation, **valid_requests(operation)) for operation in reads}

    for operation in reads:
        assert after[operation].is_success or not before[operation].is_success
        assert _extent(after[operation]) >= _extent(before[operation])


def _extent(response: httpx.Response) -> set[str]:
    """Return the names of the members in a response that have content."""
    body = response.json()
    members = body.get("data", body)
    return {name for name in ("agents", "posts", "config", "allowed", "busy", "media") if members.get(name)}
