"""Lists, reports and configurations that are answered in another form than specified, or without a part of them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import listings
from ..service.app import Call
from ..service.world import now

output = Kind("output")

FIGURES = "`likeCount`, `commentsCount`, `shares`, `impressions`, `reach`, `saved`, `engagement` (integers)."


def in_media(change: Any) -> None:
    """Change each item of the media of an account."""

    def changed(value: Json) -> None:
        for item in value["data"]["media"]:
            change(item)

    alter_value("photo_analytics_list_media", changed)


@output("templates_apply", "`report.counts`: integers `objectTypes`, `objectRelations`, `roles`, `workflows`")
def counts_of_a_report_are_texts() -> None:
    def counted(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        report["counts"] = {name: str(count) for name, count in report["counts"].items()}

    alter_value("templates_apply", counted)


@output("templates_apply", "`report.missingVariables`: array of string.")
def missing_variables_are_objects() -> None:
    def described(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        report["missingVariables"] = [{"name": name, "required": True} for name in report["missingVariables"]]

    alter_value("templates_apply", described)


@output("templates_apply", "Response: `{success: boolean, data: {project, templateApply}}`")
def the_success_of_an_application_is_its_status() -> None:
    alter_value("templates_apply", lambda value: value.update(success=value["data"]["templateApply"]["status"]))


@output("agents_list", "Lists all agent definitions of the project.")
def the_limit_is_the_end_of_the_page() -> None:
    def cut(value: Json) -> None:
        page = value["pagination"]
        value["agents"] = value["agents"][: max(0, page["limit"] - page["offset"])]

    alter_value("agents_list", cut)


@output("agents_list", "`limit` integer, `offset` integer, `hasMore` boolean.")
def the_limit_of_a_page_is_the_text_of_the_query() -> None:
    def as_sent(perform: Any, call: Call) -> Any:
        value = perform(call)
        if "limit" in call.query:
            value["pagination"]["limit"] = call.query["limit"]
        return value

    wrap("agents_list", as_sent)


@output("web_analytics_get_config", "the configuration is null when not configured.")
def a_configuration_that_is_read_is_created() -> None:
    def created(perform: Any, call: Call) -> Any:
        at = now()
        texts = ("analyticsPropertyId", "analyticsIntegrationAccountId", "searchSiteUrl", "searchIntegrationAccountId")
        new = {"id": f"wa-{uuid4().hex[:8]}", "projectId": call.project, **dict.fromkeys(texts), "enabled": False}
        call.world.analytics.setdefault(call.project, {**new, "createdAt": at, "updatedAt": at})
        return perform(call)

    wrap("web_analytics_get_config", created)


@output("posts_list", "Returns all scheduled posts of the project, with optional filters.")
def one_post_of_each_account_is_listed() -> None:
    posts_of = listings.posts_of
    patch(listings, "posts_of", lambda call: list({post["socialAccountId"]: post for post in posts_of(call)}.values()))


@output("posts_list", "`media` | array of post media")
def a_single_medium_of_a_post_is_not_in_an_array() -> None:
    def single(value: Json) -> None:
        for post in value["data"]["posts"]:
            if len(post["media"]) == 1:
                post["media"] = post["media"][0]

    alter_value("posts_list", single)


@output("photo_analytics_list_media", FIGURES)
def figures_have_the_form_of_the_network() -> None:
    def nested(item: Json) -> None:
        for name in ("impressions", "reach", "saved"):
            if item[name] is not None:
                item[name] = {"value": item[name]}

    in_media(nested)


@output("photo_analytics_list_media", FIGURES)
def shares_are_a_list() -> None:
    in_media(lambda item: item.update(shares=[{"count": item["shares"]}] if item["shares"] else []))
