"""Endpoints 12: list agents."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.agent.types",
        "The fields of an agent definition, and of its MCP servers, have the documented types.",
        "Resources, Agent definition",
        "agents_list",
        "read",
    ),
    Rule(
        "fields.pagination.types",
        "The pagination object has the integers limit and offset, and the boolean hasMore.",
        "Resources, Pagination object",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.limit-range",
        "A limit from 1 to 100 is accepted; any other is refused.",
        "Endpoints 12, query; Limits",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.offset-range",
        "An offset of 0 or more is accepted, also beyond the end of the list; a negative one is refused.",
        "Endpoints 12, query; Limits",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.integers",
        "A limit or an offset that is not an integer is refused.",
        "Endpoints 12, query",
        "agents_list",
        "read",
        inferred=True,
    ),
    Rule(
        "agents.list.page-size",
        "A page has limit agents; only the last page may have fewer.",
        "Endpoints 12, query",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.offset-skips",
        "A page skips the first offset agents of the list.",
        "Endpoints 12, query",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.every-agent-once",
        "The pages together contain every agent of the project exactly once, whatever the page size.",
        "Endpoints 12",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.all",
        "All agent definitions of the project are listed.",
        "Endpoints 12",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.defaults",
        "limit and offset can be omitted, together or alone: the list then begins at the first agent, or has a default size.",
        "Endpoints 12, query; Limits",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.has-more",
        "hasMore is true if more agents follow the page, and false otherwise.",
        "Resources, Pagination object",
        "agents_list",
        "read",
    ),
    Rule(
        "agents.list.echo",
        "The pagination object repeats the limit and the offset of the request.",
        "Resources, Pagination object",
        "agents_list",
        "read",
        inferred=True,
    ),
)
