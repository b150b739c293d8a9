"""Lists and figures that are not those of the project or the request."""

from __future__ import annotations

import time
from typing import Any

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import listings
from ..service.app import Call, Refusal

view = Kind("view")
export = Kind("export")
engagement = Kind("engagement")
grant = Kind("grant")

PAGE = "`limit` integer, `offset` integer, `hasMore` boolean."
AGENTS = "Lists all agent definitions of the project."
MEDIA = "Response: `{success: boolean, data: {media: [Photo-network media analytics item]}}`."
POSTS = "Response: `{success: boolean, data: {posts: [Scheduled post]}}`."


@view("agents_list", "List agents `limit` | 1 to 100")
def a_limit_of_100_is_refused() -> None:
    number = listings.number
    patch(
        listings,
        "number",
        lambda call, name, default, least, most: number(call, name, default, least, most and most - 1),
    )


@view("agents_list", PAGE)
def a_page_without_a_limit_has_none() -> None:
    def null(perform: Any, call: Call) -> Any:
        value = perform(call)
        if "limit" not in call.query:
            value["pagination"]["limit"] = "default"
        return value

    wrap("agents_list", null)


@view("agents_list", "Response: `{agents: [Agent definition], pagination: Pagination}`.")
def a_page_behind_the_end_has_no_array() -> None:
    def null(value: Json) -> None:
        value["agents"] = value["agents"] or None

    alter_value("agents_list", null)


@view("agents_list", PAGE)
def one_agent_that_follows_is_not_announced() -> None:
    patch(listings, "has_more", lambda total, limit, offset: offset + limit < total - 1)


@view("agents_list", AGENTS)
def agents_without_a_description_are_not_listed() -> None:
    agents_of = listings.agents_of
    patch(listings, "agents_of", lambda call: [agent for agent in agents_of(call) if agent["description"]])


@view("agents_list", AGENTS)
def built_in_agents_are_not_listed() -> None:
    agents_of = listings.agents_of
    patch(listings, "agents_of", lambda call: [agent for agent in agents_of(call) if not agent["builtIn"]])


@view("web_analytics_get_config", "The configuration is null when not configured.")
def a_project_without_a_configuration_is_not_found() -> None:
    def refused(perform: Any, call: Call) -> Any:
        if call.project not in call.world.analytics:
            raise Refusal(404, "There is no configuration.")
        return perform(call)

    wrap("web_analytics_get_config", refused)


@view("web_analytics_get_config", "Response: `{config: Web analytics configuration}`")
def the_configuration_is_null_to_readers() -> None:
    def hidden(perform: Any, call: Call) -> Any:
        role = call.world.members[call.project, call.user]
        return {"config": None} if role == "reader" else perform(call)

    wrap("web_analytics_get_config", hidden)


@view("web_analytics_get_config", "Response: `{config: Web analytics configuration}`")
def the_configuration_is_not_in_an_envelope() -> None:
    wrap("web_analytics_get_config", lambda perform, call: perform(call)["config"] or {"config": None})


@view("posts_list", POSTS)
def posts_are_keyed_by_identifier() -> None:
    alter_value(
        "posts_list", lambda value: value["data"].update(posts={post["id"]: post for post in value["data"]["posts"]})
    )


@view("posts_list", "`sizeBytes` (integer)")
def sizes_of_media_are_kilobytes() -> None:
    def kilobytes(value: Json) -> None:
        for post in value["data"]["posts"]:
            for medium in post["media"]:
                medium["sizeBytes"] = round(medium["sizeBytes"] / 1024, 1)

    alter_value("posts_list", kilobytes)


@view("posts_list", "account | {username: string, profilePictureUrl: string}")
def pictures_of_accounts_are_objects() -> None:
    def nested(value: Json) -> None:
        for post in value["data"]["posts"]:
            post["account"]["profilePictureUrl"] = {"url": None, "width": 150}

    alter_value("posts_list", nested)


def in_media(change: Any) -> None:
    """Change the media of an account."""
    alter_value("photo_analytics_list_media", lambda value: [change(medium) for medium in value["data"]["media"]])


@view(
    "photo_analytics_list_media",
    "`likeCount`, `commentsCount`, `shares`, `impressions`, `reach`, `saved`, `engagement` (integers)",
)
def figures_that_are_not_known_are_a_text() -> None:
    in_media(lambda medium: medium.update({key: "n/a" for key in ("impressions",) if medium[key] is None}))


@view("photo_analytics_list_media", "`timestamp` (strings)")
def times_of_media_are_seconds() -> None:
    in_media(lambda medium: medium.update(timestamp=int(time.time())))


@view("photo_analytics_list_media", MEDIA)
def media_are_in_a_page() -> None:
    alter_value(
        "photo_analytics_list_media",
        lambda value: value["data"].update(media={"items": value["data"]["media"], "next": None}),
    )


@view("photo_analytics_list_media", "`caption` (strings)")
def a_caption_that_is_not_there_is_false() -> None:
    in_media(lambda medium: medium.update(caption=medium["caption"] or False))
