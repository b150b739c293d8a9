"""Lists and searches whose SQL is wrong: joins, limits, orders and conditions."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import listings, records, social
from ..service.app import Refusal

query = Kind("query")

ALL_AGENTS = "Lists all agent definitions of the project."
ALL_POSTS = "Returns all scheduled posts of the project, with optional filters."


def agents(change: Any) -> None:
    """Change a page of agents, given the call and the pagination."""

    def altered(perform: Any, call: Any) -> Any:
        value = perform(call)
        return {**value, "agents": change(call, value["agents"], value["pagination"])}

    wrap("agents_list", altered)


@query("agents_list", "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0).")
def the_limit_counts_rows_of_a_join() -> None:
    agents(lambda call, page, pagination: page[: max(1, pagination["limit"] // 2)])


@query("agents_list", "`offset` (integer, at least 0).")
def a_page_behind_the_last_is_the_last() -> None:
    agents(lambda call, page, pagination: page or deepcopy(listings.agents_of(call))[-pagination["limit"] :])


@query("agents_list", "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0).")
def built_in_agents_are_on_every_page() -> None:
    def united(call: Any, page: list[Json], pagination: Json) -> list[Json]:
        known = {agent["id"] for agent in page}
        built_in = [agent for agent in listings.agents_of(call) if agent["builtIn"] and agent["id"] not in known]
        return [*page, *deepcopy(built_in)]

    agents(united)


@query("agents_list", ALL_AGENTS)
def later_pages_have_another_order() -> None:
    agents_of = listings.agents_of

    def ordered(call: Any) -> list[Json]:
        every = agents_of(call)
        if int(call.query.get("offset", 0)) == 0:
            return every
        return sorted(every, key=lambda agent: str(agent["updatedAt"]), reverse=True)

    patch(listings, "agents_of", ordered)


@query("posts_list", ALL_POSTS)
def posts_are_listed_once_for_each_medium() -> None:
    def joined(value: Json) -> None:
        value["data"]["posts"] = [post for post in value["data"]["posts"] for _ in post["media"]]

    alter_value("posts_list", joined)


@query(
    "posts_list", "The `id` of an account is the `socialAccountId` that posting, scheduling and analytics calls take."
)
def posts_have_the_account_of_the_first_post() -> None:
    def loaded(value: Json) -> None:
        posts = value["data"]["posts"]
        for post in posts:
            post.update({name: deepcopy(posts[0][name]) for name in ("socialAccountId", "account")})

    alter_value("posts_list", loaded)


@query(
    "records_create", "The payload carries matching identity: the service attaches an existing Person or creates one."
)
def records_without_an_identity_have_the_first_person() -> None:
    link = records.link

    def first(call: Any, record: Json, identity: Json) -> None:
        link(call, record, identity)
        persons = list(call.world.persons.values())
        if call.operation == "records_create" and call.world.types[record["typeSlug"]] and persons:
            record.setdefault("personRefId", persons[0])

    patch(records, "link", first)


@query("web_analytics_get_config", "The configuration is null when not configured.")
def configurations_that_are_not_enabled_are_not_found() -> None:
    def enabled(value: Json) -> None:
        if value["config"] is not None and not value["config"]["enabled"]:
            value["config"] = None

    alter_value("web_analytics_get_config", enabled)


@query("engagement_like", "Like a published page post as the page.")
def posts_of_other_networks_are_liked() -> None:
    def published(call: Any) -> Json:
        post: Json | None = call.world.posts.get((call.project, call.path["postId"]))
        if post is None or post["status"] != "published":
            raise Refusal(404, "There is no such published post.")
        return post

    patch(social, "published_post", published)
