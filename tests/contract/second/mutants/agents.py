"""Lists of agents that are cut short or in disorder."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_query, patch, wrap
from ..service import listings

lists = Kind("lists")


LIMIT = "`limit` (integer, 1 to 100)"


OFFSET = "`offset` (integer, at least 0)"


ALL_AGENTS = "Lists all agent definitions of the project."


MORE = "`limit` integer, `offset` integer, `hasMore` boolean."


def capped(most: int) -> Callable[[Any, Any], Any]:
    """Return a change that lists fewer agents than the limit, and repeats the limit."""

    def listed(perform: Any, call: Any) -> Any:
        value = perform(call)
        limit = int(call.query.get("limit", most))
        value["agents"] = value["agents"][:most]
        value["pagination"]["limit"] = limit
        return value

    return listed


lists.add("a page has at most ten agents", "agents_list", LIMIT, lambda: wrap("agents_list", capped(10)))


lists.add("a page has at most five agents", "agents_list", LIMIT, lambda: wrap("agents_list", capped(5)))


def agents(name: str, change: Callable[[list[Json]], list[Json]], sentence: str = ALL_AGENTS) -> None:
    """Register a mutant that changes the whole list before it is cut into pages."""

    def apply() -> None:
        agents_of = listings.agents_of
        patch(listings, "agents_of", lambda call: change(agents_of(call)))

    lists.add(name, "agents_list", sentence, apply)


agents("agents are in another order each time", lambda items: random.sample(items, len(items)))


agents("each agent is listed twice", lambda items: [item for item in items for _ in range(2)])


@lists("agents_list", ALL_AGENTS)
def the_order_of_agents_depends_on_the_limit() -> None:
    def ordered(perform: Any, call: Any) -> Any:
        agents_of = listings.agents_of
        backwards = call.query.get("limit", "7")[-1:] in {"1", "3", "5", "7", "9"}
        patch(listings, "agents_of", lambda call: agents_of(call)[::-1] if backwards else agents_of(call))
        try:
            return perform(call)
        finally:
            patch(listings, "agents_of", agents_of)

    wrap("agents_list", ordered)


@lists("agents_list", ALL_AGENTS)
def the_last_agent_of_a_page_is_the_first_of_the_next() -> None:
    alter_query(
        "agents_list",
        lambda query: (
            query.update(offset=str(int(query["offset"]) - 1))
            if query.get("offset", "").isdecimal() and int(query["offset"]) > 2
            else None
        ),
    )


@lists("agents_list", ALL_AGENTS)
def pages_after_the_second_are_empty() -> None:
    def empty(perform: Any, call: Any) -> Any:
        value = perform(call)
        if value["pagination"]["offset"] >= 2 * value["pagination"]["limit"]:
            value["agents"] = []
            value["pagination"]["hasMore"] = False
        return value

    wrap("agents_list", empty)


@lists("agents_list", OFFSET)
def an_offset_beyond_the_end_gives_the_last_page() -> None:
    def last(perform: Any, call: Any) -> Any:
        total = len(listings.agents_of(call))
        offset = call.query.get("offset", "0")
        if offset.isdecimal() and int(offset) >= total > 0:
            call.query["offset"] = str(total - 1)
        return perform(call)

    wrap("agents_list", last)


@lists("agents_list", OFFSET)
def an_offset_beyond_the_end_is_refused() -> None:
    def refused(perform: Any, call: Any) -> Any:
        offset = call.query.get("offset", "0")
        if offset.isdecimal() and int(offset) > len(listings.agents_of(call)):
            raise listings.Refusal(404, "There is no such page.")
        return perform(call)

    wrap("agents_list", refused)


@lists("agents_list", OFFSET)
def an_offset_of_100_or_more_is_refused() -> None:
    number = listings.number
    patch(
        listings,
        "number",
        lambda call, name, default, least, most: number(call, name, default, least, 99 if name == "offset" else most),
    )


@lists("agents_list", LIMIT)
def decimals_of_a_limit_are_cut_off() -> None:
    alter_query(
        "agents_list",
        lambda query: query.update(
            {name: text.partition(".")[0] for name, text in query.items() if name in {"limit", "offset"}}
        ),
    )


@lists("agents_list", LIMIT)
def a_limit_above_100_is_100() -> None:
    alter_query(
        "agents_list",
        lambda query: (
            query.update(limit="100") if query.get("limit", "").isdecimal() and int(query["limit"]) > 100 else None
        ),
    )


@lists("agents_list", LIMIT)
def a_limit_below_1_is_1() -> None:
    alter_query(
        "agents_list",
        lambda query: (
            query.update(limit="1")
            if query.get("limit", "").removeprefix("-").isdecimal() and int(query["limit"]) < 1
            else None
        ),
    )


@lists("agents_list", LIMIT)
def a_limit_of_one_is_refused() -> None:
    number = listings.number
    patch(
        listings,
        "number",
        lambda call, name, default, least, most: number(call, name, default, 2 if name == "limit" else least, most),
    )


@lists("agents_list", OFFSET)
def a_negative_offset_counts_from_the_end() -> None:
    def backwards(query: Json) -> None:
        if query.get("offset", "").startswith("-") and query["offset"][1:].isdecimal():
            query["offset"] = str(max(0, 12 - int(query["offset"][1:])))

    alter_query("agents_list", backwards)


def more(name: str, has_more: Callable[[int, int, int], bool]) -> None:
    """Register a mutant with another hasMore."""
    lists.add(name, "agents_list", MORE, lambda: patch(listings, "has_more", has_more))


more("a full page has more", lambda total, limit, offset: offset < total and min(limit, total - offset) == limit)


more("there is more if the list is longer than a page", lambda total, limit, offset: total > limit)


more("there is more if there is an offset", lambda total, limit, offset: offset > 0)
