"""Endpoints 12: list agents."""

from __future__ import annotations

import pytest

from project_platform_contract.api import Api


@pytest.mark.rule("agents.list.limit-range")
@pytest.mark.parametrize("limit", [1, 100])
def test_a_limit_in_range_is_taken(api: Api, limit: int) -> None:
    """1 and 100 are the ends of the range."""
    response = api("agents_list", query={"limit": limit})

    assert response.is_success
    assert len(response.json()["agents"]) <= limit
    assert response.json()["pagination"]["limit"] == limit


@pytest.mark.rule("agents.list.limit-range")
@pytest.mark.parametrize("limit", [0, 101, -1])
def test_a_limit_out_of_range_is_refused(api: Api, limit: int) -> None:
    """With an error of the client's, whichever the deployment uses."""
    assert 400 <= api("agents_list", query={"limit": limit}).status_code < 500
