"""Endpoints 12: list agents."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.agent.types",
        "The fields of an agent definition, and of its MCP servers, are of the types that are stated.",
        "Resources, Agent definition",
        "agents_list",
        "read",
    ),
    Rule(
        "fields.pagination.types",
        "A page tells its limit and its offset as integers, and as a boolean whether there is more.",
        "Resources, Pagination object",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.limit-range",
        "A limit from 1 to 100 is taken; any other is refused.",
        "Endpoints 12, query; Limits",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.offset-range",
        "An offset of 0 or more is taken, also one beyond the end; a negative one is refused.",
        "Endpoints 12, query; Limits",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.integers",
        "A limit or an offset that is no integer is refused.",
        "Endpoints 12, query",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.page-size",
        "A page has as many agents as its limit, and fewer only at the end of the list.",
        "Endpoints 12, query",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.offset-skips",
        "A page begins after as many agents as its offset says.",
        "Endpoints 12, query",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.every-agent-once",
        "Page after page, whatever their size, each agent of the project comes once.",
        "Endpoints 12",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.has-more",
        "hasMore is true where an agent follows the page, and false where none does.",
        "Resources, Pagination object",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.echo",
        "The answer tells the limit and the offset that were asked for.",
        "Resources, Pagination object",
        "agents_list",
        "read",
    ),
)
