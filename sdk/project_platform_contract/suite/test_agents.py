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

_MAX_LIMIT = 100  # Maximum number of agents on a page.
_MAX_PAGES = 200  # A list with more pages counts as endless.


def _page(api: Api, limit: int, offset: int = 0) -> httpx.Response:
    response = api("agents_list", query={"limit": limit, "offset": offset})
    assert response.is_success, f"the page could not be listed: {response.status_code}"
    return response


def _ids(response: httpx.Response) -> list[str]:
    return [agent["id"] for agent in response.json()["agents"]]


def _pages(api: Api, limit: int) -> list[list[str]]:
    """Return the identifiers of the agents on every page, up to the page whose hasMore is false."""
    pages: list[list[str]] = []
    for number in range(_MAX_PAGES):
        response = _page(api, limit, number * limit)
        pages.append(_ids(response))
        if not response.json()["pagination"]["hasMore"]:
            return pages
    pytest.fail(f"hasMore is still true after {_MAX_PAGES} pages")


def _at_least_three(api: Api) -> list[str]:
    """Return the identifiers of the agents on the first page.

    Raises:
        MissingError: There are fewer than three.
    """
    ids = _ids(_page(api, _MAX_LIMIT))
    if len(ids) < 3:
        raise MissingError(f"the project has {len(ids)} agents, but paging needs three")
    return ids


@pytest.mark.rule("fields.agent.types")
def test_agents_have_the_documented_types(api: Api) -> None:
    agents: list[Any] = _page(api, _MAX_LIMIT).json()["agents"]
    if not agents:
        raise MissingError("the project has no agents")

    assert mismatch(agents, [AGENT]) is None


@pytest.mark.rule("fields.pagination.types")
def test_the_pagination_object_has_its_three_fields(api: Api) -> None:
    for limit in (1, _MAX_LIMIT):
        pagination = _page(api, limit).json()["pagination"]

        assert {"limit", "offset", "hasMore"} <= pagination.keys()
        assert mismatch(pagination, PAGINATION) is None
        assert None not in pagination.values()


@pytest.mark.rule("agents.list.limit-range")
@pytest.mark.parametrize("limit", [1, 100])
def test_a_limit_in_range_is_accepted(api: Api, limit: int) -> None:
    response = _page(api, limit)

    assert response.is_success
    assert len(_ids(response)) <= limit


@pytest.mark.rule("agents.list.limit-range")
@pytest.mark.parametrize("limit", [0, 101, -1])
def test_a_limit_out_of_range_is_refused(api: Api, fact: Fact, limit: int) -> None:
    """With any client error; which one is recorded as a fact."""
    response = api("agents_list", query={"limit": limit})

    assert refused(response)
    assert discloses_nothing(response)
    fact("invalidStatus", response.status_code, response)


@pytest.mark.rule("agents.list.offset-range")
@pytest.mark.parametrize("offset", [0, 1, 100_000])
def test_an_offset_in_range_is_accepted(api: Api, offset: int) -> None:
    """Also beyond the end of the list."""
    assert api("agents_list", query={"offset": offset}).is_success


@pytest.mark.rule("agents.list.offset-range")
def test_a_negative_offset_is_refused(api: Api) -> None:
    response = api("agents_list", query={"offset": -1})

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("agents.list.integers")
@pytest.mark.parametrize(
    ("name", "value"),
    [("limit", "contract"), ("limit", "1.5"), ("offset", "contract")],
)
def test_a_value_that_is_not_an_integer_is_refused(api: Api, name: str, value: str) -> None:
    assert refused(api("agents_list", query={name: value}))


@pytest.mark.rule("agents.list.page-size")
def test_a_page_has_limit_agents(api: Api) -> None:
    ids = _at_least_three(api)

    assert len(_ids(_page(api, 1))) == 1
    assert len(_ids(_page(api, 2))) == 2
    assert len(_ids(_page(api, len(ids)))) == len(ids)
    assert len(_ids(_page(api, _MAX_LIMIT, 1))) >= len(ids) - 1


@pytest.mark.rule("agents.list.page-size")
def test_a_page_beyond_the_end_is_empty(api: Api) -> None:
    response = api("agents_list", query={"offset": 100_000})

    assert response.is_success
    assert response.json()["agents"] == []
    assert response.json()["pagination"]["hasMore"] is False


@pytest.mark.rule("agents.list.offset-skips")
def test_a_page_is_a_slice_of_the_list(api: Api) -> None:
    """The offset is its start and the limit its length."""
    ids = _at_least_three(api)

    for limit, offset in ((1, 0), (2, 1), (3, 2), (2, 2), (3, 3)):
        assert _ids(_page(api, limit, offset))[: max(0, len(ids) - offset)] == ids[offset : offset + limit]


@pytest.mark.rule("agents.list.every-agent-once")
@pytest.mark.parametrize("limit", [2, 3, 100])
def test_the_pages_contain_every_agent_once(api: Api, limit: int) -> None:
    """Whether the last page is full or not."""
    expected = [id for page in _pages(api, _MAX_LIMIT) for id in page]
    if limit < _MAX_LIMIT and len(expected) > _MAX_LIMIT:
        raise MissingError(f"the project has more than {_MAX_LIMIT} agents, too many for pages of {limit}")

    found = [id for page in _pages(api, limit) for id in page]

    assert sorted(found) == sorted(set(found))
    assert sorted(found) == sorted(expected)


@pytest.mark.rule("agents.list.has-more")
def test_has_more_is_true_if_agents_follow(api: Api) -> None:
    """Checked around the end of the list, where off-by-one errors are likely."""
    ids = [id for page in _pages(api, _MAX_LIMIT) for id in page]
    if len(ids) < 2:
        raise MissingError(f"the project has {len(ids)} agents, but paging needs two")

    size = len(ids)
    for limit, offset in ((1, 0), (1, size - 1), (1, size), (2, 0), (2, size - 2), (2, size - 1)):
        has_more = _page(api, limit, offset).json()["pagination"]["hasMore"]

        assert has_more is (offset + limit < size), f"{limit} agents from {offset} on, of {size}"


@pytest.mark.rule("agents.list.echo")
@pytest.mark.parametrize(("limit", "offset"), [(1, 0), (2, 1), (100, 1)])
def test_the_pagination_object_repeats_the_query(api: Api, limit: int, offset: int) -> None:
    """Also if fewer agents than the limit remain."""
    pagination = _page(api, limit, offset).json()["pagination"]

    assert (pagination["limit"], pagination["offset"]) == (limit, offset)


@pytest.mark.rule("agents.list.echo")
def test_the_default_limit_is_reported(api: Api, fact: Fact) -> None:
    """The specification does not give the default; it must be in range, and the page must respect it."""
    response = api("agents_list")

    pagination = response.json()["pagination"]
    assert 1 <= pagination["limit"] <= _MAX_LIMIT
    assert pagination["offset"] >= 0
    assert len(_ids(response)) <= pagination["limit"]
    fact("defaultLimit", pagination["limit"], response)
    fact("defaultOffset", pagination["offset"], response)
