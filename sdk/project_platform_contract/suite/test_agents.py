"""Endpoints 12: list agents, page by page."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, Fact

from .support.reading import discloses_nothing, refused
from .support.resources import AGENT, PAGINATION
from .support.type_check import mismatch

_MOST = 100  # Agents that a page can have.
_PAGES = 200  # Pages after which a list that says it has more is taken to have no end.


def _page(api: Api, limit: int, offset: int = 0) -> httpx.Response:
    response = api("agents_list", query={"limit": limit, "offset": offset})
    assert response.is_success, f"a page was not answered: {response.status_code}"
    return response


def _ids(response: httpx.Response) -> list[str]:
    return [agent["id"] for agent in response.json()["agents"]]


def _pages(api: Api, limit: int) -> list[list[str]]:
    """Return the agents of page after page, until one says that there is no more."""
    pages: list[list[str]] = []
    for number in range(_PAGES):
        response = _page(api, limit, number * limit)
        pages.append(_ids(response))
        if not response.json()["pagination"]["hasMore"]:
            return pages
    pytest.fail(f"after {_PAGES} pages there is still more")


def _several(api: Api) -> list[str]:
    """Return the agents of the first page that are at least three.

    Raises:
        MissingError: There are not so many.
    """
    ids = _ids(_page(api, _MOST))
    if len(ids) < 3:
        raise MissingError(f"the project has {len(ids)} agents; three are needed to show pages with")
    return ids


@pytest.mark.rule("fields.agent.types")
def test_the_fields_of_agents_are_of_their_types(api: Api) -> None:
    """Of every agent that a page can hold."""
    agents: list[Any] = _page(api, _MOST).json()["agents"]
    if not agents:
        raise MissingError("the project has no agents")

    assert mismatch(agents, [AGENT]) is None


@pytest.mark.rule("fields.pagination.types")
def test_the_pagination_has_its_fields(api: Api) -> None:
    """All three of them, on a page that is followed by others or not."""
    for limit in (1, _MOST):
        pagination = _page(api, limit).json()["pagination"]

        assert {"limit", "offset", "hasMore"} <= pagination.keys()
        assert mismatch(pagination, PAGINATION) is None
        assert None not in pagination.values()


@pytest.mark.rule("agents.list.limit-range")
@pytest.mark.parametrize("limit", [1, 100])
def test_a_limit_in_range_is_taken(api: Api, limit: int) -> None:
    """1 and 100 are the ends of the range."""
    response = api("agents_list", query={"limit": limit})

    assert response.is_success
    assert len(_ids(response)) <= limit


@pytest.mark.rule("agents.list.limit-range")
@pytest.mark.parametrize("limit", [0, 101, -1, 1000])
def test_a_limit_out_of_range_is_refused(api: Api, fact: Fact, limit: int) -> None:
    """With an error of the client's, whichever the deployment uses."""
    response = api("agents_list", query={"limit": limit})

    assert refused(response)
    assert discloses_nothing(response)
    fact("invalidStatus", response.status_code, response)


@pytest.mark.rule("agents.list.offset-range")
@pytest.mark.parametrize("offset", [0, 1, 100_000])
def test_an_offset_in_range_is_taken(api: Api, offset: int) -> None:
    """Also one at which no agent is left."""
    assert api("agents_list", query={"offset": offset}).is_success


@pytest.mark.rule("agents.list.offset-range")
def test_a_negative_offset_is_refused(api: Api) -> None:
    """There is nothing before the first agent."""
    response = api("agents_list", query={"offset": -1})

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("agents.list.integers")
@pytest.mark.parametrize("name", ["limit", "offset"])
@pytest.mark.parametrize("value", ["contract", "1.5", "1e1x", "0x10"])
def test_what_is_no_integer_is_refused(api: Api, name: str, value: str) -> None:
    """Neither a word, nor a fraction, nor what only begins like an integer."""
    assert refused(api("agents_list", query={name: value}))


