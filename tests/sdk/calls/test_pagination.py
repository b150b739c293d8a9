"""A list that comes a page at a time is used as if it were whole."""

from __future__ import annotations

import gc
import weakref

import anyio
import httpx
import pytest

from project_platform import (
    AsyncClient,
    DecodingError,
    Listing,
    NotFoundError,
    Page,
    PaginationStalledError,
    ServerError,
    UsageError,
)

REFUSED = httpx.Response(503, headers={"x-request-id": "req-1", "retry-after": "0"})


def page(names, *, offset=0, limit=2, more=False, request_id="req-2"):
    body = {
        "agents": [{"id": name} for name in names],
        "pagination": {"limit": limit, "offset": offset, "hasMore": more},
    }
    return httpx.Response(200, json=body, headers={"x-request-id": request_id})


def queries(service):
    return [request.url.query.decode() for request in service.requests]


LISTS = {
    "several pages": (
        {"limit": 2},
        [page("ab", more=True), page("cd", offset=2, more=True), page("e", offset=4)],
        ["limit=2", "limit=2&offset=2", "limit=2&offset=4"],
    ),
    "no arguments": ({}, [page("ab", more=True), page("cde", offset=2)], ["", "offset=2"]),
    "pages shorter than the limit": (
        {"limit": 100},
        [page("ab", limit=2, more=True), page("cde", offset=2, more=True), page("", offset=5)],
        ["limit=100", "limit=100&offset=2", "limit=100&offset=5"],
    ),
    "pages at multiples of the limit": (
        {"offset": 1},
        [page("abc", offset=1, more=True), page("cde", offset=3)],
        ["offset=1", "offset=4"],
    ),
    "a first page where the service begins": (
        {},
        [page("ab", offset=10, more=True), page("cde", offset=12)],
        ["", "offset=12"],
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_iterating_goes_across_pages(project, service, name):
    """The first request has the arguments of the caller, each later one the offset behind the items of the page before.

    Every iteration of a pager starts at the first page.
    """
    given, pages, sent = LISTS[name]
    service.will(*pages, *pages)
    agents = project.agents.list(**given)

    names = [[agent.id for agent in agents] for _ in range(2)]

    assert [name[-3:] for name in names] == [list("cde")] * 2
    assert queries(service) == sent * 2


def test_a_page_is_released_before_the_next_one_is_fetched(project, service):
    """A list is never in memory with more than one page, unless the caller keeps its items."""
    seen = []

    def second(request):
        gc.collect()
        alive.extend(reference() is not None for reference in seen)
        return page("cd", offset=2)

    alive = []
    service.will(page("ab", more=True), second)

    for agent in project.agents.list():
        seen.append(weakref.ref(agent))
        del agent

    assert alive == [False, False]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_awaiting_an_asynchronous_pager_returns_the_first_page(service, backend, token, project_id):
    """`await project.agents.list()` works as in other SDKs; the pager can still be iterated."""
    service.will(page("ab", more=True), page("ab", more=True), page("ab", more=True), page("c", offset=2))

    async def main():
        carrier = httpx.MockTransport(service)
        async with AsyncClient("https://platform.example", token=token, transport=carrier) as client:
            agents = client.project(project_id).agents.list()
            first, again = await agents, await agents
            return first, again, [agent.id async for agent in agents]

    first, again, names = anyio.run(main, backend=backend)

    assert isinstance(first, Page)
    assert first == again
    assert ([agent.id for agent in first.items], first.has_more, first.next_offset) == (["a", "b"], True, 2)
    assert names == ["a", "b", "c"]


def test_an_index_is_refused_with_what_to_write_instead(project, way):
    """Pages are fetched in order: an index would hide how many requests it takes. Nothing is sent."""
    whole, first = {
        "sync": ("pager.to_list()", "pager.first()"),
        "asyncio": ("(await pager.to_list())", "await pager.first()"),
    }["sync" if way == "sync" else "asyncio"]
    name = "Pager" if way == "sync" else "AsyncPager"

    with pytest.raises(TypeError) as raised:
        project.agents.list()[0]

    assert str(raised.value) == (
        f"<{name} of agents_list> fetches pages and cannot be indexed; use {whole}[0], or {first}"
    )


def test_a_loop_over_an_asynchronous_pager_is_refused_with_what_to_write_instead(project_id):
    client = AsyncClient("https://platform.example", token="t", transport=httpx.MockTransport(httpx.Response))
    with pytest.raises(TypeError, match="iterate over it with `async for`"):
        iter(client.project(project_id).agents.list())


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_iteration_that_failed_is_over(service, backend, token, project_id):
    """After an error the iterator is exhausted, as every iterator of Python is, and sends nothing."""
    service.will(httpx.Response(404, json={"message": "gone"}))

    async def ask_on():
        carrier = httpx.MockTransport(service)
        async with AsyncClient("https://platform.example", token=token, transport=carrier) as client:
            agents = aiter(client.project(project_id).agents.list())
            with pytest.raises(NotFoundError):
                await anext(agents)
            return [agent async for agent in agents]

    assert anyio.run(ask_on, backend=backend) == []


@pytest.mark.parametrize(("again", "way_out"), [("ab", "list again with offset=4"), ("", "report it to the operators")])
def test_a_page_that_reports_more_and_has_no_new_items_is_an_error(project, service, again, way_out):
    service.will(page("ab", more=True), page(again, offset=2, more=True))
    seen = []

    with pytest.raises(PaginationStalledError, match=way_out) as raised:
        seen.extend(agent.id for agent in project.agents.list())

    assert raised.value.cursor == 2 + len(again)
    assert raised.value.operation_id == "agents_list"


@pytest.mark.parametrize("offset", [-1, 3, 10**30, 2**63])
def test_a_page_that_is_not_the_requested_one_is_an_error_of_the_list(project, service, offset):
    """A page further on would skip items in silence; an impossible offset is the service's, not the caller's."""
    service.will(page("ab", more=True), page("cd", offset=offset, more=True))
    seen = []

    with pytest.raises(
        PaginationStalledError, match=f"offset 2 was requested, and the response has offset {offset}"
    ) as raised:
        seen.extend(agent.id for agent in project.agents.list())

    assert seen == ["a", "b"]
    assert not isinstance(raised.value, UsageError)
    assert (raised.value.cursor, raised.value.operation_id) == (2, "agents_list")


@pytest.mark.parametrize("offset", ["soon", 1.5, [0], {}])
def test_an_offset_that_is_not_a_whole_number_does_not_fit_the_contract(project, service, offset):
    service.will(page("ab", offset=offset, more=True))

    with pytest.raises(DecodingError, match="offset") as raised:
        list(project.agents.list())

    assert raised.value.status == 200


def test_agents_without_an_identifier_are_compared_by_content(project, service):
    """Any field may be missing, also the identifier."""
    names = ({"agents": [{"name": name}], "pagination": {"hasMore": name != "c"}} for name in "abc")
    service.will(*(httpx.Response(200, json=body) for body in names))

    assert [agent.name for agent in project.agents.list()] == ["a", "b", "c"]


def test_an_error_says_at_which_offset(project, service):
    service.will(page("ab", more=True), *[httpx.Response(503)] * 3)
    agents = iter(project.agents.list())

    assert [next(agents).id, next(agents).id] == ["a", "b"]
    with pytest.raises(ServerError) as raised:
        next(agents)

    assert raised.value.__notes__ == ["while fetching the page at offset 2"]


def test_to_list_fetches_no_page_beyond_its_limit(project, service):
    """The limit counts items; a limit of 0 needs no request."""
    service.will(page("ab", more=True), page("ab", more=True), page("cd", offset=2, more=True))
    agents = project.agents.list()

    assert isinstance(agents.to_list(limit=0), Listing)
    assert service.requests == []
    assert [agent.id for agent in agents.to_list(limit=2)] == ["a", "b"]
    assert len(service.requests) == 1
    assert [agent.id for agent in agents.to_list(limit=3)] == ["a", "b", "c"]
    assert len(service.requests) == 3


@pytest.mark.parametrize("limit", [-1, 2.0, True, "3"])
def test_a_limit_that_is_no_number_of_items_is_refused(project, limit):
    with pytest.raises(UsageError, match="limit is"):
        project.agents.list().to_list(limit=limit)


def test_first_fetches_one_page(project, service):
    service.will(page("ab", more=True), page(""))
    agents = project.agents.list()

    assert agents.first().id == "a"
    assert agents.first() is None
    assert len(service.requests) == 2


def test_a_pager_is_true_though_it_has_no_length(project):
    """`if pager:` would call `__len__`, which would have to fetch the pages."""
    assert project.agents.list()
    assert not hasattr(project.agents.list(), "__len__")


def test_a_pager_keeps_the_attempts_of_its_pages(project, service):
    service.will(REFUSED, page("ab", more=True), page("c", offset=2, request_id="req-3"), httpx.Response(404, json={}))
    agents = project.agents.list()

    assert agents.attempts == ()
    agents.to_list()
    assert [(attempt.status, attempt.request_id) for attempt in agents.attempts] == [
        (503, "req-1"),
        (200, "req-2"),
        (200, "req-3"),
    ]
    with pytest.raises(NotFoundError):
        agents.first_page()
    assert agents.attempts[-1].status == 404
