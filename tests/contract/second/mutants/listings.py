"""Lists and configurations of other projects, of earlier requests, or with fields of another type; and likes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_query, alter_value, patch, wrap
from ..service import listings, social, templates
from ..service.app import Call, Refusal

agents = Kind("page of agents")
configurations = Kind("analytics configuration")
posts = Kind("listed post")
figures = Kind("figures of media")
likes = Kind("like of a page")

ALL_AGENTS = "Lists all agent definitions of the project."
LIMIT = "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0)."
PAGINATION = "`limit` integer, `offset` integer, `hasMore` boolean."
CONFIGURED = "Response: `{config: Web analytics configuration}`; the configuration is null when not configured."
ALL_POSTS = "Returns all scheduled posts of the project, with optional filters."
FIGURES = "Returns per-post engagement, reach and interaction figures."
INTEGERS = "`likeCount`, `commentsCount`, `shares`, `impressions`, `reach`, `saved`, `engagement` (integers)."
LIKE = "Like a published page post as the page."
PROJECT = "A project is the scope for most operations"


@agents("agents_list", PAGINATION)
def more_agents_follow_unless_one_page_has_all() -> None:
    patch(listings, "has_more", lambda total, limit, offset: total > limit)


@agents("agents_list", ALL_AGENTS)
def the_first_page_has_another_order_than_the_next() -> None:
    of_project = listings.agents_of

    def agents_of(call: Call) -> list[Json]:
        every = of_project(call)
        return every if call.query.get("offset", "0") != "0" else sorted(every, key=lambda each: each["createdAt"])

    patch(listings, "agents_of", agents_of)


@agents("agents_list", ALL_AGENTS)
def agents_that_are_built_in_are_on_every_page() -> None:
    def added(perform: Any, call: Call) -> Any:
        value = perform(call)
        built_in = [each for each in listings.agents_of(call) if each["builtIn"]]
        value["agents"] = built_in + [each for each in value["agents"] if not each["builtIn"]]
        return value

    wrap("agents_list", added)


@agents("agents_list", LIMIT)
def an_offset_counts_pages_if_there_is_a_limit() -> None:
    def pages(query: Json) -> None:
        if 0 < int(query["limit"]) <= 100:
            query["offset"] = str(int(query["offset"]) * int(query["limit"]))

    alter_query("agents_list", pages)


@agents("agents_list", "memoryFiles | array of string")
def an_array_of_one_text_is_the_text() -> None:
    def single(value: Json) -> None:
        for agent in value["agents"]:
            agent["memoryFiles"] = agent["memoryFiles"][0] if len(agent["memoryFiles"]) == 1 else agent["memoryFiles"]

    alter_value("agents_list", single)


def configuration(change: Callable[[Call, Json | None], Json | None]) -> None:
    """Answer another configuration, given the call and the configuration."""

    def altered(perform: Any, call: Call) -> Any:
        return {"config": change(call, perform(call)["config"])}

    wrap("web_analytics_get_config", altered)


@configurations("web_analytics_get_config", CONFIGURED)
def a_disabled_configuration_is_null() -> None:
    configuration(lambda call, found: found if found is not None and found["enabled"] else None)


@configurations("web_analytics_get_config", PROJECT)
def the_first_configuration_that_is_read_is_that_of_all_projects() -> None:
    known: list[Json] = []

    def remembered(call: Call, found: Json | None) -> Json | None:
        if found is not None and not known:
            known.append(found)
        return known[0] if known else None

    configuration(remembered)


@configurations("templates_apply", CONFIGURED)
def sub_projects_have_the_configuration_of_their_parent() -> None:
    create = templates.new_project

    def new_project(call: Call, name: str) -> Json:
        project = create(call, name)
        if call.project in call.world.analytics:
            call.world.analytics[project["id"]] = call.world.analytics[call.project]
        return project

    patch(templates, "new_project", new_project)


def listed(change: Callable[[Call, list[Json]], list[Json]]) -> None:
    """List other posts, given the call and the posts."""
    of_project = listings.posts_of
    patch(listings, "posts_of", lambda call: change(call, of_project(call)))


@posts("posts_list", ALL_POSTS)
def viewers_see_posts_that_are_published() -> None:
    def visible(call: Call, every: list[Json]) -> list[Json]:
        viewer = call.world.members[call.project, call.user] == "reader"
        return [post for post in every if post["status"] == "published" or not viewer]

    listed(visible)


@posts("posts_list", ALL_POSTS)
def posts_of_all_projects_of_the_caller_are_listed() -> None:
    def of_caller(call: Call, every: list[Json]) -> list[Json]:
        return [post for (project, _), post in call.world.posts.items() if (project, call.user) in call.world.members]

    listed(of_caller)


@posts("posts_list", ALL_POSTS)
def posts_are_remembered_without_the_filter() -> None:
    known: dict[str, Any] = {}

    def remembered(perform: Any, call: Call) -> Any:
        value = perform(call)
        return known.setdefault(call.project, value)

    wrap("posts_list", remembered)


def field(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that answers other fields of posts, which it changes in place."""

    def altered(value: Json) -> None:
        for post in value["data"]["posts"]:
            change(post)

    posts.add(name, "posts_list", sentence, lambda: alter_value("posts_list", altered))


