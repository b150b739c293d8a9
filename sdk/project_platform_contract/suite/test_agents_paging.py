"""Endpoints 12: pages of the list of agents, around its beginning and its end, and the whole list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api

_MAX_LIMIT = 100  # Maximum number of agents on a page.
_FAR = 2_147_483_648  # An offset that does not fit into 32 bits with a sign.


class Listing:
    """The whole list, read once, and the pages that are compared with it."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.agents = self._page(limit=_MAX_LIMIT, offset=0)["agents"]
        self.ids = [agent["id"] for agent in self.agents]

    def page(self, **query: int) -> tuple[list[str], bool]:
        """Return the identifiers on a page, and its hasMore."""
        body = self._page(**query)
        return [agent["id"] for agent in body["agents"]], body["pagination"]["hasMore"]

    def _page(self, **query: int) -> dict[str, Any]:
        response = self._api("agents_list", query=query)
        assert response.is_success, f"the page could not be listed: {response.status_code}"
        body: dict[str, Any] = response.json()
        return body


@pytest.fixture
def list_all(api: Api) -> Callable[[], Listing]:
    """Returns a function that lists the agents of the project, which a test that is repeated calls again."""

    def list_all() -> Listing:
        listing = Listing(api)
        if not 2 <= len(listing.ids) < _MAX_LIMIT:
            raise MissingError(f"the project has {len(listing.ids)} agents; these tests need 2 to {_MAX_LIMIT - 1}")
        return listing

    return list_all


@pytest.mark.rule("agents.list.page-size", "agents.list.has-more")
def test_pages_around_the_end_have_the_agents_that_are_left(list_all: Callable[[], Listing]) -> None:
    """One more, exactly, and one less than the list has, from its beginning and before its end."""
    listing = list_all()
    ids, size = listing.ids, len(listing.ids)
    windows = [
        (size - 1, 0),
        (size, 0),
        (_MAX_LIMIT, 0),
        (_MAX_LIMIT, 1),
        (2, size - 1),
        (1, size),
    ]

    pages = {window: listing.page(limit=window[0], offset=window[1]) for window in windows}

    expected = {(limit, offset): (ids[offset : offset + limit], offset + limit < size) for limit, offset in windows}
    assert pages == expected


@pytest.mark.rule("agents.list.defaults")
def test_parameters_can_be_omitted_apart(list_all: Callable[[], Listing]) -> None:
    """Without an offset the list begins with its first agent, whatever the limit; without a limit, at the offset."""
    listing = list_all()
    assert listing.page(limit=1) == (listing.ids[:1], True)

    for offset, (ids, has_more) in ((1, listing.page(offset=1)), (0, listing.page())):
        assert ids == listing.ids[offset : offset + len(ids)]
        assert ids
        assert has_more is (offset + len(ids) < len(listing.ids))


@pytest.mark.rule("agents.list.offset-range")
def test_a_page_far_beyond_the_end_is_empty(api: Api) -> None:
    response = api("agents_list", query={"limit": 2, "offset": _FAR})

    assert response.is_success
    assert response.json()["agents"] == []


@pytest.mark.rule("agents.list.every-agent-once")
def test_an_agent_is_listed_once_and_is_the_same_on_every_page(list_all: Callable[[], Listing], api: Api) -> None:
    """Compared are the fields that no other request changes."""
    listing = list_all()
    fields = ("id", "projectId", "name", "description", "builtIn", "systemPrompt", "access", "maxSteps", "model")
    found = api("agents_list", query={"limit": _MAX_LIMIT, "offset": 1}).json()["agents"]

    assert len(set(listing.ids)) == len(listing.ids)
    assert [[agent.get(name) for name in fields] for agent in found] == [
        [agent.get(name) for name in fields] for agent in listing.agents[1:]
    ]


@pytest.mark.rule("agents.list.all")
def test_all_agents_of_the_project_are_listed(list_all: Callable[[], Listing], data: Data) -> None:
    """More than the data file lists may have been created since it was written."""
    listed, stated = set(list_all().ids), set(data["agents"])

    if listed > stated:
        raise MissingError("the project has agents that the member 'agents' of the data file does not list")
    assert sorted(listed) == sorted(stated)