@pytest.mark.rule("agents.list.page-size")
def test_a_page_has_as_many_agents_as_its_limit(api: Api) -> None:
    """While there are so many; without a limit the service chooses."""
    ids = _several(api)

    assert len(_ids(_page(api, 1))) == 1
    assert len(_ids(_page(api, 2))) == 2
    assert len(_ids(_page(api, len(ids)))) == len(ids)
    assert len(_ids(_page(api, _MOST, len(ids) - 1))) >= 1


@pytest.mark.rule("agents.list.page-size")
def test_a_page_beyond_the_end_is_empty(api: Api) -> None:
    """And nothing follows it."""
    response = _page(api, 10, 100_000)

    assert response.json()["agents"] == []
    assert response.json()["pagination"]["hasMore"] is False


@pytest.mark.rule("agents.list.offset-skips")
def test_a_page_begins_where_its_offset_says(api: Api) -> None:
    """Wherever it begins and however long it is, it is a part of the same list."""
    ids = _several(api)

    for limit in (1, 2, 3):
        for offset in range(min(len(ids), 5)):
            assert _ids(_page(api, limit, offset))[: len(ids) - offset] == ids[offset : offset + limit]


@pytest.mark.rule("agents.list.every-agent-once")
@pytest.mark.parametrize("limit", [1, 3, 100])
def test_every_agent_comes_once(api: Api, limit: int) -> None:
    """Page after page, whether the last one is full or not."""
    everyone = [id for page in _pages(api, _MOST) for id in page]
    if limit == 1 and len(everyone) > 50:
        raise MissingError("the project has more agents than are asked for one by one")

    found = [id for page in _pages(api, limit) for id in page]

    assert sorted(found) == sorted(set(found))
    assert sorted(found) == sorted(everyone)


@pytest.mark.rule("agents.list.has-more")
def test_has_more_says_whether_an_agent_follows(api: Api) -> None:
    """Just before the end and just at it, where it is easily wrong."""
    ids = [id for page in _pages(api, _MOST) for id in page]
    if len(ids) < 2:
        raise MissingError(f"the project has {len(ids)} agents; two are needed to show pages with")

    for limit in (1, 2):
        for offset in (0, len(ids) - limit - 1, len(ids) - limit, len(ids) - 1, len(ids)):
            if offset >= 0:
                has_more = _page(api, limit, offset).json()["pagination"]["hasMore"]

                assert has_more is (offset + limit < len(ids)), f"{limit} agents from {offset} on, of {len(ids)}"


@pytest.mark.rule("agents.list.has-more")
def test_has_more_is_kept(api: Api) -> None:
    """Where a page says that there is more the next one has an agent, and where it does not it has none."""
    for offset in range(4):
        has_more = _page(api, 1, offset).json()["pagination"]["hasMore"]

        assert bool(_ids(_page(api, 1, offset + 1))) is has_more


@pytest.mark.rule("agents.list.echo")
@pytest.mark.parametrize(("limit", "offset"), [(1, 0), (2, 1), (100, 7)])
def test_the_answer_tells_what_was_asked(api: Api, limit: int, offset: int) -> None:
    """Also where fewer agents are left than the limit."""
    pagination = _page(api, limit, offset).json()["pagination"]

    assert (pagination["limit"], pagination["offset"]) == (limit, offset)


@pytest.mark.rule("agents.list.echo")
def test_without_a_limit_the_answer_tells_which_one_is_taken(api: Api, fact: Fact) -> None:
    """The default is not shown; whichever it is, it is in the range, and the page keeps it."""
    response = api("agents_list")

    pagination = response.json()["pagination"]
    assert 1 <= pagination["limit"] <= _MOST
    assert pagination["offset"] >= 0
    assert len(_ids(response)) <= pagination["limit"]
    fact("defaultLimit", pagination["limit"], response)
    fact("defaultOffset", pagination["offset"], response)
