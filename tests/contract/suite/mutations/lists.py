"""Broken permission checks and lists (Endpoints 1, 12 to 15)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from project_platform_stub.contract import Operation
from project_platform_stub.dispatch.validation import Validator
from project_platform_stub.http.errors import not_found
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Json

from .mutation import alter_value, mutation, patch, with_query, wrap
from .parameters import parameter


@mutation("permissions.check.by-identity", also=("permissions.check.*",))
def every_caller_holds_every_permission() -> None:
    alter_value("auth_check_permission", lambda value: value.update(allowed=True))


@mutation("permissions.check.holder", also=("permissions.check.*",))
def no_caller_holds_any_permission() -> None:
    alter_value("auth_check_permission", lambda value: value.update(allowed=False))


@mutation("permissions.check.values", also=("permissions.check.*",))
def a_permission_is_unknown() -> None:
    parameter("auth_check_permission", "permission")["enum"].remove("support_tickets:manage")


@mutation("permissions.check.boolean", also=("permissions.check.*",))
def the_result_of_a_permission_check_is_a_string() -> None:
    alter_value("auth_check_permission", lambda value: value.update(allowed=str(value["allowed"]).lower()))


@mutation("agents.list.limit-range")
def a_limit_of_0_is_accepted() -> None:
    parameter("agents_list", "limit")["minimum"] = 0


@mutation("agents.list.limit-range")
def a_limit_of_101_is_accepted() -> None:
    parameter("agents_list", "limit")["maximum"] = 101


@mutation("agents.list.limit-range", also=("agents.list.*",))
def a_limit_of_100_is_refused() -> None:
    parameter("agents_list", "limit")["maximum"] = 99


@mutation("agents.list.offset-range")
def a_negative_offset_is_accepted() -> None:
    parameter("agents_list", "offset")["minimum"] = -1


@mutation("agents.list.has-more", also=("agents.list.*",))
def there_is_always_one_page_more() -> None:
    alter_value("agents_list", lambda value: value["pagination"].update(hasMore=bool(value["agents"])))


@mutation("agents.list.has-more", also=("agents.list.*",))
def there_is_never_another_page() -> None:
    alter_value("agents_list", lambda value: value["pagination"].update(hasMore=False))


@mutation("agents.list.offset-skips", also=("agents.list.*",))
def an_offset_counts_pages() -> None:
    def pages(rule: Handler, call: Call) -> Answer:
        offset, limit = call.query.get("offset", 0), call.query.get("limit", 50)
        answer = deepcopy(rule(with_query(call, offset=offset * limit)))
        assert isinstance(answer.value, dict)
        answer.value["pagination"]["offset"] = offset
        return answer

    wrap("agents_list", pages)


@mutation("agents.list.offset-skips", also=("agents.list.*",))
def an_offset_is_ignored() -> None:
    def first(rule: Handler, call: Call) -> Answer:
        answer = deepcopy(rule(with_query(call, offset=0)))
        assert isinstance(answer.value, dict)
        answer.value["pagination"]["offset"] = call.query.get("offset", 0)
        return answer

    wrap("agents_list", first)


@mutation("agents.list.every-agent-once", also=("agents.list.*",))
def pages_overlap() -> None:
    def overlapping(rule: Handler, call: Call) -> Answer:
        offset = call.query.get("offset", 0)
        answer = deepcopy(rule(with_query(call, offset=max(0, offset - 1))))
        assert isinstance(answer.value, dict)
        answer.value["pagination"]["offset"] = offset
        return answer

    wrap("agents_list", overlapping)


@mutation("agents.list.page-size", also=("agents.list.*",))
def a_limit_is_ignored() -> None:
    wrap("agents_list", lambda rule, call: rule(with_query(call, limit=50)))


@mutation("fields.agent.types")
def the_steps_of_an_agent_are_a_string() -> None:
    def texts(value: Json) -> None:
        for agent in value["agents"]:
            agent["maxSteps"] = str(agent["maxSteps"])

    alter_value("agents_list", texts)


@mutation("web-analytics.config.null")
def what_is_not_configured_is_not_found() -> None:
    def missing(rule: Handler, call: Call) -> Answer:
        if call.project.web_analytics is None:
            raise not_found("Web analytics is not configured.")
        return rule(call)

    wrap("web_analytics_get_config", missing)


@mutation("web-analytics.config.null")
def a_missing_configuration_is_empty() -> None:
    alter_value("web_analytics_get_config", lambda value: value.update(config=value["config"] or {}))


@mutation("fields.web-analytics-config.types")
def the_enabled_flag_of_analytics_is_a_string() -> None:
    alter_value("web_analytics_get_config", lambda value: value["config"] and value["config"].update(enabled="yes"))


@mutation("posts.list.all", also=("posts.list.as-stored",))
def only_published_posts_are_listed() -> None:
    def published(value: Json) -> None:
        value["data"]["posts"] = [post for post in value["data"]["posts"] if post["status"] == "published"]

    alter_value("posts_list", published)


@mutation("fields.post-media.types")
def the_size_of_a_medium_is_a_string() -> None:
    def texts(value: Json) -> None:
        for post in value["data"]["posts"]:
            for medium in post["media"]:
                medium["sizeBytes"] = str(medium["sizeBytes"])

    alter_value("posts_list", texts)


@mutation("answers.posts-list")
def posts_are_a_bare_list() -> None:
    alter_value("posts_list", lambda value: value.update(data=value["data"]["posts"]))


@mutation("fields.media-analytics.types")
def figures_of_media_are_strings() -> None:
    def texts(value: Json) -> None:
        for medium in value["data"]["media"]:
            medium.update(likeCount=str(medium["likeCount"]), engagement=str(medium["engagement"]))

    alter_value("photo_analytics_list_media", texts)


@mutation("answers.photo-analytics-list-media")
def media_are_not_wrapped() -> None:
    alter_value("photo_analytics_list_media", lambda value: value.update(media=value.pop("data")["media"]))


@mutation("photo-analytics.media.of-account", also=("photo-analytics.media.as-stored",))
def any_account_has_the_media_of_the_first() -> None:
    def first(rule: Handler, call: Call) -> Answer:
        media = [medium for media in call.project.media.values() for medium in media]
        return Answer({"success": True, "data": {"media": media}})

    wrap("photo_analytics_list_media", first)


@mutation("photo-analytics.media.per-post", also=("photo-analytics.media.as-stored",))
def a_media_item_is_listed_twice() -> None:
    alter_value("photo_analytics_list_media", lambda value: value["data"]["media"].append(value["data"]["media"][0]))


@mutation("web-analytics.config.configured", also=("web-analytics.config.as-stored",))
def web_analytics_is_never_configured() -> None:
    alter_value("web_analytics_get_config", lambda value: value.update(config=None))


@mutation("posts.list.filters-narrow")
def a_filter_widens_the_list() -> None:
    def widened(rule: Handler, call: Call) -> Answer:
        if not call.filters:
            return rule(call)
        posts = [post for post in call.project.posts.values() for _ in call.filters]
        return Answer({"success": True, "data": {"posts": [*posts, {**posts[0], "id": call.project.id}]}})

    wrap("posts_list", widened)


@mutation("states.post-failed")
def a_post_that_failed_has_another_status() -> None:
    def renamed(value: Json) -> None:
        for post in value["data"]["posts"]:
            post["status"] = "error" if post["status"] == "failed" else post["status"]

    alter_value("posts_list", renamed)


@mutation("fields.scheduled-post.types")
def the_account_of_a_post_is_a_string() -> None:
    def texts(value: Json) -> None:
        for post in value["data"]["posts"]:
            post["account"] = post["account"]["username"]

    alter_value("posts_list", texts)


@mutation("fields.pagination.types")
def the_limit_of_a_page_is_a_string() -> None:
    alter_value("agents_list", lambda value: value["pagination"].update(limit=str(value["pagination"]["limit"])))


@mutation("agents.list.integers")
def a_limit_that_is_not_an_integer_is_ignored() -> None:
    parameters = Validator.parameters

    def lenient(self: Validator, operation: Operation, place: str, texts: Mapping[str, str]) -> dict[str, Any]:
        known = {name: text for name, text in texts.items() if name != "limit" or text.lstrip("-").isdecimal()}
        return parameters(self, operation, place, known)

    patch(Validator, "parameters", lenient)


@mutation("permissions.check.other-values")
def any_string_is_a_permission() -> None:
    del parameter("auth_check_permission", "permission")["enum"]


@mutation("agents.list.echo")
def every_page_has_offset_0() -> None:
    alter_value("agents_list", lambda value: value["pagination"].update(offset=0))