field(
    "sizes of media are text",
    "`sizeBytes` (integer), `orderIndex` (integer).",
    lambda post: [medium.update(sizeBytes=str(medium["sizeBytes"])) for medium in post["media"]],
)


def media(change: Callable[[Call, Json, list[Json]], list[Json]]) -> None:
    """List other media, given the call, the account and its media."""
    of_account = listings.media_of
    patch(listings, "media_of", lambda call, account: change(call, account, of_account(call, account)))


def medium(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that answers other fields of media, which it changes in place."""

    def altered(value: Json) -> None:
        for each in value["data"]["media"]:
            change(each)

    figures.add(
        name, "photo_analytics_list_media", sentence, lambda: alter_value("photo_analytics_list_media", altered)
    )


def share(each: Json) -> None:
    """Make the engagement a share of the reach."""
    each["engagement"] = round(each["engagement"] / each["reach"], 4) if each["reach"] else 0


medium("engagement is a share of the reach", INTEGERS, share)


@figures("photo_analytics_list_media", FIGURES)
def media_of_all_accounts_of_the_network_are_listed() -> None:
    def of_network(call: Call, account: Json, found: list[Json]) -> list[Json]:
        ids = [
            id
            for (project, id), known in call.world.accounts.items()
            if (project, known["platform"]) == (call.project, "photonet")
        ]
        return [each for id in ids for each in call.world.media[id]]

    media(of_network)


@figures("photo_analytics_list_media", FIGURES)
def media_of_the_first_account_are_those_of_the_project() -> None:
    known: dict[str, list[Json]] = {}
    media(lambda call, account, found: known.setdefault(call.project, found))


@figures("photo_analytics_list_media", PROJECT)
def media_of_accounts_of_other_projects_are_listed() -> None:
    def altered(perform: Any, call: Call) -> Any:
        for project, id in call.world.accounts:
            if id == call.path["accountId"].lower():
                call.path["projectId"] = project
        return perform(call)

    wrap("photo_analytics_list_media", altered)


@likes("engagement_like", LIKE)
def published_posts_of_all_networks_can_be_liked() -> None:
    def published_post(call: Call) -> Json:
        post = call.world.posts.get((call.project, call.path["postId"]))
        if post is None or post["status"] != "published":
            raise Refusal(404, "There is no such published post.")
        return post

    patch(social, "published_post", published_post)


@likes("engagement_like", LIKE)
def likes_are_queued_whether_there_is_a_post_or_not() -> None:
    find = social.published_post

    def published_post(call: Call) -> Json:
        try:
            return find(call)
        except Refusal:
            return {"id": f"queued {len(call.world.likes)}"}

    patch(social, "published_post", published_post)


@likes("engagement_like", PROJECT)
def pages_of_other_projects_can_like() -> None:
    def require_page(call: Call, account_id: str) -> None:
        if not any(
            id == account_id and known["platform"] == "pagenet" for (_, id), known in call.world.accounts.items()
        ):
            raise Refusal(404, "There is no such page.")

    patch(social, "require_page", require_page)
