"""Broken lists of posts and media, and broken configurations of web analytics (Endpoints 13 to 15): cut short, or altered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Json

from .mutation import alter_value, mutation, wrap

_POSTS = ("posts.list.*", "fields.scheduled-post.types", "states.post-failed")
_MEDIA = ("photo-analytics.media.*", "fields.media-analytics.types")
_CONFIG = ("web-analytics.config.*", "fields.web-analytics-config.types")


def _posts(change: Callable[[list[Json]], list[Json]]) -> None:
    """Change the list of posts."""
    alter_value("posts_list", lambda value: value["data"].update(posts=change(value["data"]["posts"])))


def _each_post(change: Callable[[Json], Json]) -> None:
    """Change every post."""
    _posts(lambda posts: [{**post, **change(post)} for post in posts])


@mutation("posts.list.as-stored", also=_POSTS)
def a_hundred_posts_are_listed() -> None:
    _posts(lambda posts: posts[:100])


@mutation("posts.list.as-stored", also=_POSTS)
def the_latest_twenty_posts_are_listed() -> None:
    _posts(lambda posts: posts[-20:])


@mutation("posts.list.as-stored", also=_POSTS)
def posts_with_an_unknown_status_are_left_out() -> None:
    known = {"draft", "scheduled", "published", "failed"}
    _posts(lambda posts: [post for post in posts if post["status"] in known])


@mutation("posts.list.all", also=_POSTS)
def failed_posts_are_left_out() -> None:
    _posts(lambda posts: [post for post in posts if post["status"] != "failed"])


@mutation("posts.list.as-stored", also=_POSTS)
def posts_without_media_are_left_out() -> None:
    _posts(lambda posts: [post for post in posts if post["media"]])


@mutation("posts.list.as-stored", also=_POSTS)
def a_caption_is_trimmed() -> None:
    _each_post(lambda post: {"caption": post["caption"].strip()})


@mutation("posts.list.as-stored", also=_POSTS)
def an_empty_caption_is_null() -> None:
    _each_post(lambda post: {"caption": post["caption"] or None})


@mutation("posts.list.as-stored", also=_POSTS)
def creation_and_update_of_a_post_are_its_publication() -> None:
    _each_post(lambda post: {"createdAt": post["scheduledFor"], "updatedAt": post["scheduledFor"]})


@mutation("posts.list.as-stored", also=_POSTS)
def the_link_of_a_post_is_its_permalink() -> None:
    _each_post(lambda post: {"linkUrl": post["permalink"], "permalink": post["linkUrl"]})


@mutation("posts.list.as-stored", also=(*_POSTS, "fields.post-media.types"))
def posts_have_one_medium() -> None:
    _each_post(lambda post: {"media": post["media"][:1]})


@mutation("posts.list.as-stored", also=_POSTS)
def media_are_in_another_order() -> None:
    _each_post(lambda post: {"media": post["media"][::-1]})


@mutation("posts.list.as-stored", also=(*_POSTS, "fields.post-media.types"))
def a_size_of_zero_is_null() -> None:
    _each_post(
        lambda post: {"media": [{**medium, "sizeBytes": medium["sizeBytes"] or None} for medium in post["media"]]}
    )


@mutation("posts.list.account-id", also=_POSTS)
def the_social_account_of_a_post_is_the_post() -> None:
    _each_post(lambda post: {"socialAccountId": post["id"]})


@mutation("posts.list.account-id", also=_POSTS)
def the_social_accounts_of_posts_are_swapped() -> None:
    def swapped(posts: list[Json]) -> list[Json]:
        first, *_, last = sorted({post["socialAccountId"] for post in posts})
        other = {first: last, last: first}
        return [{**post, "socialAccountId": other.get(post["socialAccountId"], first)} for post in posts]

    _posts(swapped)


@mutation("posts.list.account-platform", also=_POSTS)
def all_posts_are_those_of_the_account_of_the_page() -> None:
    def of_the_page(posts: list[Json]) -> list[Json]:
        page = min((post for post in posts if post["platform"] == "pagenet"), key=lambda post: post["id"])
        return [{**post, "socialAccountId": page["socialAccountId"]} for post in posts]

    _posts(of_the_page)


@mutation("posts.list.as-stored", also=_POSTS)
def every_second_post_has_another_account() -> None:
    def other(posts: list[Json]) -> list[Json]:
        account = {"username": "other", "profilePictureUrl": ""}
        return [{**post, "account": account} if number % 2 else post for number, post in enumerate(posts)]

    _posts(other)


def _media(change: Callable[[list[Json]], list[Json]]) -> None:
    """Change the list of media."""
    alter_value("photo_analytics_list_media", lambda value: value["data"].update(media=change(value["data"]["media"])))


@mutation("photo-analytics.media.as-stored", also=_MEDIA)
def twenty_five_media_are_listed() -> None:
    _media(lambda media: media[:25])


@mutation("photo-analytics.media.as-stored", also=_MEDIA)
def a_figure_of_zero_is_null() -> None:
    _media(lambda media: [{name: value or None for name, value in item.items()} for item in media])


@mutation("photo-analytics.media.as-stored", also=_MEDIA)
def a_figure_that_is_not_known_is_zero() -> None:
    _media(lambda media: [{name: 0 if value is None else value for name, value in item.items()} for item in media])


@mutation("photo-analytics.media.as-stored", also=_MEDIA)
def media_without_engagement_are_left_out() -> None:
    _media(lambda media: [item for item in media if item["engagement"]])


@mutation("photo-analytics.media.as-stored", also=_MEDIA)
def reach_and_impressions_are_swapped() -> None:
    _media(lambda media: [{**item, "reach": item["impressions"], "impressions": item["reach"]} for item in media])


@mutation("photo-analytics.media.as-stored", also=_MEDIA)
def engagement_is_the_number_of_likes() -> None:
    _media(lambda media: [{**item, "engagement": item["likeCount"]} for item in media])


@mutation("photo-analytics.media.as-stored", also=_MEDIA)
def figures_have_32_bits() -> None:
    def cut(value: Any) -> Any:
        return value % 2**32 if isinstance(value, int) else value

    _media(lambda media: [{name: cut(value) for name, value in item.items()} for item in media])


@mutation("photo-analytics.media.as-stored", also=_MEDIA)
def every_account_has_the_media_of_all_accounts() -> None:
    def every(rule: Handler, call: Call) -> Answer:
        rule(call)
        media = [item for items in call.project.media.values() for item in items]
        return Answer({"success": True, "data": {"media": media}})

    wrap("photo_analytics_list_media", every)


@mutation("photo-analytics.media.per-post")
def a_list_of_media_is_not_answered_with_success() -> None:
    alter_value("photo_analytics_list_media", lambda value: value.update(success=False))


def _config(change: Callable[[Json], Any]) -> None:
    """Change a configuration, unless it is null."""
    alter_value(
        "web_analytics_get_config", lambda value: value["config"] and value.update(config=change(value["config"]))
    )


@mutation("web-analytics.config.as-stored", also=_CONFIG)
def a_configuration_that_is_not_enabled_is_null() -> None:
    _config(lambda config: config if config["enabled"] else None)


@mutation("web-analytics.config.as-stored", also=_CONFIG)
def every_configuration_is_enabled() -> None:
    _config(lambda config: {**config, "enabled": config["enabled"] or True})


@mutation("web-analytics.config.as-stored", also=_CONFIG)
def the_accounts_of_a_configuration_are_swapped() -> None:
    _config(
        lambda config: {
            **config,
            "analyticsIntegrationAccountId": config["searchIntegrationAccountId"],
            "searchIntegrationAccountId": config["analyticsIntegrationAccountId"],
        }
    )


@mutation("web-analytics.config.as-stored", also=_CONFIG)
def a_configuration_without_a_search_site_is_null() -> None:
    _config(lambda config: config if config["searchSiteUrl"] else None)
