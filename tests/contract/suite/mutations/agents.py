"""Broken pages of the list of agents (Endpoints 12)."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from project_platform_stub.http.errors import bad_request
from project_platform_stub.operations.call import Answer, Call, Handler

from .mutation import mutation, with_query, wrap

ALSO = ("agents.list.*",)


def alter_page(change: Callable[[dict[str, Any], dict[str, Any], int], None]) -> None:
    """Change pages of agents in place; the change gets the page, the query, and the number of agents."""

    def altered(rule: Handler, call: Call) -> Answer:
        answer = deepcopy(rule(call))
        assert isinstance(answer.value, dict)
        change(answer.value, dict(call.query), len(call.project.agents))
        return answer

    wrap("agents_list", altered)


@mutation("agents.list.all", also=ALSO)
def the_last_agent_is_never_listed() -> None:
    def cut(page: dict[str, Any], query: dict[str, Any], total: int) -> None:
        offset = query.get("offset", 0)
        page["agents"] = page["agents"][: max(0, total - 1 - offset)]
        page["pagination"]["hasMore"] = offset + page["pagination"]["limit"] < total - 1

    alter_page(cut)


@mutation("agents.list.all", also=ALSO)
def built_in_agents_are_not_listed() -> None:
    def listed(rule: Handler, call: Call) -> Answer:
        whole = deepcopy(rule(with_query(call, limit=100, offset=0)))
        assert isinstance(whole.value, dict)
        agents = [agent for agent in whole.value["agents"] if not agent["builtIn"]]
        limit, offset = call.query.get("limit", 50), call.query.get("offset", 0)
        pagination = {"limit": limit, "offset": offset, "hasMore": offset + limit < len(agents)}
        return Answer({"agents": agents[offset : offset + limit], "pagination": pagination})

    wrap("agents_list", listed)


@mutation("agents.list.has-more", also=ALSO)
def a_full_last_page_has_more() -> None:
    def more(page: dict[str, Any], query: dict[str, Any], total: int) -> None:
        if query.get("limit", 0) >= 3:  # smaller pages are correct
            page["pagination"]["hasMore"] = query.get("offset", 0) + query["limit"] <= total

    alter_page(more)


@mutation("agents.list.page-size", also=ALSO)
def a_last_page_that_is_not_full_is_empty() -> None:
    def empty(page: dict[str, Any], query: dict[str, Any], total: int) -> None:
        if query.get("offset", 0) and 1 < query.get("limit", 50) < 10 and len(page["agents"]) < query["limit"]:
            page["agents"] = []

    alter_page(empty)


@mutation("agents.list.defaults", also=("agents.list.page-size",))
def an_offset_without_a_limit_is_ignored() -> None:
    def ignored(rule: Handler, call: Call) -> Answer:
        return rule(call if "limit" in call.query else with_query(call, offset=0))

    wrap("agents_list", ignored)


@mutation("agents.list.defaults")
def a_limit_without_an_offset_skips_an_agent() -> None:
    def skipping(rule: Handler, call: Call) -> Answer:
        return rule(with_query(call, offset=1) if call.query.keys() == {"limit"} else call)

    wrap("agents_list", skipping)


@mutation("agents.list.defaults")
def the_default_page_is_in_another_order() -> None:
    def reverse(page: dict[str, Any], query: dict[str, Any], total: int) -> None:
        if not query:
            page["agents"].reverse()

    alter_page(reverse)


@mutation("agents.list.offset-range")
def a_large_offset_is_refused() -> None:
    def refused(rule: Handler, call: Call) -> Answer:
        if call.query.get("offset", 0) >= 2**31:
            raise bad_request("query.offset", "is too large")
        return rule(call)

    wrap("agents_list", refused)


@mutation("agents.list.offset-range")
def a_large_offset_lists_the_last_agents() -> None:
    def last(rule: Handler, call: Call) -> Answer:
        total = len(call.project.agents)
        return rule(with_query(call, offset=total - 1) if call.query.get("offset", 0) > 2**31 - 1 else call)

    wrap("agents_list", last)


@mutation("agents.list.every-agent-once", also=ALSO)
def later_pages_have_no_prompts() -> None:
    def stripped(page: dict[str, Any], query: dict[str, Any], total: int) -> None:
        if query.get("offset"):
            for agent in page["agents"]:
                agent["systemPrompt"] = None

    alter_page(stripped)
