"""Services whose pages of agents are others than requested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import listings
from ..service.app import Call

lists = Kind("lists")


def agents(name: str, sentence: str, change: Callable[[Call, Json], Any]) -> None:
    """Register a mutant that answers another page of agents."""

    def changed(perform: Any, call: Call) -> Any:
        answer = perform(call)
        change(call, answer)
        return answer

    lists.add(name, "agents_list", sentence, lambda: wrap("agents_list", changed))


LISTS = "Lists all agent definitions of the project."
LIMIT = "List agents `limit`: 1 to 100; `offset`: 0 or more."


agents(
    "the offset of agents counts pages",
    LIMIT,
    lambda call, answer: answer.update(
        agents=listings.agents_of(call)[answer["pagination"]["offset"] * answer["pagination"]["limit"] :][
            : answer["pagination"]["limit"]
        ]
    ),
)


agents(
    "odd offsets sort agents the other way",
    LISTS,
    lambda call, answer: (
        answer.update(
            agents=listings.agents_of(call)[::-1][answer["pagination"]["offset"] :][: answer["pagination"]["limit"]]
        )
        if answer["pagination"]["offset"] % 2
        else None
    ),
)


agents(
    "pages after the first have no next page",
    "`hasMore`: boolean.",
    lambda call, answer: answer["pagination"].update(
        hasMore=answer["pagination"]["hasMore"] and not answer["pagination"]["offset"]
    ),
)


agents(
    "the limit of the last page is its length",
    "`limit`: integer.",
    lambda call, answer: answer["pagination"].update(limit=len(answer["agents"])),
)


agents(
    "steps of agents are text below ten",
    "`maxSteps`: integer.",
    lambda call, answer: [
        agent.update(maxSteps=str(agent["maxSteps"])) for agent in answer["agents"] if agent["maxSteps"] < 10
    ],
)


agents(
    "headers of servers are pairs",
    "`mcpServers`: array of {name: string, url: string, headers: object}.",
    lambda call, answer: [
        server.update(headers=[list(pair) for pair in server["headers"].items()])
        for agent in answer["agents"]
        for server in agent["mcpServers"]
    ],
)


@lists("agents_list", "Query: `limit` (integer, 1 to 100).")
def digits_before_other_characters_are_a_limit() -> None:
    read = listings.number

    def number(call: Call, name: str, *rest: Any) -> Any:
        text = call.query.get(name, "")
        digits = text[: next((at for at, each in enumerate(text) if not each.isdecimal()), len(text))]
        return read(replace(call, query={**call.query, name: digits}) if digits else call, name, *rest)

    patch(listings, "number", number)
