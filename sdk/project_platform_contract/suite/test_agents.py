"""Endpoints 12: list agents, page by page, around the beginning and the end of the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.schema import field_problem, fields_of

from .support.reading import discloses_nothing, refused

_MAX_LIMIT: Final = 100  # Maximum number of agents on a page.
_MAX_PAGES: Final = 200  # A list with more pages counts as endless.
_BEYOND: Final = 100_000
_FAR: Final = 2_147_483_648  # An offset that does not fit into 32 bits with a sign.
# Fields that no other request changes.
_LASTING: Final = ("id", "projectId", "name", "description", "builtIn", "systemPrompt", "access", "maxSteps", "model")

Page = dict[str, Any]


def _page(api: Api, **query: int) -> Page:
    response = api("agents_list", query=query)
    assert response.is_success, f"the page could not be listed: {response.status_code}"
    body: Page = response.json()
    return body


def _ids(page: Page) -> list[str]:
    return [agent["id"] for agent in page["agents"]]


def _pages(api: Api, limit: int) -> list[str]:
    """Return the identifiers of the agents on every page, up to the page whose hasMore is false."""
    found: list[str] = []
    for number in range(_MAX_PAGES):
        page = _page(api, limit=limit, offset=number * limit)
        found += _ids(page)
        if not page["pagination"]["hasMore"]:
            return found
    pytest.fail(f"hasMore is still true after {_MAX_PAGES} pages")


@pytest.fixture
def list_all(api: Api) -> Callable[[], list[str]]:
    """Returns a function that lists the agents of the project, which a test that is repeated calls again."""

    def list_all() -> list[str]:
        ids = _pages(api, _MAX_LIMIT)
        if len(ids) < 3:
            raise MissingError(f"the project has {len(ids)} agents, but paging needs three")
        return ids

    return list_all


@pytest.mark.rule("fields.pagination.types")
def test_the_pagination_object_has_its_three_fields(api: Api) -> None:
    for limit in (1, _MAX_LIMIT):
        pagination = _page(api, limit=limit, offset=0)["pagination"]

        assert None not in [pagination[name] for name in fields_of("Pagination")]
        assert field_problem("Pagination", pagination) is None


_VALUES: Final[Mapping[str, tuple[str, tuple[int | str, ...], tuple[int | str, ...]]]] = {
    "agents.list.limit-range": ("limit", (1, _MAX_LIMIT), (0, _MAX_LIMIT + 1, -1)),
    "agents.list.offset-range": ("offset", (0, 1, _BEYOND, _FAR), (-1,)),
    "agents.list.integers": ("limit", (), ("contract", "1.5")),
}
"""By rule: a parameter, values in its range, and others."""


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        pytest.param(name, value, value in valid, marks=pytest.mark.rule(rule), id=f"{rule}-{name}-{value}")
        for rule, (name, valid, others) in _VALUES.items()
        for value in (*valid, *others)
    ]
    + [
        pytest.param(
            *("offset", "contract", False), marks=pytest.mark.rule("agents.list.integers"), id="agents.list.integers"
        )
    ],
)
def test_a_value_is_accepted_in_its_range_only(
    api: Api, fact: Fact, name: str, value: int | str, accepted: bool
) -> None:
    """Also an offset beyond the end of the list. A value out of range gets any client error, or the nearest one in the response."""
    response = api("agents_list", query={name: value})

    if accepted:
        assert response.is_success
        seen = _ids(response.json())
        assert name != "limit" or len(seen) <= int(value)
        assert not seen or value not in {_BEYOND, _FAR}
    elif isinstance(value, int) and response.is_success:
        nearest = min(max(value, 1), _MAX_LIMIT) if name == "limit" else 0
        assert response.json()["pagination"][name] == nearest
        assert name == "offset" or len(_ids(response.json())) <= nearest
    else:
        assert refused(response)
        assert discloses_nothing(response)
        fact("invalidStatus", response.status_code, response)


def _windows(rule: str, size: int) -> list[tuple[int | None, int | None]]:
    """Return limits and offsets: around the beginning and the end of the list, where off-by-one errors are likely."""
    end = [(1, size - 1), (1, size), (2, size - 2), (2, size - 1), (size - 1, 0), (size, 0)]
    windows: dict[str, list[tuple[int | None, int | None]]] = {
        "agents.list.offset-skips": [(1, 0), (2, 1), (3, 2), (2, 2), (3, 3)],
        "agents.list.echo": [(1, 0), (2, 1), (_MAX_LIMIT, 1)],
        "agents.list.defaults": [(1, None), (None, 1), (None, None)],
    }
    found = windows.get(rule, [(1, 0), (2, 0), (_MAX_LIMIT, 0), (_MAX_LIMIT, 1), *end])
    return [(limit, offset) for limit, offset in found if (limit or 0) <= _MAX_LIMIT]


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(f"agents.list.{rule}", marks=pytest.mark.rule(f"agents.list.{rule}"))
        for rule in ("page-size", "offset-skips", "has-more", "echo", "defaults")
    ],
)
def test_a_page_is_a_window_of_the_list(api: Api, list_all: Callable[[], list[str]], rule: str) -> None:
    """The offset is its start and the limit its length; what it says of itself is the query, and whether agents follow.

    Without an offset the list begins with its first agent, whatever the limit; without a limit, at the offset.
    """
    ids = list_all()

    for limit, offset in _windows(rule, len(ids)):
        query = {"limit": limit, "offset": offset}
        page = _page(api, **{name: value for name, value in query.items() if value is not None})
        start, length = offset or 0, limit or max(len(page["agents"]), 1)
        expected, pagination, follow = ids[start : start + length], page["pagination"], start + length < len(ids)
        seen, right = {
            "agents.list.page-size": (len(_ids(page)), len(expected)),
            "agents.list.offset-skips": (_ids(page), expected),
            "agents.list.has-more": (pagination["hasMore"], follow),
            "agents.list.echo": ((pagination["limit"], pagination["offset"]), (limit, offset)),
            "agents.list.defaults": ((_ids(page), pagination["hasMore"]), (expected, follow)),
        }[rule]
        assert seen == right, f"{limit} agents from {offset} on, of {len(ids)}"


@pytest.mark.rule("agents.list.page-size")
def test_a_page_beyond_the_end_is_empty(api: Api) -> None:
    page = _page(api, offset=_BEYOND)

    assert page["agents"] == []
    assert page["pagination"]["hasMore"] is False


@pytest.mark.rule("agents.list.every-agent-once")
@pytest.mark.parametrize("limit", [2, 3])
def test_the_pages_contain_every_agent_once(api: Api, limit: int) -> None:
    """Whether the last page is full or not."""
    expected = _pages(api, _MAX_LIMIT)
    assert len(set(expected)) == len(expected)
    hundreds = -(-len(expected) // _MAX_LIMIT) or 1  # of many agents, the pages are larger by this factor

    assert sorted(_pages(api, min(limit * hundreds, _MAX_LIMIT))) == sorted(expected)


@pytest.mark.rule("agents.list.every-agent-once")
def test_an_agent_is_the_same_on_every_page(api: Api) -> None:
    first, second = (_page(api, limit=_MAX_LIMIT, offset=offset)["agents"] for offset in (0, 1))

    shown = [[[agent.get(name) for name in _LASTING] for agent in agents] for agents in (first[1:], second)]
    assert shown[1][: len(shown[0])] == shown[0]


@pytest.mark.rule("agents.list.echo")
def test_the_default_limit_is_reported(api: Api, fact: Fact) -> None:
    """The specification does not give the default; it must be in range, and the page must have that many agents if more follow."""
    response: httpx.Response = api("agents_list")

    pagination = response.json()["pagination"]
    assert 1 <= pagination["limit"] <= _MAX_LIMIT
    assert pagination["offset"] >= 0
    listed = len(_ids(response.json()))
    assert listed == pagination["limit"] if pagination["hasMore"] else listed <= pagination["limit"]
    fact("defaultLimit", pagination["limit"], response)
    fact("defaultOffset", pagination["offset"], response)


@pytest.mark.rule("agents.list.all")
def test_all_agents_of_the_project_are_listed(list_all: Callable[[], list[str]], data: Data) -> None:
    """More than the data file lists may have been created since it was written."""
    listed, stated = set(list_all()), set(data["agents"])

    if listed > stated:
        raise MissingError("the project has agents that the member 'agents' of the data file does not list")
    assert sorted(listed) == sorted(stated)
