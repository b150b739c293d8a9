"""Endpoints 12: list agents."""

from __future__ import annotations

import pytest


def page(api, **query):
    response = api.call("agents_list", query=query)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("limit", [1, 3, 4, 7, 8, 100])
def test_pages_have_every_agent_once_and_in_order(api, stub, limit):
    """`hasMore` is true until the last page."""
    seen, offset, more = [], 0, True
    while more:
        response = page(api, limit=limit, offset=offset)
        assert response["pagination"]["limit"] == limit
        assert response["pagination"]["offset"] == offset
        seen += response["agents"]
        offset, more = offset + limit, response["pagination"]["hasMore"]

    assert seen == stub.project.agents.all()
    assert offset < len(seen) + limit


@pytest.mark.parametrize(
    ("query", "agents"), [({"offset": 8, "limit": 100}, 0), ({"offset": "9" * 4300}, 0), ({"offset": 0}, 8)]
)
def test_an_offset_may_be_beyond_the_end(api, query, agents):
    assert len(page(api, **query)["agents"]) == agents


def test_agents_are_fully_described(api, contract):
    """Every field of an agent definition has a value; there are built-in agents, and one that calls an MCP server."""
    agents = page(api)["agents"]

    fields = set(contract["components"]["schemas"]["Agent"]["properties"])
    assert all(set(agent) == fields and None not in agent.values() for agent in agents)
    assert {agent["builtIn"] for agent in agents} == {True, False}
    assert {tuple(agent["toolCategories"]) for agent in agents} == {("memory",)}
    assert {agent["access"] for agent in agents} == {"project_member"}
    assert any(agent["mcpServers"] for agent in agents)
