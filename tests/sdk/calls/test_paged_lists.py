"""Pagers return whole lists, the first item, and the records of their attempts."""

from __future__ import annotations

import httpx
import pytest

from project_platform import NotFoundError, UsageError

REFUSED = httpx.Response(503, headers={"x-request-id": "req-1", "retry-after": "0"})


def page(names, *, offset=0, more=False, request_id="req-2"):
    """Return the response with a page of agents."""
    body = {
        "agents": [{"id": name} for name in names],
        "pagination": {"limit": 2, "offset": offset, "hasMore": more},
    }
    return httpx.Response(200, json=body, headers={"x-request-id": request_id})


def test_to_list_fetches_no_page_beyond_its_limit(project, service):
    """The limit counts items; a limit of 0 needs no request."""
    service.will(page("ab", more=True), page("ab", more=True), page("cd", offset=2, more=True))
    agents = project.agents.list()

    assert len(agents.to_list(limit=0)) == 0
    assert service.requests == []
    assert [agent.id for agent in agents.to_list(limit=2)] == ["a", "b"]
    assert len(service.requests) == 1
    assert [agent.id for agent in agents.to_list(limit=3)] == ["a", "b", "c"]
    assert len(service.requests) == 3


@pytest.mark.parametrize("limit", [-1, 2.0, True, "3"])
def test_a_limit_that_is_no_number_of_items_is_refused(project, limit):
    """Nothing is sent."""
    with pytest.raises(UsageError, match="limit is"):
        project.agents.list().to_list(limit=limit)


def test_first_fetches_one_page(project, service):
    """It returns the first item, and None for an empty list."""
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
    """With their request identifiers, of repeated and of failed attempts."""
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
