"""Endpoints 9 and 12: who creates a sub-project, and what the reads of it show after a template was applied."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.applications import Applications
from .support.calendar import moment, wire
from .support.preconditions import require_success
from .support.reading import refused

_LATE: Final = timedelta(days=460)  # After everything that other tests book.


def _agents(api: Api, applied: httpx.Response) -> httpx.Response:
    """Return the list of the agents of the sub-project in a response."""
    project = require_success(applied).json()["data"]["project"]["id"]
    return api("agents_list", projectId=project, query={"limit": 100})


@pytest.mark.rule("templates.apply.remains")
def test_a_sub_project_remains_if_parts_of_the_template_fail(api: Api, applications: Applications) -> None:
    """The creator may be no member of it, so that of a template without a failure has to be readable, too."""
    if not _agents(api, applications.whole(api)).is_success:
        raise MissingError("the agents of a new sub-project cannot be read")

    assert _agents(api, applications.failing(api)).is_success


@pytest.mark.rule("templates.apply.permission-enough")
def test_the_permission_to_write_is_enough(sign_in: SignIn, applications: Applications, data: Data) -> None:
    """The service account has it, and not the one to manage."""
    held = data["permissions"].get("service_account", ())
    if "sub_projects:write" not in held or "sub_projects:manage" in held:
        raise MissingError("the data file does not state that the service account holds sub_projects:write alone")

    assert applications.as_service_account(sign_in("service_account")).is_success


@pytest.mark.rule("templates.apply.new-lists")
def test_the_first_reads_of_a_new_sub_project_are_answered_like_the_later_ones(
    api: Api, contract_run: Run, applications: Applications, data: Data
) -> None:
    """Its lists are arrays, also empty ones. The service may refuse reads, or list agents that the template makes later."""
    project = require_success(applications.whole(api)).json()["data"]["project"]["id"]
    day = moment(data["free_slot"]) + _LATE
    reads: dict[str, tuple[str, dict[str, Any]]] = {
        "posts_list": ("posts", {}),
        "agents_list": ("agents", {"query": {"limit": 100}}),
        "photo_analytics_list_media": ("media", {"accountId": contract_run.unknown_id}),
        "calendar_busy": ("busy", {"query": {"timeMin": wire(day), "timeMax": wire(day + timedelta(days=1))}}),
    }
    seen = {}
    for operation, (member, arguments) in reads.items():
        for number in range(2):
            contract_run.forget_reads()
            response = api(operation, projectId=project, **arguments)
            if not refused(response):
                seen[operation, number] = _listed(require_success(response), member)

    if not seen:
        raise MissingError("a new sub-project cannot be read")
    for operation in {operation for operation, _ in seen}:
        first, second = seen[operation, 0], seen[operation, 1]
        assert [item for item in first if item not in second] == [], operation
        assert operation == "agents_list" or first == second, operation
        assert operation not in {"posts_list", "photo_analytics_list_media"} or first == [], operation


def _listed(response: httpx.Response, member: str) -> list[Any]:
    body = response.json()
    items = body.get("data", body)[member]
    assert isinstance(items, list), f"{member} is {items!r}"
    return [item.get("id", item) for item in items]
